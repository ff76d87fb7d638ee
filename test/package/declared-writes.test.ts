import { describe, expect, test } from "vitest";

import type { Answer } from "../../src/package/testing/scripted-upstream.ts";
import { createTestVolley } from "../../src/package/testing.ts";
import { addedTools } from "../../src/features/added-tools/index.ts";
import { discovery } from "../../src/features/discovery/index.ts";
import { trial } from "../support/trial.ts";

const ORIGIN = "https://api.example.com";

/** The service's answers to the requests, in order; the last goes on. */
const lose: Answer = () => Promise.reject(new TypeError("Network connection lost."));
const status = (code: number): Answer => new Response("", { status: code });

/** Add a write to a tenant, call it once, let a day pass, and give what was sent and what became of it. */
async function write(changes: object, answers: readonly Answer[], { batches = 1 } = {}) {
  let sent = 0;
  const volley = await createTestVolley({
    tools: [],
    features: [discovery(), addedTools()],
    routes: {
      [`POST ${ORIGIN}/orders`]: (request, answering) => {
        const answer = answers[Math.min((sent += 1), answers.length) - 1]!;
        return typeof answer === "function" ? answer(request, answering) : answer;
      },
    },
    key: { flags: ["manage_tools"] },
  });
  const declaration = {
    summary: "Place an order",
    description: "Places an order. Size: about 10 tokens.",
    category: "orders",
    actions: ["create"],
    is_write: true,
    input_schema: { type: "object", properties: { n: { type: "integer" }, k: { type: "string" } } },
    http: { method: "POST", url: `${ORIGIN}/orders` },
    ...changes,
  };
  const put = await volley.fetch("/v1/tools/place_order", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(declaration),
  });
  const kept = (await put.json()) as { issues?: { path: string; hint: string }[] };
  if (put.status !== 201) return { kept, results: [], keys: [], job: null, status: put.status };
  const results = [];
  for (let batch = 0; batch < batches; batch += 1)
    results.push(...(await volley.run({ actions: [{ tool: "place_order", args: { n: batch } }] })).results);
  await volley.advance(24 * 3_600_000);
  const [job = null] = (await volley.client.jobs()).jobs;
  return {
    kept,
    results,
    job,
    status: put.status,
    keys: volley.requests.map(({ headers }) => headers["idempotency-key"]),
  };
}

const inBackground = { execution: "fire-and-forget" };

describe("P4: a registered fire-and-forget write", () => {
  test("whose answer is lost is unknown, and not sent again", async () => {
    const { job, keys } = await write(inBackground, [lose]);
    expect(keys).toHaveLength(1);
    expect(job).toMatchObject({ status: "unknown", attempts: 1 });
  });

  trial.each([425, 429])("that is answered %i is sent again", async (code) => {
    const { job, keys } = await write(inBackground, [status(code), { placed: true }]);
    expect(keys).toHaveLength(2);
    expect(job).toMatchObject({ status: "succeeded", attempts: 2 });
  });

  trial.each([408, 500, 501, 502, 503, 504])(
    "T56 that is answered %i, which says nothing of its effect, is not",
    async (code) => {
      const { job, keys } = await write(inBackground, [status(code), { placed: true }]);
      expect(keys).toHaveLength(1);
      expect(job).toMatchObject({ status: "unknown", in_doubt: true, error: { retryable: false } });
    },
  );

  trial.each([
    ["is idempotent", { idempotent: true }],
    ["is idempotent with a key", { idempotent: "with-key" }],
    ["says that it is at-least-once", { delivery: "at-least-once" }],
  ])("that %s is sent until it is answered, with one key", async (_, changes) => {
    const { job, keys } = await write({ ...inBackground, ...changes }, [lose, status(500), { placed: true }]);
    expect(job).toMatchObject({ status: "succeeded", attempts: 3 });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("that says so is at-most-once although it is idempotent", async () => {
    const { job, keys } = await write({ ...inBackground, idempotent: true, delivery: "at-most-once" }, [
      lose,
    ]);
    expect([job!.status, keys.length]).toEqual(["unknown", 1]);
  });

  test("has each job's own key", async () => {
    const { keys } = await write(inBackground, [{ placed: true }], { batches: 2 });
    expect(new Set(keys).size).toBe(2);
    expect(keys).not.toContain(undefined);
  });
});

describe("a registered sync write", () => {
  test("carries a key that its retries repeat", async () => {
    const { results, keys } = await write(
      {
        idempotent: true,
        orchestration: { mode: "sequential-only", backoff: { strategy: "exponential", initial_ms: 100 } },
      },
      [status(503), { placed: true }],
    );
    expect(results).toMatchObject([{ status: "success", meta: { attempts: 2 } }]);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/./);
  });

  trial(
    "sends the header of that name that it declares, and its own key where that has no value",
    async () => {
      const headers = { "Idempotency-Key": "order-{k}" };
      const { results, keys } = await write(
        { http: { method: "POST", url: `${ORIGIN}/orders`, headers: { "Idempotency-Key": "fixed" } } },
        [{ placed: true }],
      );
      expect(results).toMatchObject([{ status: "success" }]);
      expect(keys).toEqual(["fixed"]);
      const without = await write({ http: { method: "POST", url: `${ORIGIN}/orders`, headers } }, [{}]);
      expect(without.keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}:a0$/)]);
    },
  );

  test("says nothing of a delivery, which only background writes have", async () => {
    const { status: answered, kept } = await write({ delivery: "at-least-once" }, [{}]);
    expect([answered, kept.issues?.map(({ path }) => path)]).toEqual([422, ["/delivery"]]);
  });
});

test("a registered read carries no idempotency key", async () => {
  const { keys } = await write({ is_write: false, actions: ["search"] }, [{}]);
  expect(keys).toEqual([undefined]);
});
