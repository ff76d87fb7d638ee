import { WORKSPACES } from "../../feature/tool.ts";
import { defineFeature } from "../../feature/define.ts";
import { createWorkspace } from "./objects/workspace-object.ts";

/** The files of each tenant, in an object of the class `Workspace`, bound as `WORKSPACES`, for the tools that read and write them. */
export function workspace() {
  return defineFeature({
    name: "workspace",
    bindings: [WORKSPACES],
    objects: { Workspace: { binding: WORKSPACES, isOfTenant: true, create: () => createWorkspace() } },
  });
}
