import { createWorkspace } from "./objects/workspace.ts";
import { WORKSPACES } from "../../core/contract/gate/workspace.ts";
import type { Feature } from "../../cloudflare/feature.ts";

/** The files of each tenant, in an object of the class `Workspace`, bound as `WORKSPACES`, for the tools that read and write them. */
export function workspace(): Feature<{ readonly Workspace: ReturnType<typeof createWorkspace> }> {
  return {
    name: "workspace",
    bindings: [WORKSPACES],
    objects: { Workspace: { binding: WORKSPACES, migration: "v10", create: () => createWorkspace() } },
  };
}
