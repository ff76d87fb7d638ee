/** Numbers that bound this feature, each with its reason; the others are core's. */

export {
  bytesWaiting,
  workspaceBytes,
  workspaceFileBytes,
  workspaceFiles,
  workspaceFirstBytes,
} from "../../feature/tool.ts";

/** Bytes of files as they were before writes, of one tenant; the oldest go first. */
export const workspaceEarlierBytes = 256 * 1024 * 1024;
/** Days that a file is kept as it was before a write, unless `VOLLEY_RUNS_DAYS` keeps runs for others. */
export const workspaceEarlierDays = 7;
/** Bytes of a workspace that are under way to its object or from it together: two whole ones, and an object has 128 MB for several copies of them. */
export const workspaceUnderWayBytes = 24 * 1024 * 1024;
/** How long they wait for their turn: half of what a call has. */
export const workspaceWaitMs = 5_000;
/** When such a turn ends by itself: a whole workspace takes less to be sent. */
export const workspaceTurnMs = 3_000;
