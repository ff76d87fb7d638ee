/** Tools and what became of their calls: contracts, outcomes, batches, jobs. */

export type { TokenCounter } from "../core/answer/estimate-tokens.ts";
export type { ContractField, FieldFlaw, ToolsByName } from "../core/catalog/contract-field.ts";
export type { Tool } from "../core/catalog/define-tool.ts";
export { isVisible } from "../core/catalog/tool-head.ts";
export { isFlow, type KeptTool } from "../core/contract/gate/kept-tool.ts";
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
  workspaceBytes,
  workspaceFileBytes,
  workspaceFiles,
  workspaceFirstBytes,
} from "../core/contract/limits.ts";
export { objectKey } from "../core/kit/object-key.ts";
export { isTrouble, JOB_STATUSES, type JobRecord } from "../core/contract/gate/job.ts";
export { walkJobs } from "../core/contract/gate/job-query.ts";
export type { Remote } from "../core/contract/gate/tenant-gate-methods.ts";
export type { Outcome } from "../core/contract/outcome.ts";
export { isCall } from "../core/gate/state/outbox.ts";
export type { RunListener, SeenBatch } from "../core/observe/seen.ts";
export { nameOf, Watch } from "../core/observe/watch.ts";
