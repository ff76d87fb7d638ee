import { expect, test } from "vitest";

import * as LIMITS from "../../../../src/features/tenant-data/limits.ts";
import { makeDeletion } from "../../../../src/features/tenant-data/http/delete-tenant.ts";
import type { TenantPart } from "../../../../src/cloudflare/feature.ts";
import type { RequestContext } from "../../../../src/cloudflare/http/request-context.ts";

/** A bucket that lists a page of what has a prefix, as R2 does. */
function fillBucket(keys: readonly string[]) {
  const kept = new Set(keys);
  let lists = 0;
  const bucket = {
    list({ prefix }: { readonly prefix: string }) {
      lists += 1;
      const found = [...kept].filter((key) => key.startsWith(prefix));
      const objects = found.slice(0, 1_000).map((key) => ({ key }));
      return Promise.resolve({ objects, truncated: found.length > objects.length });
    },
    delete(gone: readonly string[]) {
      for (const key of gone) kept.delete(key);
      return Promise.resolve();
    },
  };
  return { bucket, kept, lists: () => lists };
}

interface Kept {
  readonly bucket?: unknown;
  readonly workspaces?: unknown;
  readonly parts?: readonly TenantPart[];
  readonly tenant?: string;
}

/** Ask for a deletion with a key of the tenant `acme`, and that name or another in the body. */
async function ask({ bucket, workspaces, parts = [], tenant = "acme" }: Kept) {
  const erased: string[] = [];
  const bindings: Readonly<Record<string, unknown>> = { OBJECTS: bucket, WORKSPACES: workspaces };
  const context = {
    caller: { name: "admin", tenant: "acme", tools: ["*"], flags: ["manage_keys", "manage_tools"] },
    gate: { erase: () => Promise.resolve(erased.push("gate")) },
    ports: { binding: (name: string) => bindings[name] },
    requestId: "request-1",
  } as unknown as RequestContext;
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ tenant });
  const request = new Request("https://volley.test/v1/tenant/delete", { method: "POST", headers, body });
  return { answer: await makeDeletion(parts).handle(request, context, ""), erased };
}

async function deleteAcme(
  bucket: unknown,
  parts: readonly TenantPart[] = [],
): Promise<Record<string, unknown>> {
  const { answer } = await ask({ bucket, parts });
  if (!answer.ok) throw new Error(answer.error.hint);
  return (await answer.value.json()) as Record<string, unknown>;
}

const objectsOf = (tenant: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${tenant}/${String(at).padStart(5, "0")}.txt`);

test("deleting a tenant deletes its objects on every page of the bucket, and none of a tenant whose name begins as its", async () => {
  const others = [...objectsOf("acme-2", 3), ...objectsOf("acme2", 1), ...objectsOf("other", 1)];
  const { bucket, kept, lists } = fillBucket([...objectsOf("acme", 2_001), ...others]);
  expect(await deleteAcme(bucket)).toMatchObject({ objects: 2_001, more_objects: false });
  expect(lists()).toBe(3);
  expect([...kept]).toEqual(others);
});

test("deleting a tenant with more objects than one request may delete says so, and goes on when it is asked again", async () => {
  const { bucket, kept } = fillBucket(objectsOf("acme", LIMITS.objectsDeleted + 1));
  expect(await deleteAcme(bucket)).toMatchObject({ objects: LIMITS.objectsDeleted, more_objects: true });
  expect(await deleteAcme(bucket)).toMatchObject({ objects: 1, more_objects: false });
  expect([...kept]).toEqual([]);
});

test("deleting a tenant erases the part of a feature when the last object is gone, and says how much it was", async () => {
  const { bucket, kept } = fillBucket(objectsOf("acme", LIMITS.objectsDeleted + 1));
  const left: number[] = [];
  const notes = {
    field: "notes",
    erase: () => Promise.resolve(left.push(kept.size) + 6),
  } as unknown as TenantPart;
  expect(await deleteAcme(bucket, [notes])).toMatchObject({ more_objects: true, notes: 0 });
  expect(await deleteAcme(bucket, [notes])).toMatchObject({ more_objects: false, notes: 7 });
  expect(left).toEqual([0]);
});

test("deleting a tenant wants its own name written out, and deletes nothing of any other", async () => {
  const { bucket, kept } = fillBucket([...objectsOf("acme", 1), ...objectsOf("acme-2", 1)]);
  for (const tenant of ["acme-2", "ACME", ""]) {
    const { answer, erased } = await ask({ bucket, tenant });
    expect(answer).toMatchObject({
      ok: false,
      error: { code: "INVALID_REQUEST", issue: { path: "/tenant" } },
    });
    expect([kept.size, erased]).toEqual([2, []]);
  }
});

test("deleting a tenant deletes the files of its workspace", async () => {
  const workspaces = {
    idFromName: (name: string) => name,
    get: (id: string) => ({ erase: () => Promise.resolve(id === "acme" ? 2 : 0) }),
  };
  const { answer, erased } = await ask({ workspaces });
  expect(answer.ok && (await answer.value.json())).toEqual({
    tenant: "acme",
    objects: 0,
    more_objects: false,
    files: 2,
  });
  expect(erased).toEqual(["gate"]);
});

test("what cannot be reached while a tenant is deleted is said, so that it is asked again", async () => {
  const broken = { list: () => Promise.reject(new Error("down")) };
  expect((await ask({ bucket: broken })).answer).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
});

test("deleting a tenant that has no objects asks the bucket to delete nothing, however the bucket ends its list", async () => {
  const { bucket } = fillBucket([]);
  const silent = { ...bucket, delete: () => Promise.reject(new Error("nothing was to be deleted")) };
  expect(await deleteAcme(silent)).toMatchObject({ objects: 0, more_objects: false });
  expect(await deleteAcme(undefined)).toMatchObject({ objects: 0, more_objects: false });
});
