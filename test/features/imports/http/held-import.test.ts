import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/features/imports/limits.ts";
import type { Configured } from "../../../../src/cloudflare/configured.ts";
import type { RequestContext } from "../../../../src/cloudflare/http/request-context.ts";
import { IsolateBytes } from "../../../../src/core/egress/isolate-bytes.ts";
import { importTools } from "../../../../src/features/imports/http/routes.ts";
import { createCatalog } from "../../../support/create-catalog.ts";
import { valueOf } from "../../../support/unwrap.ts";
import { TestWorld } from "../../../support/execute-batch.ts";
import { trial } from "../../../support/trial.ts";

const OPERATIONS = 200;
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://api.example.com" }],
  paths: Object.fromEntries(
    Array.from({ length: OPERATIONS }, (_, n) => [
      `/pets${n}`,
      {
        get: {
          operationId: `listPets${n}`,
          summary: "List pets",
          description: "x".repeat(3_000),
          responses: {},
        },
      },
    ]),
  ),
};

function world() {
  const { ports, clock } = new TestWorld();
  const isolate = new IsolateBytes(clock);
  const catalog = createCatalog([]);
  const configured = {
    env: {},
    catalog,
    features: [],
    declared: { contract: [] },
    trustedOrigins: new Set(),
  } as unknown as Configured;
  let held = 0;
  const context = {
    caller: { name: "admin", tenant: "acme", tools: ["*"] },
    catalog,
    configured,
    ports,
    upstreams: { share: () => isolate.open("acme", clock) },
    gate: {
      call: async () => {
        held = isolate.heldBy("acme");
        return { ok: true, value: { version: 1, removed: [] } };
      },
    },
    hearTools: () => {},
  } as unknown as RequestContext;
  const send = (body: object, more: RequestInit = {}) => {
    const request = new Request("https://volley.test/v1/tools/import", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      ...more,
    });
    return clock.runUntil(importTools.handle(request, context, "") as Promise<never>);
  };
  return { clock, isolate, send, heldWhileKept: () => held };
}

describe("An import", () => {
  trial.each([
    ["as it is", (): unknown => DOCUMENT],
    ["as text", (): unknown => JSON.stringify(DOCUMENT)],
  ])(
    "T44 of a document that is sent %s holds it and its tools, and its answer until that has been read",
    async (_, openapi) => {
      const { isolate, send, heldWhileKept } = world();
      const body = { prefix: "pets", openapi: openapi() };
      const response: Response = valueOf(await send(body));
      const bytes = JSON.stringify(body).length;
      expect(heldWhileKept()).toBeGreaterThan(1.5 * bytes);
      const left = isolate.heldBy("acme");
      expect(left).toBeGreaterThan(200_000);
      const text = await response.text();
      expect(left).toBeLessThanOrEqual(text.length);
      expect((JSON.parse(text) as { tools: unknown[] }).tools).toHaveLength(OPERATIONS);
      expect(isolate.held).toBe(0);
    },
  );

  trial("T44 waits for room before its body is read, and is refused where none comes", async () => {
    const { clock, isolate, send } = world();
    const other = isolate.open("acme", clock);
    expect(other.take(isolate.limits.claim, false)).toBe(true);
    const { bytes, claim } = isolate.limits;
    expect(isolate.open("acme", clock).take((3 / 4) * (bytes / 2 - claim), false)).toBe(true);
    expect(await send({ prefix: "pets", openapi: DOCUMENT })).toMatchObject({
      ok: false,
      error: { code: "UNAVAILABLE" },
    });
    other.give(claim);
    expect(await send({ prefix: "pets", openapi: DOCUMENT })).toMatchObject({ ok: true });
  });

  test("T44 that is refused holds nothing afterwards", async () => {
    const { isolate, send } = world();
    expect(await send({ prefix: "pets" })).toMatchObject({ ok: false, error: { code: "INVALID_REQUEST" } });
    expect(await send({ prefix: "pets", openapi: "no: [document" })).toMatchObject({ ok: false });
    expect(await send({}, { body: "{" })).toMatchObject({ ok: false, error: { code: "MALFORMED_JSON" } });
    expect(isolate.held).toBe(0);
  });

  trial("T44 of more values than a request may ever hold is refused before they are made", async () => {
    const { isolate, send } = world();
    const body = `{"prefix":"pets","openapi":{"x":[${"0,".repeat(LIMITS.importBytes / 2 - 100)}0]}}`;
    expect(await send({}, { body })).toMatchObject({ ok: false, error: { code: "BODY_TOO_LARGE" } });
    const text = `- ${"a\n- ".repeat(300_000)}a`;
    expect(await send({ prefix: "pets", openapi: text })).toMatchObject({ ok: false });
    expect(isolate.held).toBe(0);
  });
});
