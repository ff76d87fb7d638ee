import type { JsonObject } from "../../src/core/contract/json.ts";
import { compareFlows, type Comparison, type Difference, type Flows } from "./compare-flows.ts";
import { readFlowsFile, writeFlowsFile } from "./flows-file.ts";
import type { FlowIssue, FlowRefusal, FlowsClient, ListedFlow } from "./flows-client.ts";

/** The parts that the three commands work on. */
export interface FlowsWork {
  readonly client: FlowsClient;
  /** Where the file is, and what it is called in sentences. */
  readonly file: { readonly path: string; readonly shown: string };
  /** Whether flows that are not in the file are deleted. */
  readonly prune: boolean;
  readonly tell: FlowsTeller;
}

/** Hears what there is to say of flows, in the order of its happening. */
export interface FlowsTeller {
  /** @param kept why a flow that the file does not have stays; empty where it goes */
  difference(difference: Difference, kept: string): void;
  refusal(name: string, refusal: FlowRefusal): void;
  broken(name: string, reason: string): void;
  issue(name: string, issue: FlowIssue): void;
  unchanged(count: number): void;
  /** The last sentence. */
  end(line: string): void;
}

/** The exit code for a shell: nothing to do, or done; a difference, or a refusal; an error. */
type ExitCode = 0 | 1 | 2;

/** Print what a push would do. */
export async function runDiff(work: FlowsWork): Promise<ExitCode> {
  const { comparison, listed, issues } = await compareWithFile(work);
  for (const difference of comparison.differences)
    work.tell.difference(difference, work.prune ? "" : KEPT_UNLESS_PRUNED);
  tellRest(comparison, { listed, issues }, work);
  return comparison.differences.length === 0 ? 0 : 1;
}

/** Put what differs, in the file's order, and print it as it happens. A refused flow does not hold up the others. */
export async function runPush(work: FlowsWork): Promise<ExitCode> {
  const { comparison, listed, issues } = await compareWithFile(work);
  const { differences } = comparison;
  const done = new Set<string>();
  let refused = 0;
  for (const difference of differences) {
    // A flow under a new name that was refused is not to be lost under its old one.
    const kept = refused > 0 ? KEPT_AFTER_REFUSAL : work.prune ? "" : KEPT_UNLESS_PRUNED;
    const stays = difference.kind === "gone" && kept !== "";
    const refusal = stays ? null : await push(difference, work.client, issues);
    if (refusal === null) {
      work.tell.difference(difference, kept);
      if (!stays) done.add(difference.name);
    } else {
      refused += 1;
      work.tell.refusal(difference.name, refusal);
    }
  }
  const untouched = listed.filter(({ name }) => !done.has(name));
  tellRest(comparison, { listed: untouched, issues }, work);
  if (refused > 0) work.tell.end(`Refused: ${refused} of ${differences.length}.`);
  return refused === 0 ? 0 : 1;
}

/** Write the deployment's flows into the file, and print what that changed in it. */
export async function runPull(work: FlowsWork): Promise<ExitCode> {
  const { client, file, tell } = work;
  const local = await readFlowsFile(file.path, file.shown);
  const listed = await client.list();
  const { flows: deployed, issues } = await showAll(
    listed.map(({ name }) => name),
    client,
  );
  const comparison = compareFlows(local ?? new Map<string, JsonObject>(), deployed);
  const isWritten = local === null || comparison.differences.length > 0;
  if (isWritten) {
    // An equal flow stays as its author wrote it: a review is to show only the changes.
    const flows = [...deployed].map(([name, flow]): [string, JsonObject] => [
      name,
      comparison.differences.some((difference) => difference.name === name)
        ? flow
        : (local?.get(name) ?? flow),
    ]);
    await writeFlowsFile(file.path, new Map(flows), file.shown);
  }
  for (const difference of comparison.differences) tell.difference(difference, "");
  tellRest(comparison, { listed, issues }, work);
  tell.end(isWritten ? `Wrote ${file.shown}.` : `${file.shown} is up to date.`);
  return 0;
}

/** Compare the deployed flows with the file, as the file would change them. */
async function compareWithFile({
  client,
  file,
}: FlowsWork): Promise<{ comparison: Comparison; listed: readonly ListedFlow[]; issues: Issues }> {
  const local = await readFlowsFile(file.path, file.shown);
  if (local === null)
    throw new Error(`There is no ${file.shown}; 'volley flows pull' writes it, '--file' names another.`);
  const listed = await client.list();
  const names = listed.map(({ name }) => name);
  const found = await showAll(
    names.filter((name) => local.has(name)),
    client,
  );
  // A flow that the file does not have is not compared, so it need not be read.
  const deployed = names.flatMap((name): [string, JsonObject][] => {
    const flow = local.has(name) ? found.flows.get(name) : {};
    return flow === undefined ? [] : [[name, flow]];
  });
  return { comparison: compareFlows(new Map(deployed), local), listed, issues: found.issues };
}

/** The issues of flows that are kept, by name. */
type Issues = Map<string, readonly FlowIssue[]>;

/** One after the other: a key's quota is not to be used up at once. */
async function showAll(
  names: readonly string[],
  client: FlowsClient,
): Promise<{ readonly flows: Flows; readonly issues: Issues }> {
  const flows = new Map<string, JsonObject>();
  const issues: Issues = new Map();
  for (const name of names) {
    const kept = await client.show(name);
    if (kept === null) continue;
    flows.set(name, kept.flow);
    issues.set(name, kept.issues);
  }
  return { flows, issues };
}

/** Push one difference. @param issues is told what there is to say of the flow by now */
async function push(
  difference: Difference,
  client: FlowsClient,
  issues: Issues,
): Promise<FlowRefusal | null> {
  const { name } = difference;
  if (difference.kind === "gone") {
    const deleted = await client.delete(name);
    return deleted.ok ? null : deleted.error;
  }
  const kept = await client.put(name, difference.flow);
  if (!kept.ok) return kept.error;
  issues.set(name, kept.value.issues);
  return null;
}

const KEPT_UNLESS_PRUNED = "stays; only push --prune deletes it";
const KEPT_AFTER_REFUSAL = "stays, because something was refused";

function tellRest(
  { unchanged }: Comparison,
  { listed, issues }: { readonly listed: readonly ListedFlow[]; readonly issues: Issues },
  { tell }: FlowsWork,
): void {
  for (const { name, broken } of listed) if (broken !== null) tell.broken(name, broken);
  for (const [name, found] of issues) for (const issue of found) tell.issue(name, issue);
  tell.unchanged(unchanged);
}
