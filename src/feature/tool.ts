/** Tools and what became of their calls: contracts, outcomes, batches, jobs. */

import type { Outcome } from "../core/contract/outcome.ts";
import type { Plan, Step } from "../core/plan/step.ts";

export type { TokenCounter } from "../core/answer/estimate-tokens.ts";
export {
  checkFields,
  type ContractField,
  type FieldFlaw,
  type ToolsByName,
} from "../core/catalog/contract-field.ts";
export { ALIASES, BATCH_TOOL, invocationSchema } from "../core/catalog/alias.ts";
export type { Catalog } from "../core/catalog/catalog.ts";
export { defineTool, type Tool } from "../core/catalog/define-tool.ts";
export { ToolFailure } from "../core/catalog/tool-failure.ts";
export { hideNames, inputSchema, sayFields, toolSchema } from "../core/catalog/tool-schema.ts";
export { sayUnknownTool } from "../core/catalog/unknown-tool.ts";
export { BATCH_BOUNDS, parseBatch } from "../core/contract/batch.ts";
export { type Orchestration, orchestrationSchema } from "../core/contract/orchestration.ts";
export { isVisible } from "../core/catalog/tool-head.ts";
export type { KeptTool } from "../core/contract/gate/kept-tool.ts";
export {
  type ChangeRefusal,
  type FileChange,
  type FileHead,
  type FilesRead,
  type WorkspaceFile,
  type WorkspaceMethods,
  WORKSPACES,
} from "../core/contract/gate/workspace.ts";
export {
  bytesWaiting,
  queryCharacters,
  workspaceBytes,
  workspaceFileBytes,
  workspaceFiles,
  workspaceFirstBytes,
} from "../core/contract/limits.ts";
export { isTrouble, JOB_STATUSES, type JobRecord } from "../core/contract/gate/job.ts";
export { walkJobs } from "../core/contract/gate/job-query.ts";
export type { Remote } from "../core/contract/gate/tenant-gate-methods.ts";
export type { Outcome } from "../core/contract/outcome.ts";
export type { RunListener, SeenBatch } from "../core/observe/seen.ts";
export { nameOf, Watch } from "../core/observe/watch.ts";

/** Whether what is kept is a flow: no declaration of a tool has that field. */
export function isFlow({ json }: { readonly json: string }): boolean {
  return Object.hasOwn(JSON.parse(json) as object, "flow");
}

/** Put what ran among what is answered without being run. @param order all actions of the answer, those that ran by their ids */
export function mergeAnswered(
  order: readonly (string | readonly [Step, Outcome])[],
  { steps, ...plan }: Plan,
  outcomes: readonly Outcome[],
): { readonly plan: Plan; readonly outcomes: readonly Outcome[] } {
  const places = new Map(order.map((one, at) => [typeof one === "string" ? one : one[0].id, at]));
  const placesOf = (indexes: readonly number[]): readonly number[] =>
    indexes.flatMap((index) => places.get(steps[index]!.id) ?? []);
  const merged = order.map((one, index): readonly [Step, Outcome] => {
    if (typeof one !== "string") return [{ ...one[0], index }, one[1]];
    const at = steps.findIndex(({ id }) => id === one);
    const step = steps[at]!;
    return [
      { ...step, index, needs: placesOf(step.needs), after: placesOf(step.after), edges: [] },
      outcomes[at]!,
    ];
  });
  return {
    plan: { ...plan, steps: merged.map(([step]) => step) },
    outcomes: merged.map(([, outcome]) => outcome),
  };
}
