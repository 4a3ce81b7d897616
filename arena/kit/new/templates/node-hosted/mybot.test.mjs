// node --test
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { choose } from "./choose.mjs";

test("plays a card if it can", () => {
  assert.equal(choose({ actions: ["draw", "play 4", "quit"], penalty: 9 }), "play 4");
});

test("quits with a cheap hand", () => {
  assert.equal(choose({ actions: ["draw", "quit"], penalty: 6 }), "quit");
});

test("draws with an expensive hand", () => {
  assert.equal(choose({ actions: ["draw", "quit"], penalty: 7 }), "draw");
});

test("returns the token that is worth most", () => {
  assert.equal(choose({ actions: ["keep", "return 1", "return 10"], penalty: 0 }), "return 10");
});

test("answers each line of stdin with a line of stdout", () => {
  const program = fileURLToPath(new URL("mybot.mjs", import.meta.url));
  const decision = { type: "decision", time_ms: 1000, view: { actions: ["draw", "play 4"], penalty: 9 } };
  const input = `${JSON.stringify(decision)}\n`.repeat(2);
  const { stdout, stderr } = spawnSync(process.execPath, [program], { input, encoding: "utf8" });
  assert.equal(stderr, "");
  const [hello, ...answers] = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(hello, { protocol: 1, games: ["lama"] });
  assert.deepEqual(answers, [{ action: "play 4" }, { action: "play 4" }]);
});
