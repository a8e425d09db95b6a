// The tables of cases that Python's rules and the scripts' are both held to.

import { readFileSync } from "node:fs";

/**
 * @param {string} name
 * @returns {{ case: string, raw: string, refused?: string, meant?: string, origin?: string, nickname?: string }[]}
 */
export function readCases(name) {
  return JSON.parse(readFileSync(new URL(`../support/${name}`, import.meta.url), "utf-8"));
}
