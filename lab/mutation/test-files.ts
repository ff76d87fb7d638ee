/** Which tests may kill a mutant, and what is known of them from the run without one. */
import { glob, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { toFileName } from "./page.ts";

const EXECUTOR = "test/core/run/execute/executor{,-cache,-confirmations,-properties}.test.ts";
/**
 * The core's tests that pass a room, where those of its own folder are not all. None has sockets: those of the harness and of workerd are
 * too slow for thousands of runs. `edge` has the tests that run the real app and objects in Node.
 */
const KILLERS: Readonly<Record<string, readonly string[]>> = {
  "core/catalog": [
    "test/{core/catalog,core/plan,features/discovery}/**/*.test.ts",
    EXECUTOR,
    "test/core/run/verifications.test.ts",
    "test/features/added-tools/*.test.ts",
    "test/features/agent/offer-tools.test.ts",
    "test/package/{testing,declared-writes,exports}.test.ts",
  ],
  "core/plan": [
    "test/{core/plan,core/gate,features/confirmations,features/flows/run}/*.test.ts",
    EXECUTOR,
    "test/core/run/{reads,run-loop,run-plan,demotion}.test.ts",
    "test/features/added-tools/mcp/call-in-batch.test.ts",
    "test/features/orchestration/answer.test.ts",
  ],
  "core/gate/state": ["test/{core/gate/state,core/gate,features/confirmations}/*.test.ts"],
  "core/contract": [
    "test/{core/contract,core/plan,features/keys,core/gate,features/confirmations}/**/*.test.ts",
    EXECUTOR,
  ],
  "core/egress": [
    "test/core/egress/**/*.test.ts",
    "test/features/added-tools/{declared,mcp}/*.test.ts",
    EXECUTOR,
  ],
  "core/answer": ["test/core/answer/**/*.test.ts", "test/core/contract/wire-schemas.test.ts", EXECUTOR],
  turns: ["test/{turns,features/formats}/**/*.test.ts", "test/sdks/core/provider-turns.test.ts"],
  "core/observe": ["test/core/observe/**/*.test.ts", EXECUTOR],
  "core/gate": ["test/{core/gate,features/confirmations,core/run,features/flows/run}/**/*.test.ts", EXECUTOR],
  cloudflare: ["test/{package,mcp}/**/*.test.ts"],
  feature: ["test/features/{list,rights}.test.ts"],
  "core/run": [
    "test/{core/run,features/confirmations,features/flows/run,core/observe,core/gate}/*.test.ts",
    EXECUTOR,
    "test/core/answer/{recall-results,shape-outcomes}.test.ts",
    "test/features/added-tools/mcp/call-in-batch.test.ts",
    "test/core/egress/{public-hosts,upstream-health}.test.ts",
    "test/tools/events/deliver-event.test.ts",
  ],
  "core/run/execute": [
    "test/{core/run/execute,core/gate,features/flows/run}/*.test.ts",
    "test/features/orchestration/{answer,api,make-serial-plan,partition}.test.ts",
    "test/core/run/{demotion,run-admitted}.test.ts",
    "test/turns/*.test.ts",
    "test/features/agent/run-round.test.ts",
    "test/core/observe/*.test.ts",
  ],
  "features/added-tools": [
    "test/features/{added-tools,imports}/**/*.test.ts",
    "test/sdks/core/{probe-mcp,public-documents}.test.ts",
    "test/core/plan/check-early.test.ts",
    "test/core/catalog/list-arguments.test.ts",
    "test/package/{testing,declared-writes}.test.ts",
  ],
  "features/agent": ["test/features/{agent,discovery,formats}/**/*.test.ts", "test/sdks/core/*.test.ts"],
  "features/confirmations": [
    "test/features/{confirmations,flows/run}/**/*.test.ts",
    EXECUTOR,
    "test/core/run/execute/conditional-confirmations.test.ts",
    "test/features/connections/http/{park,park-doors}.test.ts",
    "test/features/mcp/http/questions.test.ts",
    "test/package/testing.test.ts",
  ],
  "features/discovery": [
    "test/features/{discovery,agent,formats}/**/*.test.ts",
    "test/sdks/core/{tool-list,model}.test.ts",
    "test/package/{testing,declared-writes}.test.ts",
  ],
  "features/flows": [
    "test/features/{flows,added-tools}/**/*.test.ts",
    "test/scripts/flows.test.ts",
    "test/package/testing.test.ts",
  ],
  "features/formats": [
    "test/features/formats/**/*.test.ts",
    "test/turns/*.test.ts",
    "test/sdks/core/provider-turns.test.ts",
  ],
  "features/imports": ["test/features/imports/**/*.test.ts", "test/sdks/core/public-documents.test.ts"],
  "features/keys": ["test/features/keys/**/*.test.ts", "test/package/testing.test.ts"],
  "features/tenant-data": ["test/features/{tenant-data,keys/http}/**/*.test.ts"],
  "features/mcp": ["test/features/mcp/**/*.test.ts", "test/turns/write-reply.test.ts"],
  "features/objects": ["test/app.test.ts"],
  "features/orchestration": ["test/features/orchestration/**/*.test.ts", "test/core/run/demotion.test.ts"],
};
/** Tests over HTTP, which have the sandbox's app and objects in this process. */
const OVER_HTTP: Readonly<Record<string, readonly string[]>> = {
  "features/confirmations": ["confirmations", "confirmation-list", "approvals"],
  "features/discovery": ["discovery"],
  "features/flows": ["flows", "run-flows", "flow-questions", "flow-rights", "hooks"],
  "features/formats": ["stream-turns"],
  "features/keys": ["keys", "narrowed-keys"],
  "features/mcp": ["mcp-tasks"],
  "features/tenant-data": ["tenant-data"],
};
/** Passes each feature of the list, those too that have no folder of tests. */
const ALL_FEATURES = "test/features/list.test.ts";
/** Pass the declaration of each feature, and what it says of its paths. */
const DECLARED = ["test/features/names.test.ts", "test/features/document/http/*.test.ts"];
/** Not among them: what is about how time grows with megabytes, or plays ten thousand histories. */
const LEFT_OUT_TITLES =
  /of a megabyte|over a megabyte|hundred thousand|copied once|in proportion to the text|linear time|a million/;
const LEFT_OUT = [
  "test/core/gate/state/lease-properties.test.ts",
  "test/features/agent/ask-model-bounds.test.ts",
  "test/features/imports/openapi/hostile-documents.test.ts",
  // It starts servers.
  "test/features/added-tools/mcp/official-servers.test.ts",
  // It sets the clock of the process.
  "test/features/added-tools/round-trips.test.ts",
];
/** Properties that count what their samples were. */
const ALL_SAMPLES = [
  "test/core/contract/fits.test.ts",
  "test/features/formats/batch-pairs.test.ts",
  "test/core/egress/read-cache.test.ts",
];

/** The time that a test took without a mutant, and the files of `src` that it passed. */
export interface KnownTest {
  readonly ms: number;
  readonly passes: readonly string[];
}

/** Find the files of a room's tests, as paths in the repository, in one order. */
export async function findTestFiles(room: string): Promise<readonly string[]> {
  const files: string[] = [];
  const isFeature = room.startsWith("features/");
  const own = KILLERS[room] ?? [`test/${room}/**/*.test.ts`, ...(isFeature ? [ALL_FEATURES] : [])];
  const all = isFeature ? [...own, ...DECLARED] : own;
  for await (const file of glob(all, { exclude: LEFT_OUT })) files.push(file);
  for (const name of OVER_HTTP[room] ?? []) files.push(`test/harness/${name}.test.ts`);
  return files.sort();
}

/** Whether a test, or a file of tests, needs a sandbox. */
export function isOverHttp(id: string): boolean {
  return id.startsWith("test/harness/");
}

/** Whether a test is among those that are left out. */
export function isLeftOut(title: string): boolean {
  return LEFT_OUT_TITLES.test(title);
}

/** Whether a file's properties have as many samples as they ask for. */
export function needsAllSamples(url: string | undefined): boolean {
  return ALL_SAMPLES.some((file) => url?.includes(`/${file}`));
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
      readFile("../../test/known-tests.json", "utf8").then(
        (t) => JSON.parse(t),
        () => ({}),
      ),
  );
}

export function inRepository(path: string): string {
  return relative(process.cwd(), path);
}

/** Kept outside of the copy that is tested, until everything is tried anew. */
const slowOf = (room: string): URL =>
  new URL(`../../dist/mutation/slow-${toFileName(room)}.json`, import.meta.url);

/** Read which tests of a room were too slow the last time: they are not run again only to be left out. */
export async function readSlow(room: string): Promise<Set<string>> {
  const ids = await readFile(slowOf(room), "utf8").then(
    (text) => JSON.parse(text) as string[],
    () => [],
  );
  return new Set(ids);
}

export async function writeSlow(room: string, ids: ReadonlySet<string>): Promise<void> {
  await writeFile(slowOf(room), JSON.stringify([...ids]));
}
