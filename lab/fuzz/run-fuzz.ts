/**
 * Look for unforeseen cases: random and mutated input against judges that share no code with the code they judge.
 *
 *   npm run fuzz [-- SECTION…] [--seed N] [--runs N]
 *
 * Every run looks elsewhere, and says its seed, with which it is repeated. Fails when something was found.
 */
import { parseArgs } from "node:util";

import type { Fuzz } from "./fuzz.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { PLANS } from "./plans.ts";
import { REFERENCES } from "./references.ts";
import { SCHEMAS } from "./schemas.ts";
import { SHELL } from "./shell-text.ts";
import { URLS } from "./urls.ts";

const SECTIONS: readonly Fuzz[] = [URLS, REFERENCES, PLANS, SCHEMAS, SHELL, ENDPOINTS];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string" }, runs: { type: "string" } },
});
const seed = values.seed === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(values.seed);
const unknown = positionals.filter((name) => !SECTIONS.some(({ title }) => title === name));
if (unknown.length > 0)
  throw new Error(
    `No section is named ${unknown.join(", ")}: ${SECTIONS.map(({ title }) => title).join(", ")}`,
  );

console.log(`seed ${seed}`);
let foundMany = 0;
for (const fuzz of SECTIONS) {
  if (positionals.length > 0 && !positionals.includes(fuzz.title)) continue;
  const began = Date.now();
  const notes: string[] = [];
  const runs = values.runs === undefined ? fuzz.runs : Number(values.runs);
  const found = await fuzz.look({ seed, runs, tell: (text) => void notes.push(text) });
  const seconds = ((Date.now() - began) / 1_000).toFixed(1);
  console.log(
    `${fuzz.title}: ${runs} samples, ${found.length} found, ${seconds} s${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`,
  );
  for (const text of found.slice(0, 5)) console.log(text);
  foundMany += found.length;
}
if (foundMany > 0) process.exitCode = 1;
