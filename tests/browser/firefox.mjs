// Starts Firefox and passes on commands of WebDriver BiDi: node firefox.mjs FIREFOX PROFILE. Reads a
// JSON object in each line, such as {"method": "session.status", "params": {}}, and prints the
// answer to it in a line. Firefox ends with the input.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const [, , firefox, profile] = process.argv;

async function connect(lines) {
  for await (const line of lines) {
    const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
    if (!address) continue;
    const socket = new WebSocket(`${address}/session`);
    await once(socket, "open");
    return socket;
  }
  throw new Error("Firefox did not start");
}

const options = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
const started = spawn(firefox, options, {
  stdio: ["ignore", "ignore", "pipe"],
  env: { ...process.env, HOME: profile },
});
try {
  const socket = await connect(createInterface({ input: started.stderr }));
  started.stderr.resume(); // or it waits for a reader
  socket.addEventListener("message", ({ data }) => console.log(data));
  let id = 0;
  for await (const line of createInterface({ input: process.stdin })) {
    socket.send(JSON.stringify({ id: ++id, ...JSON.parse(line) }));
  }
} finally {
  started.kill();
}
process.exit(0);
