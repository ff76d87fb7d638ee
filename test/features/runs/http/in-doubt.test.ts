import { describe, expect, test } from "vitest";

import { defineTool, type Tool } from "../../../../src/core/catalog/define-tool.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { DECLARATION, store } from "./store-tools.ts";
import { trial } from "../../../support/trial.ts";

interface Seen {
  readonly status: string;
  readonly in_doubt?: true;
  readonly error?: { readonly retryable: boolean; readonly hint: string };
  readonly data?: readonly Seen[];
  readonly job_id?: string;
  readonly meta: { readonly in_doubt?: true; readonly attempts?: number };
}

/** Answers requests in turn: a status, or an error that `fetch` throws; done where nothing is said. A status of 5xx comes after it was done. */
async function start(answers: readonly (number | Error)[] = [], more: readonly Tool[] = []) {
  const keys: (string | null)[] = [];
  const left = [...answers];
  const volley = await createTestVolley({
    tools: [store, ...more],
    features: [confirmations(), runs()],
    key: { flags: ["approve"] },
    routes: {
      "POST https://api.example.com/*": ({ headers }) => {
        keys.push(headers["idempotency-key"] ?? null);
        const answer = left.shift() ?? 200;
        if (typeof answer !== "number") throw answer;
        return Response.json({}, { status: answer });
      },
    },
  });
  const ask = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const json = { "content-type": "application/json", ...headers };
    const sent = body === undefined ? {} : { method: "POST", headers: json, body: JSON.stringify(body) };
    const answer = await (await volley.fetch(path, sent)).json();
    await volley.advance(3_000);
    return answer as Seen & {
      readonly batch_id: string;
      readonly results: readonly Seen[];
      readonly actions: readonly Seen[];
      readonly runs: readonly Seen[];
    };
  };
  return {
    keys,
    ask,
    volley,
    run: (...actions: readonly object[]) => ask("/v1/execute_actions", { actions }),
    rerun: (id: string) => ask(`/v1/runs/${id}/rerun`, { only: "failed" }),
  };
}

const write = { id: "a", tool: "store_it", args: { of: "a" } };
const withKey = (name: string, more: object) =>
  defineTool({
    ...DECLARATION,
    name,
    ...more,
    run: async ({ of }, ctx) =>
      (
        await ctx.fetch(`https://api.example.com/${of}`, {
          method: "POST",
          headers: { "idempotency-key": ctx.idempotencyKey },
        })
      ).json(),
  });

describe("T56 A write that was sent and answered", () => {
  trial.each([408, 500, 501, 502, 503, 504, 520, 524, 530])(
    "%d may have happened: its result, its run and the list say so, and a rerun of any kind asks before it sends it again",
    async (status) => {
      const { run, rerun, ask, keys } = await start([status]);
      const { batch_id: id, results } = await run(write);
      expect(results).toMatchObject([
        { status: "error", meta: { in_doubt: true }, error: { retryable: false } },
      ]);
      expect(results[0]!.error!.hint).toContain("whether it took effect is not known");
      expect((await ask(`/v1/runs/${id}`)).actions).toMatchObject([{ status: "error", in_doubt: true }]);
      expect((await ask("/v1/runs")).runs).toMatchObject([{ status: "error", in_doubt: true }]);
      const again = await rerun(id);
      expect(again.results).toMatchObject([{ status: "pending_confirmation" }]);
      await ask("/v1/runs/rerun", { status: "error", only: "failed" });
      expect(keys).toHaveLength(1);
    },
  );

  trial.each([
    400,
    401,
    404,
    409,
    422,
    425,
    429,
    refused("ECONNREFUSED"),
    refused("ENOTFOUND"),
    refused("CERT_HAS_EXPIRED"),
  ])("%s did not happen, and a rerun sends it", async (answer) => {
    const { run, rerun, ask, keys } = await start([answer]);
    const { batch_id: id, results } = await run(write);
    expect(results[0]!.status).toBe("error");
    expect(results[0]!.meta).not.toHaveProperty("in_doubt");
    expect((await ask(`/v1/runs/${id}`)).actions[0]).not.toHaveProperty("in_doubt");
    expect((await rerun(id)).results).toMatchObject([{ status: "success" }]);
    expect(keys).toHaveLength(2);
  });

  test("by nothing is unknown, and in doubt by that", async () => {
    const { run, ask } = await start([new TypeError("Network connection lost.")]);
    const { batch_id: id, results } = await run(write);
    expect(results).toMatchObject([{ status: "unknown", meta: { in_doubt: true } }]);
    expect((await ask(`/v1/runs/${id}`)).actions).toMatchObject([{ status: "unknown", in_doubt: true }]);
  });

  test("504 stays in doubt when its next attempt is refused", async () => {
    const backoff = { strategy: "exponential", initial_ms: 100 } as const;
    const orchestration = { mode: "sequential-only", backoff } as const;
    const { run, keys } = await start(
      [504, 400],
      [withKey("retried", { idempotent: "with-key", orchestration })],
    );
    const { results } = await run({ ...write, tool: "retried" });
    expect(results).toMatchObject([{ status: "error", meta: { attempts: 2, in_doubt: true } }]);
    expect(keys[1]).toBe(keys[0]);
  });

  test("503 as an element of a loop says so beside the status of the element, and of the loop", async () => {
    const { run } = await start([200, 503]);
    const loop = { ...write, for_each: ["x", "y"], args: { of: { $ref: "item#" } } };
    const { results } = await run(loop);
    expect(results[0]!.meta.in_doubt).toBe(true);
    expect(results[0]!.data).toMatchObject([{ status: "success" }, { status: "error", in_doubt: true }]);
    expect(results[0]!.data![0]).not.toHaveProperty("in_doubt");
  });

  test("503 is sent again by a rerun without a yes where it may be repeated, under the key of its first attempt", async () => {
    const { run, rerun, keys } = await start([503], [withKey("idempotent", { idempotent: true })]);
    const { batch_id: id } = await run({ ...write, tool: "idempotent" });
    expect((await rerun(id)).results).toMatchObject([{ status: "success" }]);
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
  });

  test("400 under an idempotency key is sent again by a rerun, under the key of its first attempt", async () => {
    const { run, rerun, keys } = await start([400], [withKey("keyed", {})]);
    const { batch_id: id } = await run({ ...write, tool: "keyed", idempotency_key: "own" });
    expect((await rerun(id)).results).toMatchObject([{ status: "success" }]);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  trial(
    "400 under an idempotency key that was sent again by a rerun is not sent once more for the request that comes again",
    async () => {
      const { run, rerun, keys } = await start([400], [withKey("keyed", {})]);
      const keyed = { ...write, tool: "keyed", idempotency_key: "own" };
      await rerun((await run(keyed)).batch_id);
      const again = await run(keyed);
      const replayed = [{ status: "error", meta: { idempotency_replayed: true } }];
      expect(again.results).toMatchObject(replayed);
      expect((await rerun(again.batch_id)).results).toMatchObject(replayed);
      expect(keys).toHaveLength(2);
    },
  );

  trial("503 under an idempotency key is asked about by a rerun, and sent with a yes", async () => {
    const { run, rerun, ask, keys } = await start([503]);
    const { batch_id: id } = await run({ ...write, idempotency_key: "own" });
    const { results } = await rerun(id);
    expect(results).toMatchObject([{ status: "pending_confirmation" }]);
    const { confirmation } = results[0] as unknown as { readonly confirmation: { readonly id: string } };
    const yes = await ask(`/v1/confirmations/${confirmation.id}`, { decision: "approve" });
    expect(yes.results).toMatchObject([{ status: "success" }]);
    expect(keys).toHaveLength(2);
  });

  trial(
    "503 under an idempotency key is not sent again with it, also where it may be repeated: the answer is kept",
    async () => {
      const { run, keys } = await start([503, 503], [withKey("idempotent", { idempotent: true })]);
      for (const { tool, calls } of [
        { tool: "store_it", calls: 1 },
        { tool: "idempotent", calls: 2 },
      ]) {
        const keyed = { ...write, tool, idempotency_key: tool };
        const first = await run(keyed);
        const second = await run(keyed);
        expect(first.results).toMatchObject([{ status: "error", meta: { in_doubt: true } }]);
        expect(second.results).toMatchObject([{ status: "error", meta: { in_doubt: true } }]);
        expect(keys).toHaveLength(calls);
      }
    },
  );
});

describe("T56 A job whose attempt was answered 503", () => {
  const later = (more: object) => withKey("later", { execution: "fire-and-forget", ...more });

  test("is unknown where it is at-most-once, and is not sent again", async () => {
    const { run, ask, keys, volley } = await start([503], [later({ delivery: "at-most-once" })]);
    const { results } = await run({ ...write, tool: "later" });
    await volley.advance(3_600_000);
    expect(await ask(`/v1/jobs/${results[0]!.job_id}`)).toMatchObject({ status: "unknown", in_doubt: true });
    expect(keys).toHaveLength(1);
  });

  trial(
    "is tried again where it is at-least-once, under one key, and says when it dies that it may have happened",
    async () => {
      const { run, ask, keys, volley } = await start(Array(20).fill(503), [later({})]);
      const { results } = await run({ ...write, tool: "later" });
      await volley.advance(3_600_000);
      const job = await ask(`/v1/jobs/${results[0]!.job_id}`);
      expect(job).toMatchObject({ status: "dead", in_doubt: true });
      expect(keys.length).toBeGreaterThan(1);
      expect(new Set(keys).size).toBe(1);
    },
  );

  trial("and then 400 may have happened by the first, which its end says", async () => {
    const { run, ask, volley } = await start([501, 400], [later({})]);
    const { results } = await run({ ...write, tool: "later" });
    await volley.advance(3_600_000);
    const job = await ask(`/v1/jobs/${results[0]!.job_id}`);
    expect(job).toMatchObject({ status: "failed", in_doubt: true, attempts: 2 });
  });

  test("or 425 or 429, is tried again wherever it may be", async () => {
    const { run, ask, volley } = await start([425, 429], [later({ delivery: "at-most-once" })]);
    const { results } = await run({ ...write, tool: "later" });
    await volley.advance(3_600_000);
    const job = await ask(`/v1/jobs/${results[0]!.job_id}`);
    expect(job).toMatchObject({ status: "succeeded", attempts: 3 });
    expect(job).not.toHaveProperty("in_doubt");
  });
});

function refused(code: string): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error("connect"), { code }) });
}

trial("A write in doubt to which a person says no stays in doubt: it may have happened before", async () => {
  const { ask, run, rerun } = await start([504]);
  const { batch_id: id } = await run(write);
  const asked = (await rerun(id)).results[0] as Seen & { readonly confirmation: { readonly id: string } };
  const { results } = await ask(`/v1/confirmations/${asked.confirmation.id}`, { decision: "reject" });
  expect(results[0]).toMatchObject({ status: "error", meta: { in_doubt: true } });
  expect(results[0]!.error).toMatchObject({ code: "CONFIRMATION_REJECTED", retryable: false });
  expect(results[0]!.error!.hint).toContain("may have taken effect in an earlier run");
});

trial(
  "A write in doubt that is refused once a person said yes stays in doubt, and a rerun asks again",
  async () => {
    const { ask, run, rerun, keys } = await start([504, 400]);
    const { batch_id: id } = await run(write);
    const asked = (await rerun(id)).results[0] as Seen & { readonly confirmation: { readonly id: string } };
    const { results } = await ask(`/v1/confirmations/${asked.confirmation.id}`, { decision: "approve" });
    expect(results[0]).toMatchObject({ status: "error", meta: { in_doubt: true } });
    expect((await rerun(id)).results[0]!.status).toBe("pending_confirmation");
    expect(keys).toHaveLength(2);
  },
);
