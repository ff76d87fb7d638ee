import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { digestKey, toHash } from "../../../../src/cloudflare/http/key-ring.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { document } from "../../../../src/features/document/index.ts";
import { keys } from "../../../../src/features/keys/index.ts";
import { makeKey } from "../../../../src/features/keys/stored-key.ts";
import { tenantData } from "../../../../src/features/tenant-data/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { documentedFetch } from "../../../support/documented-fetch.ts";
import { trial } from "../../../support/trial.ts";

/** Keys of the form that made ones have, the same in every run. */
const KEYS = [1, 2, 3, 4].map((n) => makeKey(new Uint8Array(32).fill(n)));
const HASHES = await Promise.all(KEYS.map(async (key) => toHash(await digestKey(key))));

const OTHERS_HASH = toHash(await digestKey("other"));

interface Answered {
  readonly status: number;
  /** The one that it drew from. */
  readonly allowance: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A deployment with two tenants, and those who may make keys of them. */
async function deploy() {
  const volley = await createTestVolley({
    tools: [],
    features: [discovery(), addedTools(), keys(), tenantData(), document()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "maker", tenant: "acme", flags: ["manage_keys", "manage_tools"] },
        other: { name: "maker", tenant: "acme-2", flags: ["manage_keys", "manage_tools"] },
        plain: { name: "plain", tenant: "acme" },
      }),
    },
  });
  const fetch = await documentedFetch(volley);
  const send = async (
    method: string,
    path: string,
    { by = "test-key", body }: { readonly by?: string; readonly body?: object } = {},
  ): Promise<Answered> => {
    const response = await fetch(path, {
      method,
      headers: { authorization: `Bearer ${by}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const allowance = /^"(\w+)"/.exec(response.headers.get("ratelimit") ?? "")?.[1];
    return {
      status: response.status,
      allowance,
      body: text === "" ? {} : (JSON.parse(text) as Answered["body"]),
    };
  };
  const make = (body: object, by?: string) =>
    send("POST", "/v1/keys", { body, ...(by !== undefined && { by }) });
  const statusOf = async (at: number): Promise<number> => {
    await volley.advance(LIMITS.keySeenMs);
    return (await send("GET", "/v1/jobs", { by: KEYS[at]! })).status;
  };
  return { volley, send, make, statusOf };
}

describe("A key that is made while the Worker runs", () => {
  trial(
    "T01 is a key until it is revoked or its time is over, and its name is listed without it",
    async () => {
      const { volley, send, make, statusOf } = await deploy();
      expect(await statusOf(0)).toBe(401);
      const made = await make({ name: "nightly", tools: ["*"], hash: HASHES[0] });
      expect(made).toMatchObject({ status: 201, body: { name: "nightly", tools: ["*"], flags: [] } });
      expect(made.body).not.toHaveProperty("key");
      expect(await statusOf(0)).toBe(200);
      const until = new Date(volley.now() + 3_600_000).toISOString();
      await make({ name: "short", tools: ["discover_tools"], hash: HASHES[1], expires_at: until });
      expect(await statusOf(1)).toBe(200);
      const listed = await send("GET", "/v1/keys");
      expect(listed.body).toMatchObject({
        keys: [
          { name: "short", tools: ["discover_tools"], expires_at: until },
          { name: "nightly", expires_at: null },
        ],
        configured: [{ name: "maker" }, { name: "plain" }],
        next_cursor: null,
      });
      expect(JSON.stringify(listed.body)).not.toContain(HASHES[0]);
      expect(await statusOf(0)).toBe(200);
      expect((await send("DELETE", "/v1/keys/nightly")).status).toBe(204);
      // The isolate that revokes it knows so at once.
      expect((await send("GET", "/v1/jobs", { by: KEYS[0]! })).status).toBe(401);
      expect(await statusOf(0)).toBe(401);
      expect((await send("DELETE", "/v1/keys/nightly")).status).toBe(404);
      await volley.advance(3_600_000);
      expect(await statusOf(1)).toBe(401);
      expect((await send("GET", "/v1/keys")).body["keys"]).toEqual([]);
    },
  );

  trial(
    "T01 is followed by another of its name, beside which it goes on for the overlap and no longer",
    async () => {
      const { volley, send, make, statusOf } = await deploy();
      await make({ name: "turning", tools: ["*"], hash: HASHES[0] });
      expect((await make({ name: "turning", hash: HASHES[1], overlap_s: 600 })).status).toBe(201);
      expect([await statusOf(0), await statusOf(1)]).toEqual([200, 200]);
      await volley.advance(600_000);
      expect([await statusOf(0), await statusOf(1)]).toEqual([401, 200]);
      await make({ name: "turning", hash: HASHES[2], overlap_s: 0 });
      expect((await send("GET", "/v1/jobs", { by: KEYS[1]! })).status).toBe(401);
      expect([await statusOf(1), await statusOf(2)]).toEqual([401, 200]);
    },
  );

  trial(
    "T01 is refused where its name, its digest or its rights are taken, too many or another's",
    async () => {
      const { send, make, statusOf } = await deploy();
      await make({ name: "first", tools: ["*"], hash: HASHES[0] });
      for (const [body, status, code] of [
        [{ name: "first", tools: ["*"], hash: HASHES[1] }, 409, "NAME_TAKEN"],
        [{ name: "plain", tools: ["*"], hash: HASHES[1] }, 409, "NAME_TAKEN"],
        [{ name: "second", tools: ["*"], hash: HASHES[0] }, 422, "INVALID_REQUEST"],
        // A digest of VOLLEY_KEYS, another tenant's even.
        [{ name: "second", tools: ["*"], hash: OTHERS_HASH }, 422, "INVALID_REQUEST"],
        [{ name: "second", hash: HASHES[1] }, 422, "INVALID_REQUEST"],
        [{ name: "second", hash: HASHES[1], overlap_s: 5 }, 404, "NOT_FOUND"],
        [{ name: "second", tools: ["*"], hash: HASHES[1], tenant: "acme-2" }, 403, "FORBIDDEN"],
        [{ name: "second", tools: ["*"], hash: HASHES[1], flags: ["skip_approval"] }, 403, "FORBIDDEN"],
        [
          { name: "second", tools: ["*"], hash: HASHES[1], quota: { limit: 100_000, window_s: 1 } },
          403,
          "FORBIDDEN",
        ],
      ] as const)
        expect([body, await make(body)]).toMatchObject([body, { status, body: { code } }]);
      expect(await statusOf(1)).toBe(401);
      expect(await statusOf(0)).toBe(200);
      for (const by of ["plain", KEYS[0]!])
        expect((await make({ name: "third", tools: ["*"], hash: HASHES[1] }, by)).status).toBe(403);
      expect((await send("DELETE", "/v1/keys/plain")).status).toBe(404);
      // Another tenant has names of its own.
      expect((await make({ name: "first", tools: ["*"], hash: HASHES[1] }, "other")).status).toBe(201);
      expect((await send("DELETE", "/v1/keys/first", { by: "other" })).status).toBe(204);
      expect(await statusOf(0)).toBe(200);
    },
  );

  trial("is listed page by page, the newest first", async () => {
    const { volley, send, make } = await deploy();
    for (const [at, hash] of HASHES.entries()) {
      await make({ name: `key-${at}`, tools: ["*"], hash });
      await volley.advance(1_000);
    }
    const names = ({ body }: Answered) =>
      (body["keys"] as { readonly name: string }[]).map(({ name }) => name);
    const first = await send("GET", "/v1/keys?limit=3");
    expect(names(first)).toEqual(["key-3", "key-2", "key-1"]);
    const second = await send("GET", `/v1/keys?limit=3&cursor=${String(first.body["next_cursor"])}`);
    expect(names(second)).toEqual(["key-0"]);
    expect(second.body).toMatchObject({ next_cursor: null });
    expect(second.body).not.toHaveProperty("configured");
    for (const query of ["?limit=0", "?limit=x", "?cursor=none", "?other=1"])
      expect((await send("GET", `/v1/keys${query}`)).status).toBe(400);
  });
});

describe("A tenant's data", () => {
  const declaration = {
    summary: "Find",
    description: "Find.",
    category: "shop",
    actions: ["search"],
    is_write: false,
    input_schema: { type: "object", properties: {} },
    http: { method: "GET", url: "https://api.example.com/find" },
  };

  test("is exported with its tools and the digests of its keys, as far as the key may manage them", async () => {
    const { send, make } = await deploy();
    await make({ name: "nightly", tools: ["*"], hash: HASHES[0] });
    await make({ name: "tools", tools: ["*"], hash: HASHES[1], flags: ["manage_tools"] });
    await send("PUT", "/v1/tools/find_it", { body: declaration });
    const exported = await send("GET", "/v1/export");
    expect(exported.allowance).toBe("lists");
    expect(exported.body).toMatchObject({
      volley_export: 1,
      tenant: "acme",
      tools: [{ name: "find_it", ...declaration }],
      flows: [],
      keys: expect.arrayContaining([
        expect.objectContaining({ name: "nightly", hashes: [{ hash: HASHES[0], ends_at: null }] }),
      ]),
    });
    const tools = await send("GET", "/v1/export", { by: KEYS[1]! });
    expect(tools.body).toMatchObject({ tools: [{ name: "find_it" }] });
    expect(tools.body).not.toHaveProperty("keys");
    for (const by of ["plain", KEYS[0]!]) expect((await send("GET", "/v1/export", { by })).status).toBe(403);
  });

  trial(
    "is deleted with its keys and its tools, and nothing of a tenant whose name begins as its",
    async () => {
      const { send, make, statusOf } = await deploy();
      await make({ name: "nightly", tools: ["*"], hash: HASHES[0] });
      await make({ name: "nightly", tools: ["*"], hash: HASHES[1] }, "other");
      for (const by of ["test-key", "other"])
        await send("PUT", "/v1/tools/find_it", { by, body: declaration });
      for (const body of [{}, { tenant: "acme-2" }, { tenant: "ACME" }])
        expect(await send("POST", "/v1/tenant/delete", { body })).toMatchObject({ status: 422 });
      expect((await send("POST", "/v1/tenant/delete", { body: { tenant: "acme-2" } })).body).toMatchObject({
        path: "/tenant",
        expected: expect.stringContaining("'acme'"),
        received: "'acme-2'",
      });
      expect(
        (await send("POST", "/v1/tenant/delete", { by: "plain", body: { tenant: "acme" } })).status,
      ).toBe(403);
      expect([await statusOf(0), await statusOf(1)]).toEqual([200, 200]);
      expect(await send("POST", "/v1/tenant/delete", { body: { tenant: "acme" } })).toEqual({
        status: 200,
        allowance: "lists",
        body: { tenant: "acme", objects: 0, more_objects: false, files: 0, keys: 1 },
      });
      expect([await statusOf(0), await statusOf(1)]).toEqual([401, 200]);
      expect((await send("GET", "/v1/export")).body).toMatchObject({ tools: [], keys: [] });
      expect((await send("GET", "/v1/export", { by: "other" })).body).toMatchObject({
        tools: [{ name: "find_it" }],
        keys: [{ name: "nightly" }],
      });
      // A deleted key can be made again, by the same name and digest.
      expect((await make({ name: "nightly", tools: ["*"], hash: HASHES[0] })).status).toBe(201);
      expect(await statusOf(0)).toBe(200);
    },
  );
});
