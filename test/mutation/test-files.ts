/** Which tests may kill a mutant, and what is known of them from the run without one. */
import { glob, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

/**
 * The core's tests that pass a room. None has sockets: those of the harness and of workerd are too slow for thousands of runs. Left out are
 * also a few that are about how time or memory grows with megabytes.
 */
const KILLERS: Readonly<Record<string, readonly string[]>> = {
  plan: [
    "test/{plan,gate,approve,flows}/*.test.ts",
    "test/executor{,-cache,-confirmations,-properties}.test.ts",
    "test/run/{reads,run-loop,run-plan,demotion}.test.ts",
    "test/catalog/mcp/call-in-batch.test.ts",
    "test/formats/orchestration-answer.test.ts",
  ],
  state: ["test/{state,gate,approve}/*.test.ts"],
  run: [
    "test/{run,approve,flows,observe}/*.test.ts",
    "test/executor{,-cache,-confirmations,-properties}.test.ts",
    "test/answer/{recall-results,shape-outcomes}.test.ts",
    "test/catalog/mcp/call-in-batch.test.ts",
    "test/egress/public-hosts.test.ts",
  ],
  agent: ["test/agent/**/*.test.ts", "test/formats/orchestration-answer.test.ts"],
};
const LEFT_OUT = [
  "test/state/lease-properties.test.ts",
  "test/agent/ask-model-bounds.test.ts",
  "test/agent/dialect/event-splitter.test.ts",
];

/** What a test took without a mutant, and the files of `src` that it passed. */
export interface KnownTest {
  readonly ms: number;
  readonly passes: readonly string[];
}

/** Find the files of a room's tests, as paths in the repository, in one order. */
export async function findTestFiles(room: string): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const file of glob(KILLERS[room] ?? [], { exclude: LEFT_OUT })) files.push(file);
  return files.sort();
}

/** Which file each mutant is in, by what the instrumented sources under `src` say. */
export async function findMutants(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const file of glob("src/**/*.ts")) {
    const text = await readFile(file, "utf8");
    for (const [, id] of text.matchAll(/stryMutAct_\w+\("(\d+)"\)/g)) found.set(id!, file);
  }
  return found;
}

const KNOWN = "../known-tests.json";

export async function writeKnown(known: Readonly<Record<string, KnownTest>>): Promise<void> {
  await writeFile(join(process.cwd(), KNOWN), JSON.stringify(known));
}

/** Nothing is known before the first run. */
export async function readKnown(): Promise<Readonly<Record<string, KnownTest>>> {
  return readFile(join(process.cwd(), KNOWN), "utf8").then(
    (text) => JSON.parse(text) as Readonly<Record<string, KnownTest>>,
    () => ({}),
  );
}

export function inRepository(path: string): string {
  return relative(process.cwd(), path);
}
