// MyBot plays L.A.M.A.: node mybot.js, with ARENA_URL and ARENA_TOKEN set.
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

// Returns one of view.actions; play.proto explains the fields of a view.
export function choose(view) {
  const play = view.actions.find((action) => action.startsWith("play"));
  if (play) return play;
  if (view.actions.includes("quit") && view.penalty <= 6) return "quit";
  return view.actions.includes("draw") ? "draw" : view.actions.at(-1);
}

const version = process.env.ARENA_BOT_VERSION ?? ""; // empty: the newest
const HELLO = { protocol: 1, games: ["lama"], max_in_flight: 64, sdk: "mybot-node/1", version };
const { INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED } = grpc.status;
const FATAL = [INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED];

function answer({ ticket, view }) {
  try {
    return { ticket, action: choose(view) };
  } catch (error) {
    console.error(error);
    return { ticket, error: String(error) };
  }
}

// Plays until the stream ends; says why it did, and whether another try makes sense.
function session(client, token) {
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  return new Promise((resolve) => {
    const stream = client.connect(metadata);
    let closed = { reason: "the arena closed the stream", reconnect: true };
    stream.on("data", ({ welcome, batch, problem, ...message }) => {
      if (welcome) console.error(`${welcome.bot} is connected.`);
      if (problem) console.error(problem.message);
      if (message.closed) closed = message.closed;
      for (const fault of batch?.faults ?? []) console.error(`Fault (${fault.kind}): ${fault.reason}`);
      const choices = (batch?.decisions ?? []).map(answer);
      if (choices.length) stream.write({ choices: { choices } });
    });
    stream.on("error", ({ code, details }) => resolve({ reason: details, reconnect: !FATAL.includes(code) }));
    stream.on("end", () => resolve(closed));
    stream.write({ hello: HELLO });
  });
}

export async function run(url, token, rootsFile) {
  const { arena } = grpc.loadPackageDefinition(
    loader.loadSync(fileURLToPath(new URL("play.proto", import.meta.url)), { keepCase: true, longs: String, defaults: true, oneofs: true }),
  );
  const roots = rootsFile ? fs.readFileSync(rootsFile) : null;
  const credentials = url.startsWith("grpcs://") ? grpc.credentials.createSsl(roots) : grpc.credentials.createInsecure();
  const client = new arena.v1.Play(url.replace(/^grpcs?:\/\//, ""), credentials, {
    "grpc.keepalive_time_ms": 10_000, "grpc.keepalive_timeout_ms": 5_000,
    "grpc.initial_reconnect_backoff_ms": 200, "grpc.max_reconnect_backoff_ms": 4_000,
  });
  for (let pause = 200; ; pause = Math.min(2 * pause, 4_000)) {
    const began = Date.now();
    const { reason, reconnect } = await session(client, token);
    if (!reconnect) throw new Error(reason);
    console.error(`${reason} Trying again.`);
    if (Date.now() - began > 5_000) pause = 200;
    await sleep(pause * (0.5 + Math.random() / 2)); // not all bots of a gateway at once
  }
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { ARENA_URL = "HOST:7420", ARENA_TOKEN = "", ARENA_TLS_CA } = process.env;
  const token = ARENA_TOKEN.trim();
  if (/^[!-~]+$/.test(token)) {
    run(ARENA_URL, token, ARENA_TLS_CA).catch((error) => {
      console.error(`Error: ${error.message}`);
      process.exitCode = 1;
    });
  } else {
    console.error("Error: ARENA_TOKEN is not a token. Copy it from https://arena.example/my/bots");
    process.exitCode = 2;
  }
}
