/**
 * Change the code in thousands of small ways, one at a time, and see whether a test notices.
 *
 *   npm run mutation [-- --slice 1/7] [--room core/plan] [--file src/features/orchestration/partition.ts] [--since main] [--static] [--anew] [--write] [--workers 1]
 *
 * Stryker makes the changes and keeps what they came to; only what changed since the last run is tried again, unless `--anew`. With
 * `--static` also what runs while modules load is changed, which takes a second for each. `--slice` takes one part of all files, for one night each. Fails when a room
 * notices too few or was never tried, or something survives that `survivors.ts` gives no reason for. `--write` puts all that is known into lab/mutation/report.md.
 */
import { execFileSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { getPriority, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { Stryker } from "@stryker-mutator/core";

import { readMutants, replaceTried, type Report } from "./mutants.ts";
import {
  findShort,
  findUnexplained,
  findUnneeded,
  makeTable,
  type MutantsOfFiles,
  ROOMS,
  updatePage,
  isOf,
  toFileName,
} from "./page.ts";
import { parseSlice, takeSlice, type Slice } from "./slice.ts";
import { SURVIVORS } from "./survivors.ts";

/** The part that a room has to notice, in percent of the tried mutants. */
const AIMED_FOR = 90;
const KEPT = "dist/mutation";
const PAGE = "lab/mutation/report.md";

const { values: asked } = parseArgs({
  options: {
    slice: { type: "string" },
    room: { type: "string", multiple: true },
    file: { type: "string", multiple: true },
    since: { type: "string" },
    static: { type: "boolean", default: false },
    anew: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    workers: { type: "string", default: "2" },
  },
});

// Others measure on this machine.
setPriority(Math.max(getPriority(), 10));
await mkdir(KEPT, { recursive: true });
const files = asked.file ?? (await filesAsked());
const rooms = ROOMS.filter((room) =>
  files === undefined ? (asked.room?.includes(room) ?? true) : files.some((file) => isOf(room, file)),
);
// With nothing to try but `--write`, the page is written from what is known.
const isOnlyWriting = asked.write && asked.room === undefined && files === undefined;
if (!isOnlyWriting) for (const room of rooms) await tryMutants(room);

const known = await readKept();
for (const line of makeTable(known)) console.log(line);
const unexplained = findUnexplained(known, SURVIVORS);
console.log(`${unexplained.length} survivors without a reason`);
for (const line of unexplained) console.log(`  ${line}`);
const unneeded = findUnneeded(known, SURVIVORS);
console.log(`${unneeded.length} reasons that nothing needs`);
for (const line of unneeded) console.log(`  ${line}`);
const short = findShort(known, AIMED_FOR);
for (const line of short) console.log(line);
if (unexplained.length > 0 || unneeded.length > 0 || short.length > 0) process.exitCode = 1;
if (asked.write)
  await writeFile(PAGE, updatePage(await readFile(PAGE, "utf8"), { mutants: known, reasons: SURVIVORS }));

/** The files that a slice or a revision means; undefined where neither is given, which means all. */
async function filesAsked(): Promise<readonly string[] | undefined> {
  if (asked.slice !== undefined) return filesOf(parseSlice(asked.slice));
  return asked.since === undefined ? undefined : changedSince(asked.since);
}

async function filesOf(slice: Slice): Promise<readonly string[]> {
  const listed = execFileSync("git", ["ls-files", ...ROOMS.map((room) => `src/${room}/*.ts`)], {
    encoding: "utf8",
  });
  const sized = listed
    .trim()
    .split("\n")
    .map(async (file) => ({ file, lines: (await readFile(file, "utf8")).split("\n").length }));
  return takeSlice(await Promise.all(sized), slice);
}

function changedSince(revision: string): readonly string[] {
  return execFileSync("git", ["diff", "--name-only", "--diff-filter=d", revision, "--", "src"], {
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file.endsWith(".ts"));
}

async function tryMutants(room: string): Promise<void> {
  process.env["VOLLEY_ROOM"] = room;
  const name = toFileName(room);
  const report = `${KEPT}/report-${name}.json`;
  const incremental = `${KEPT}/incremental-${name}${asked.static ? "-static" : ""}.json`;
  if (asked.anew)
    for (const path of [incremental, `${KEPT}/slow-${name}.json`]) await rm(path, { force: true });
  const mutate = (files ?? filesIn(room)).filter((file) => isOf(room, file) && file.endsWith(".ts"));
  await new Stryker({
    mutate,
    testRunner: "in-process",
    plugins: [fileURLToPath(new URL("in-process-runner.ts", import.meta.url))],
    coverageAnalysis: "perTest",
    ignoreStatic: !asked.static,
    concurrency: Number(asked.workers),
    // Modules cannot be given back: a process that has loaded many sets of them makes room for another.
    maxTestRunnerReuse: asked.static ? 60 : 400,
    // A limit for mutants that hang without giving up their turn; the runner itself notices those that only never end.
    timeoutMS: 4_000,
    dryRunTimeoutMinutes: 60,
    incremental: true,
    incrementalFile: incremental,
    tempDirName: `${KEPT}/sandbox-${name}`,
    // Stryker would read it with another TypeScript than ours.
    tsconfigFile: "none",
    // Node looks at no types, and a test compares a source with what is written anew.
    disableTypeChecks: false,
    ignorePatterns: [
      "/.git",
      "/dist",
      "/docs",
      "node_modules",
      "test/browser",
      "lab/fuzz",
      "lab/mutation",
      "test/sdks/node_modules",
    ],
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: report },
    allowConsoleColors: false,
  }).runMutationTest();
  const reported = readMutants(JSON.parse(await readFile(report, "utf8")) as Report);
  await keep(room, replaceTried(await readJson(`${KEPT}/${name}.json`), reported, mutate));
}

/** Keep what is known of a room's mutants, but for files that are gone. */
async function keep(room: string, all: MutantsOfFiles): Promise<void> {
  const there = filesIn(room).filter((file) => all[file] !== undefined);
  const path = `${KEPT}/${toFileName(room)}.json`;
  await writeFile(path, JSON.stringify(Object.fromEntries(there.map((file) => [file, all[file]!]))));
}

function filesIn(room: string): readonly string[] {
  const args = ["ls-files", "-co", "--exclude-standard", `src/${room}`];
  return execFileSync("git", args, { encoding: "utf8" }).split("\n");
}

async function readKept(): Promise<MutantsOfFiles> {
  const kept = await Promise.all(ROOMS.map((room) => readJson(`${KEPT}/${toFileName(room)}.json`)));
  return Object.assign({}, ...kept) as MutantsOfFiles;
}

async function readJson(path: string): Promise<MutantsOfFiles> {
  return readFile(path, "utf8").then(
    (text) => JSON.parse(text) as MutantsOfFiles,
    () => ({}),
  );
}
