import { expect, test } from "vitest";

import * as LIMITS from "../../../src/core/contract/limits.ts";
import { makeDeletion } from "../../../src/features/tenant-data/http/delete-tenant.ts";
import type { TenantPart } from "../../../src/core/edge/feature.ts";
import type { RequestContext } from "../../../src/core/edge/http/request-context.ts";

/** A bucket that lists a page of what has a prefix, as R2 does. */
function fillBucket(keys: readonly string[]) {
  const kept = new Set(keys);
  const bucket = {
    list({ prefix }: { readonly prefix: string }) {
      const found = [...kept].filter((key) => key.startsWith(prefix));
      const objects = found.slice(0, 1_000).map((key) => ({ key }));
      return Promise.resolve({ objects, truncated: found.length > objects.length });
    },
    delete(gone: readonly string[]) {
      for (const key of gone) kept.delete(key);
      return Promise.resolve();
    },
  };
  return { bucket, kept };
}

async function deleteAcme(
  bucket: unknown,
  parts: readonly TenantPart[] = [],
): Promise<Record<string, unknown>> {
  const context = {
    caller: { name: "admin", tenant: "acme", tools: ["*"], manageKeys: true, manageTools: true },
    gate: { erase: () => Promise.resolve(1) },
    ports: { binding: (name: string) => (name === "OBJECTS" ? bucket : undefined) },
    requestId: "request-1",
  } as unknown as RequestContext;
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ tenant: "acme" });
  const request = new Request("https://volley.test/v1/tenant/delete", { method: "POST", headers, body });
  const answer = await makeDeletion(parts).handle(request, context, "");
  if (!answer.ok) throw new Error(answer.error.hint);
  return (await answer.value.json()) as Record<string, unknown>;
}

const objectsOf = (tenant: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${tenant}/${String(at).padStart(5, "0")}.txt`);

test("deleting a tenant deletes its objects on every page of the bucket, and none of a tenant whose name begins as its", async () => {
  const others = [...objectsOf("acme-2", 3), ...objectsOf("acme2", 1), ...objectsOf("other", 1)];
  const { bucket, kept } = fillBucket([...objectsOf("acme", 2_001), ...others]);
  expect(await deleteAcme(bucket)).toMatchObject({ objects: 2_001, more_objects: false });
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
