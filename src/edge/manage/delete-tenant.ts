import * as z from "zod";

import { type FileHead, type WorkspaceMethods, WORKSPACES } from "../../contract/gate/workspace.ts";
import { lazySchema, type Written } from "../../contract/lazy-schema.ts";
import { LIMITS } from "../../contract/limits.ts";
import { makeRefusal } from "../../contract/refusal.ts";
import { err, ok } from "../../kit/result.ts";
import { visibleText } from "../../kit/visible-text.ts";
import { askGate } from "../http/ask-gate.ts";
import { readRequest } from "../http/read-request-body.ts";
import type { RequestContext } from "../http/request-context.ts";
import { respondJson } from "../http/respond.ts";
import type { Endpoint } from "../openapi/endpoint.ts";
import { UNMANAGED } from "./keys.ts";
import { refuseUnmanaged } from "./manage-tools.ts";

type Bucket = Pick<R2Bucket, "list" | "delete">;

interface Workspaces {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId): {
    heads(under: string): Promise<FileHead[]>;
    change(
      changes: Parameters<WorkspaceMethods["change"]>[0],
    ): Promise<ReturnType<WorkspaceMethods["change"]>>;
  };
}

/**
 * `POST /v1/tenant/delete`: delete what this deployment keeps of the caller's tenant. Its name stands in the body again, because
 * nothing brings back what is deleted.
 *
 * Files and kept objects go first and the keys last, so whoever is broken off can send the same request again. Each part can be
 * deleted twice.
 */
export const deleteTenant: Endpoint = {
  route: "POST /v1/tenant/delete",
  runsNothing: true,
  async handle(request, context) {
    const { caller, gate, keys, requestId } = context;
    if (caller.manageKeys !== true) return err(UNMANAGED);
    const forbidden = refuseUnmanaged(context);
    if (forbidden !== null) return err(forbidden);
    const body = await readRequest(request, deleteSchema());
    if (!body.ok) return body;
    const { tenant } = body.value.parsed;
    if (tenant !== caller.tenant) {
      const received = `'${visibleText(tenant)}'`;
      const expected = `'${caller.tenant}', the tenant of the key`;
      const hint = `/tenant: expected ${expected}, received ${received}; nothing was deleted.`;
      return err(makeRefusal("INVALID_REQUEST", hint, { issue: { path: "/tenant", expected, received } }));
    }
    const made = keys.made === null ? null : await keys.made();
    const done = await askGate(async (): Promise<Written<typeof deletedSchema>> => {
      const objects = await deleteObjects(context);
      const files = await deleteFiles(context);
      await gate.erase();
      // Whoever has to ask again may ask with one of them.
      const forgotten = objects.more_objects ? 0 : await made?.shards.forget(tenant);
      return { tenant, ...objects, files, keys: forgotten ?? 0 };
    }, "Some of it may be deleted, and some is not; send the same request again.");
    return done.ok ? ok(respondJson(JSON.stringify(done.value), requestId)) : done;
  },
  describe: () => ({
    id: "deleteTenant",
    summary:
      "Delete what is kept of the tenant: jobs, results, questions, tools, flows, files, objects, keys",
    tag: "Tenant",
    body: { schema: deleteSchema(), example: { tenant: "acme" } },
    answer: { description: "It is gone, but for what `more_objects` says", schema: deletedSchema() },
    refusals: ["FORBIDDEN", "INVALID_REQUEST"],
  }),
};

const deleteSchema = lazySchema(() =>
  z
    .strictObject({ tenant: z.string().describe("The tenant of the key that asks, written out") })
    .meta({ id: "DeleteTenant" }),
);

const deletedSchema = lazySchema(() =>
  z
    .strictObject({
      tenant: z.string(),
      objects: z.int().min(0).describe("Objects of the bucket that were deleted"),
      more_objects: z.boolean().describe("There are more; send the same request again"),
      files: z.int().min(0).describe("Files of the workspace that were deleted"),
      keys: z
        .int()
        .min(0)
        .describe("Names that keys were kept under; those of VOLLEY_KEYS are the operator's"),
    })
    .meta({ id: "DeletedTenant" }),
);

/** Delete the tenant's objects in the bucket, as many as one request may. */
async function deleteObjects({
  ports,
  caller,
}: RequestContext): Promise<{ objects: number; more_objects: boolean }> {
  const bucket = ports.binding("OBJECTS") as Bucket | undefined;
  if (bucket === undefined) return { objects: 0, more_objects: false };
  let objects = 0;
  while (objects < LIMITS.objectsDeleted) {
    const page = await bucket.list({ prefix: `${caller.tenant}/` });
    if (page.objects.length === 0) return { objects, more_objects: false };
    await bucket.delete(page.objects.map(({ key }) => key));
    objects += page.objects.length;
    if (!page.truncated) return { objects, more_objects: false };
  }
  return { objects, more_objects: true };
}

/** Delete the files of the tenant's workspace, where there are workspaces. */
async function deleteFiles({ ports, caller }: RequestContext): Promise<number> {
  const namespace = ports.binding(WORKSPACES) as Workspaces | undefined;
  if (namespace === undefined) return 0;
  const workspace = namespace.get(namespace.idFromName(caller.tenant));
  const files = await workspace.heads("");
  if (files.length > 0) await workspace.change(files.map(({ path }) => ({ path, content: null })));
  return files.length;
}
