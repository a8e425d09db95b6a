// For each line [earlier, delta, later] of JSON texts: print what the delta makes of the earlier
// payload, and the later payload as the widget reads it.

import { createInterface } from "node:readline";

import { parseResponse } from "../../static/widget/api.js";
import { applyDelta } from "../../static/widget/api.js";

for await (const line of createInterface({ input: process.stdin })) {
  const [earlier, delta, later] = JSON.parse(line).map(parseResponse);
  console.log(JSON.stringify([applyDelta(earlier, delta), later]));
}
