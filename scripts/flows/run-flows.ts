import type { JsonObject } from "../../src/contract/json.ts";
import { compareFlows, type Comparison, type Difference, type Flows } from "./compare-flows.ts";
import { drawBroken, drawDifference, drawRefusal } from "./draw-difference.ts";
import { readFlowsFile, writeFlowsFile } from "./flows-file.ts";
import type { FlowRefusal, FlowsClient, ListedFlow } from "./flows-client.ts";

/** What the three commands work on. */
export interface FlowsWork {
  readonly client: FlowsClient;
  /** Where the file is, and what it is called in sentences. */
  readonly file: { readonly path: string; readonly shown: string };
  /** Whether flows that are not in the file are deleted. */
  readonly prune: boolean;
  readonly print: (line: string) => void;
  /** Of the terminal, in columns. */
  readonly width: number;
}

/** What a shell is told: nothing to do, or done; a difference; an error. */
export type ExitCode = 0 | 1 | 2;

/** Print what a push would do. */
export async function runDiff(work: FlowsWork): Promise<ExitCode> {
  const { comparison, listed } = await compareWithFile(work);
  for (const difference of comparison.differences)
    printDifference(difference, work, work.prune ? "" : KEPT_UNLESS_PRUNED);
  printRest(comparison, listed, work);
  return comparison.differences.length === 0 ? 0 : 1;
}

/** Put what differs, in the file's order, and print it as it happens. What is refused does not hold up the others. */
export async function runPush(work: FlowsWork): Promise<ExitCode> {
  const { comparison, listed } = await compareWithFile(work);
  const { differences } = comparison;
  const done = new Set<string>();
  let refused = 0;
  for (const difference of differences) {
    // A flow under a new name that was refused is not to be lost under its old one.
    const kept = refused > 0 ? KEPT_AFTER_REFUSAL : work.prune ? "" : KEPT_UNLESS_PRUNED;
    const refusal = difference.kind === "gone" && kept !== "" ? null : await push(difference, work.client);
    if (refusal === null) {
      printDifference(difference, work, kept);
      if (difference.kind !== "gone" || kept === "") done.add(difference.name);
    } else {
      refused += 1;
      for (const line of drawRefusal(difference.name, refusal, work.width)) work.print(line);
    }
  }
  const untouched = listed.filter(({ name }) => !done.has(name));
  printRest(comparison, untouched, work);
  if (refused > 0) work.print(`Refused: ${refused} of ${differences.length}.`);
  return refused === 0 ? 0 : 2;
}

/** Write the deployment's flows into the file, and print what that changed in it. */
export async function runPull(work: FlowsWork): Promise<ExitCode> {
  const { client, file, print } = work;
  const local = await readFlowsFile(file.path, file.shown);
  const listed = await client.list();
  const deployed = await showAll(
    listed.map(({ name }) => name),
    client,
  );
  const comparison = compareFlows(local ?? new Map<string, JsonObject>(), deployed);
  const isWritten = local === null || comparison.differences.length > 0;
  if (isWritten) {
    // What is equal stays as its author wrote it: only what changed is to be seen in a review.
    const flows = [...deployed].map(([name, flow]): [string, JsonObject] => [
      name,
      comparison.differences.some((difference) => difference.name === name)
        ? flow
        : (local?.get(name) ?? flow),
    ]);
    await writeFlowsFile(file.path, new Map(flows), file.shown);
  }
  for (const difference of comparison.differences) printDifference(difference, work, "");
  printRest(comparison, listed, work);
  print(isWritten ? `Wrote ${file.shown}.` : `${file.shown} is up to date.`);
  return 0;
}

/** What is there, as what is in the file would change it. */
async function compareWithFile({
  client,
  file,
}: FlowsWork): Promise<{ comparison: Comparison; listed: readonly ListedFlow[] }> {
  const local = await readFlowsFile(file.path, file.shown);
  if (local === null)
    throw new Error(`There is no ${file.shown}; 'npm run flows -- pull' writes it, '--file' names another.`);
  const listed = await client.list();
  const names = listed.map(({ name }) => name);
  const found = await showAll(
    names.filter((name) => local.has(name)),
    client,
  );
  // What the file does not have is not compared, so it need not be read.
  const deployed = names.flatMap((name): [string, JsonObject][] => {
    const flow = local.has(name) ? found.get(name) : {};
    return flow === undefined ? [] : [[name, flow]];
  });
  return { comparison: compareFlows(new Map(deployed), local), listed };
}

/** One after the other: a key's quota is not to be used up at once. */
async function showAll(names: readonly string[], client: FlowsClient): Promise<Flows> {
  const flows = new Map<string, JsonObject>();
  for (const name of names) {
    const flow = await client.show(name);
    if (flow !== null) flows.set(name, flow);
  }
  return flows;
}

async function push(difference: Difference, client: FlowsClient): Promise<FlowRefusal | null> {
  const { name } = difference;
  const done =
    difference.kind === "gone" ? await client.delete(name) : await client.put(name, difference.flow);
  return done.ok ? null : done.error;
}

const KEPT_UNLESS_PRUNED = "stays; only push --prune deletes it";
const KEPT_AFTER_REFUSAL = "stays, because something was refused";

/** @param kept why a flow that the file does not have stays; empty where it goes */
function printDifference(difference: Difference, { print, width }: FlowsWork, kept: string): void {
  const [head = "", ...rest] = drawDifference(difference, width);
  print(difference.kind === "gone" && kept !== "" ? `${head} (${kept})` : head);
  for (const line of rest) print(line);
}

function printRest(
  { unchanged }: Comparison,
  listed: readonly ListedFlow[],
  { print, width }: FlowsWork,
): void {
  for (const { name, broken } of listed)
    if (broken !== null) for (const line of drawBroken(name, broken, width)) print(line);
  print(`= ${unchanged} unchanged`);
}
