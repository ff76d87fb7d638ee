import * as z from "zod/mini";

import { type WorkspaceMethods, WORKSPACES } from "../../../feature/tool.ts";
import { strictSchema, visibleText, type Written } from "../../../feature/schema.ts";
import { askGate, readRequest, type RequestContext, respondJson } from "../../../feature/answer.ts";
import type { Route } from "../../../feature/route.ts";
import { err, makeRefusal, ok } from "../../../feature/refuse.ts";
import type { TenantPart } from "../../../feature/define.ts";
import * as LIMITS from "../limits.ts";

type Bucket = Pick<R2Bucket, "list" | "delete">;

interface Workspaces {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId): {
    erase(): Promise<ReturnType<WorkspaceMethods["erase"]>>;
  };
}

/**
 * `POST /v1/tenant/delete`: delete what this deployment keeps of the caller's tenant. Its name stands in the body again, because
 * nothing brings back what is deleted.
 *
 * The gate goes first: what is under way asks it. The parts of features go last, keys among them, so a caller whose request broke off can
 * send it again. Each part can be deleted twice.
 */
export const makeDeletion = (parts: readonly TenantPart[]): Route => ({
  route: "POST /v1/tenant/delete",
  async handle(request, context) {
    const { caller, gate } = context;
    const body = await readRequest(request, deleteSchema());
    if (!body.ok) return body;
    const { tenant } = body.value.parsed;
    if (tenant !== caller.tenant) {
      const received = `'${visibleText(tenant)}'`;
      const expected = `'${caller.tenant}', the tenant of the key`;
      const hint = `/tenant: expected ${expected}, received ${received}; nothing was deleted.`;
      return err(makeRefusal("INVALID_REQUEST", hint, { issue: { path: "/tenant", expected, received } }));
    }
    const done = await askGate(async () => {
      await gate.erase();
      const objects = await deleteObjects(context);
      const files = await deleteFiles(context);
      const deleted: Record<string, number> = {};
      // The key that asks again may be one of a part.
      for (const { field, erase } of parts)
        if (erase !== undefined) deleted[field] = objects.more_objects ? 0 : await erase(context);
      return { tenant, ...objects, files, ...deleted } satisfies Written<typeof deletedSchema>;
    }, "Some of it may be deleted, and some is not; send the same request again.");
    return done.ok ? ok(respondJson(JSON.stringify(done.value))) : done;
  },
  describe: () => ({
    id: "deleteTenant",
    summary:
      "Delete what is kept of the tenant: jobs, results, questions, tools, flows, files, objects, keys",
    tag: "Tenant",
    body: { schema: deleteSchema(), example: { tenant: "acme" } },
    answer: { description: "It is gone, but for what `more_objects` says", schema: withParts(parts) },
    refusals: ["INVALID_REQUEST"],
  }),
});

const deleteSchema = strictSchema("DeleteTenant", () => ({
  tenant: z.string().check(z.describe("The tenant of the key that asks, written out")),
}));

const deletedSchema = strictSchema(() => ({
  tenant: z.string(),
  objects: z.int().check(z.minimum(0), z.describe("Objects of the bucket that were deleted")),
  more_objects: z.boolean().check(z.describe("There are more; send the same request again")),
  files: z.int().check(z.minimum(0), z.describe("Files of the workspace that were deleted")),
}));

/** The answer with the number of each part. */
function withParts(parts: readonly TenantPart[]): z.core.$ZodType {
  const counts = parts.flatMap(({ field, erased }) =>
    erased === undefined ? [] : [[field, z.int().check(z.minimum(0), z.describe(erased))] as const],
  );
  return z
    .extend(deletedSchema(), Object.fromEntries(counts))
    .register(z.globalRegistry, { id: "DeletedTenant" });
}

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
  return namespace.get(namespace.idFromName(caller.tenant)).erase();
}
