import { fileURLToPath } from "node:url";

import { type ForkedServer, forkServer } from "./fork-server.ts";

export type Upstream = ForkedServer;

/** Run one of the bench's upstreams in its own process and wait until it listens. */
export async function startUpstream(
  file: "upstream.ts" | "agent-model.ts" = "upstream.ts",
): Promise<Upstream> {
  return forkServer(fileURLToPath(new URL(file, import.meta.url)));
}
