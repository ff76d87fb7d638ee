import type { Tool } from "../core/catalog/define-tool.ts";
import { bash } from "./workspace/bash.ts";
import { edit } from "./workspace/edit.ts";
import { glob } from "./workspace/glob.ts";
import { grep } from "./workspace/grep.ts";
import { memoryGet } from "./workspace/memory-get.ts";
import { memorySearch } from "./workspace/memory-search.ts";
import { read } from "./workspace/read.ts";
import { restoreFile } from "./workspace/restore-file.ts";
import { write } from "./workspace/write.ts";

/**
 * The tools of a workspace: files of each tenant's own. They need the Durable Object namespace `WORKSPACES`, `bash` and `grep` the
 * Worker Loader `LOADER` as well. Beside the others, so that a Worker without them does not carry their packs.
 */
export const WORKSPACE_TOOLS: readonly Tool[] = [
  read,
  write,
  edit,
  restoreFile,
  glob,
  grep,
  bash,
  memorySearch,
  memoryGet,
];
