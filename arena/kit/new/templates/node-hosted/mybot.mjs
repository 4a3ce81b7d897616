// MyBot talks to the arena's host: JSON objects, one on each line of stdin and stdout.
import { createInterface } from "node:readline";
import { choose } from "./choose.mjs";

function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function answer(view) {
  try {
    return { action: choose(view) };
  } catch (error) {
    console.error(error); // stderr is for everything that is not a message
    return { error: String(error) };
  }
}

say({ protocol: 1, games: ["lama"] });
for await (const line of createInterface({ input: process.stdin })) {
  say(answer(JSON.parse(line).view));
}
