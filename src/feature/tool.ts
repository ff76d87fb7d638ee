/** Tools, their contracts and the catalog. */

export type { TokenCounter } from "../core/answer/estimate-tokens.ts";
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
