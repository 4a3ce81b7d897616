// npm test
import assert from "node:assert/strict";
import test from "node:test";
import { choose } from "./mybot.js";

test("plays a card if it can", () => {
  assert.equal(choose({ actions: ["draw", "play 4", "quit"], penalty: 9 }), "play 4");
});

test("quits with a cheap hand", () => {
  assert.equal(choose({ actions: ["draw", "quit"], penalty: 6 }), "quit");
});

test("draws with a dear one", () => {
  assert.equal(choose({ actions: ["draw", "quit"], penalty: 7 }), "draw");
});

test("gives back the token that is worth most", () => {
  assert.equal(choose({ actions: ["keep", "return 1", "return 10"], penalty: 0 }), "return 10");
});
