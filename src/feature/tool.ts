/** Tools and what became of their calls: contracts, outcomes, batches, jobs. */

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
