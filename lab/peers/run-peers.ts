/**
 * Measure Volley beside other ways to run a batch of tool calls, every answer checked.
 *
 *   npm run bench:peers [-- --quick] [--only NAME]… [--json FILE] [--write]
 *
 * Eleven minutes, or three with --quick. `--only` measures those named, beside the bare Worker. `--write` puts the tables into
 * lab/peers/report.md. Fails when an answer was wrong.
 */
import { readFile, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";

import { table } from "../bench/report.ts";
import { BARE, BARE_NODE, CONTESTANTS } from "./contestants.ts";
import { measurePeers, type PeerOptions } from "./measure-peers.ts";
import { HEAD, makePeerRows, sayBare, updatePeerPage } from "./peer-tables.ts";
import { readSetting } from "./read-setting.ts";

const FULL: PeerOptions = {
  sizes: [3, 10],
  processes: 2,
  connections: 12,
  rounds: 40,
  compileRounds: 80,
  warmUpRounds: 10,
};
const QUICK: PeerOptions = { ...FULL, rounds: 10, compileRounds: 20, warmUpRounds: 3 };
const PAGE = new URL("./report.md", import.meta.url);

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    json: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const unknown =
  values.only?.filter((name) => !CONTESTANTS.some((contestant) => contestant.name === name)) ?? [];
if (unknown.length > 0)
  throw new Error(
    `No contestant is named ${unknown.join(", ")}: ${CONTESTANTS.map(({ name }) => name).join(", ")}`,
  );
if (values.write && values.only !== undefined)
  throw new Error("Cannot write the tables of some: leave --only out");

const isOnNode = values.only?.some((name) =>
  CONTESTANTS.some((one) => one.name === name && one.runs.on === "node"),
);
const asked = new Set(values.only && [BARE, ...(isOnNode ? [BARE_NODE] : []), ...values.only]);
const contestants = CONTESTANTS.filter(({ name }) => asked.size === 0 || asked.has(name));
const options = values.quick ? QUICK : FULL;
const startedAt = performance.now();
const busyBefore = loadavg()[0]!;
const measured = await measurePeers(contestants, options, (text) => void process.stderr.write(`${text}\n`));
const setting = {
  ...(await readSetting()),
  seconds: Math.round((performance.now() - startedAt) / 1_000),
  busyBefore,
};
const run = { options, ...setting, ...measured };

for (const n of options.sizes)
  console.log(`N = ${n}\n${sayBare(run, n)}\n${table([HEAD, ...makePeerRows(run, n)]).join("\n")}\n`);
for (const { name, n, example } of measured.series)
  if (example !== null) console.log(`${name}, N = ${n}: ${example}`);
console.log(
  `${options.processes} processes of each, ${options.rounds} slices of each in shuffled order, ${options.connections} connections; ${setting.seconds} s. ` +
    `CPUs used meanwhile by the load and the upstream: ${measured.benchCpus.toFixed(2)}; by everything else: ${measured.otherCpus.toFixed(2)}`,
);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(run, null, 2)}\n`);
if (values.write) await writeFile(PAGE, updatePeerPage(await readFile(PAGE, "utf8"), run));
if (measured.series.some(({ faults }) => Object.keys(faults).length > 0)) process.exitCode = 1;
