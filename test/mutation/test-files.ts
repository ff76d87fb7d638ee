/** Which tests may kill a mutant, and what is known of them from the run without one. */
import { glob, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

/** The core's tests that pass a room. None has sockets: those of the harness and of workerd are too slow for thousands of runs. */
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
    "test/{run,approve,flows,observe,gate}/*.test.ts",
    "test/executor{,-cache,-confirmations,-properties}.test.ts",
    "test/answer/{recall-results,shape-outcomes}.test.ts",
    "test/catalog/mcp/call-in-batch.test.ts",
    "test/egress/{public-hosts,upstream-health}.test.ts",
    "test/tools/events/deliver-event.test.ts",
  ],
  agent: [
    "test/agent/**/*.test.ts",
    "test/formats/orchestration-answer.test.ts",
    "test/sdks/core/{messages-relay,provider-error}.test.ts",
  ],
};
/** Not among them: what is about how time grows with megabytes, or plays ten thousand histories. */
const LEFT_OUT_TITLES =
  /of a megabyte|hundred thousand|copied once|in proportion to the text|linear time|a million/;
const LEFT_OUT = ["test/state/lease-properties.test.ts", "test/agent/ask-model-bounds.test.ts"];

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

/** Whether a test is among those that are left out. */
export function isLeftOut(title: string): boolean {
  return LEFT_OUT_TITLES.test(title);
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

const KNOWN = "known-tests.json";

export async function writeKnown(known: Readonly<Record<string, KnownTest>>): Promise<void> {
  await writeFile(join(process.cwd(), KNOWN), JSON.stringify(known));
}

/** Nothing is known before the first run. */
export async function readKnown(): Promise<Readonly<Record<string, KnownTest>>> {
  return readFile(join(process.cwd(), KNOWN), "utf8").then(
    (text) => JSON.parse(text) as Readonly<Record<string, KnownTest>>,
    () =>
      readFile("../known-tests.json", "utf8").then(
        (t) => JSON.parse(t),
        () => ({}),
      ),
  );
}

export function inRepository(path: string): string {
  return relative(process.cwd(), path);
}
