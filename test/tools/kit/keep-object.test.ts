import { beforeAll, expect, test } from "vitest";

import * as LIMITS from "../../../src/tools/kit/limits.ts";
import { keepObject } from "../../../src/tools/kit/keep-object.ts";
import { type DataBindings, startDataBindings } from "../../support/data-bindings.ts";
import { FakeToolContext } from "../../support/fake-tool-context.ts";
import { trial } from "../../support/trial.ts";

const TABLE = { contentType: "text/csv; charset=utf-8", extension: "csv" };

let data: DataBindings;
beforeAll(async () => void (data = await startDataBindings()));

function contextOf(
  idempotencyKey: string,
  { tenant = "acme", bindings = data.bindings } = {},
): FakeToolContext {
  const tool = { hosts: [], secrets: [], bindings: ["OBJECTS"] };
  const answer = (): never => expect.fail("no request is sent");
  return new FakeToolContext(tool, { answer, bindings, idempotencyKey, caller: { tenant, key: "k" } });
}

test("keepObject() keeps what was made under its tenant, and says where it is read", async () => {
  const kept = await keepObject(contextOf("9f1c"), { ...TABLE, bytes: "é,b\r\n" });
  expect(kept).toEqual({
    object: "9f1c.csv",
    content_type: "text/csv; charset=utf-8",
    bytes: 6,
    url: "/v1/objects/9f1c.csv",
  });
  const object = await data.bucket.get("acme/9f1c.csv");
  expect(await object?.text()).toBe("é,b\r\n");
  expect(object?.httpMetadata).toEqual({ contentType: "text/csv; charset=utf-8" });
});

trial("keepObject() overwrites what an earlier attempt left", async () => {
  await keepObject(contextOf("again"), { ...TABLE, bytes: "one" });
  await keepObject(contextOf("again"), { ...TABLE, bytes: new TextEncoder().encode("two") });
  const { objects } = await data.bucket.list();
  expect(objects.filter(({ key }) => key.includes("again"))).toHaveLength(1);
  expect(await (await data.bucket.get("acme/again.csv"))?.text()).toBe("two");
});

trial(
  "keepObject() tells tenants, actions and elements of a loop apart, in names that are one segment of a path",
  async () => {
    await keepObject(contextOf("seed:a:1"), { ...TABLE, bytes: "1" });
    await keepObject(contextOf("seed:a:2"), { ...TABLE, bytes: "2" });
    const other = await keepObject(contextOf("seed:a:1", { tenant: "other" }), { ...TABLE, bytes: "3" });
    expect(other.url).toBe("/v1/objects/seed.a.1.csv");
    expect(await (await data.bucket.get("acme/seed.a.1.csv"))?.text()).toBe("1");
    expect(await (await data.bucket.get("acme/seed.a.2.csv"))?.text()).toBe("2");
  },
);

test("keepObject() keeps nothing that is too large", async () => {
  const bytes = new Uint8Array(LIMITS.objectBytes + 1);
  await expect(keepObject(contextOf("large"), { ...TABLE, bytes })).rejects.toMatchObject({
    failure: { code: "RESPONSE_TOO_LARGE", retryable: false },
  });
  expect(await data.bucket.get("acme/large.csv")).toBeNull();
});

test("keepObject() says that a bucket which fails may be tried again", async () => {
  const bindings = { OBJECTS: { put: () => Promise.reject(new Error("10001: internal")) } };
  await expect(keepObject(contextOf("a", { bindings }), { ...TABLE, bytes: "" })).rejects.toMatchObject({
    failure: { code: "UPSTREAM_ERROR", retryable: true, hint: expect.not.stringContaining("10001") },
  });
});

test("keepObject() says which binding is missing", async () => {
  const context = contextOf("a", { bindings: {} });
  await expect(keepObject(context, { ...TABLE, bytes: "" })).rejects.toMatchObject({
    failure: { code: "MISCONFIGURED", hint: expect.stringContaining("OBJECTS") },
  });
});
