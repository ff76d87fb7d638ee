import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { DECLARATION, type sendIt, store } from "./store-tools.ts";
import { trial } from "../../../support/trial.ts";

const HOUR = 3_600_000;
/** Its upstream is told the key of each attempt. */
const keepIt: typeof sendIt = async ({ of }, ctx) => {
  const headers = { "x-key": ctx.idempotencyKey };
  return (await ctx.fetch(`https://api.example.com/${of}`, { method: "POST", headers })).json();
};
const LATER = { ...DECLARATION, execution: "fire-and-forget", run: keepIt } as const;
const later = defineTool({ ...LATER, name: "store_later" });
const once = defineTool({ ...LATER, name: "store_once", delivery: "at-most-once" });
const dropLater = defineTool({ ...LATER, name: "drop_later", actions: ["delete"] });

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly in_doubt?: true;
  readonly error?: object;
  readonly actions: readonly object[];
}

interface Envelope {
  readonly batch_id: string;
  readonly results: readonly {
    readonly status: string;
    readonly job_id?: string;
    readonly meta: { readonly idempotency_replayed?: true; readonly warnings?: readonly string[] };
    readonly confirmation?: { readonly id: string; readonly message: string };
  }[];
}

/** A name's stored value is answered with its status; 200 where none is said. */
async function start(statuses: Record<string, number>) {
  const sent: { of: string; key: string | null }[] = [];
  const volley = await createTestVolley({
    tools: [store, later, once, dropLater],
    features: [confirmations(), runs()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "test", tenant: "acme", flags: ["approve"] },
        "narrow-key": { name: "narrow", tenant: "acme", tools: ["store_it"], flags: ["approve"] },
      }),
    },
    routes: {
      "POST https://api.example.com/*": ({ url, headers }) => {
        const of = new URL(url).pathname.slice(1);
        sent.push({ of, key: headers["x-key"] ?? null });
        return Response.json({}, { status: statuses[of] ?? 200 });
      },
    },
  });
  const send = async <T>(path: string, body?: object, key = "test-key", method = "POST"): Promise<T> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { method, body: JSON.stringify(body) };
    return (await (await volley.fetch(path, { headers, ...sent })).json()) as T;
  };
  return {
    volley,
    sent,
    send,
    rerun: async (id: string, body: object = { only: "failed" }, key?: string) => {
      const envelope = await send<Envelope>(`/v1/runs/${id}/rerun`, body, key);
      await volley.advance(5_000);
      return envelope;
    },
    run: async (...actions: readonly object[]) => {
      const envelope = await send<{ batch_id: string; results: readonly { job_id?: string }[] }>(
        "/v1/execute_actions",
        { actions },
      );
      await volley.advance(5_000);
      return { id: envelope.batch_id, results: envelope.results };
    },
    show: (id: string, key?: string) => send<Run>(`/v1/runs/${id}`, undefined, key),
    list: async (query: string, key?: string) => {
      const { runs: listed } = await send<{ runs: readonly Run[] }>(`/v1/runs${query}`, undefined, key);
      return listed.map(({ run_id: id }) => id);
    },
  };
}
const act = (tool: string, of: string) => ({ id: of, tool, args: { of } });

describe("A run follows what became of its jobs:", () => {
  test("one that failed for good makes it an error, in the list, by its filter and in its action", async () => {
    const { run, show, list } = await start({ bad: 422 });
    const { id, results } = await run(act("store_later", "bad"));
    expect(results).toMatchObject([{ status: "initiated" }]);
    expect(await show(id)).toMatchObject({
      status: "error",
      error: { code: "UPSTREAM_ERROR" },
      summary: { total: 1, initiated: 1 },
      actions: [{ status: "initiated", error: { code: "UPSTREAM_ERROR" } }],
    });
    expect(await list("?status=error")).toEqual([id]);
    expect(await list("?status=success")).toEqual([]);
  });

  test("beside what succeeded it is partial", async () => {
    const { run, show } = await start({ bad: 422 });
    const { id } = await run(act("store_later", "bad"), act("store_later", "good"), act("store_it", "now"));
    expect(await show(id)).toMatchObject({ status: "partial" });
    expect((await run(act("store_later", "good"))).id).not.toBe(id);
  });

  trial("a loop of which some jobs failed is partial, and an error where all have", async () => {
    const { run, show } = await start({ bad: 422 });
    const loop = (...names: readonly string[]) => ({
      id: "loop",
      tool: "store_later",
      for_each: names,
      args: { of: { $ref: "item#" } },
    });
    expect(await show((await run(loop("bad", "good"))).id)).toMatchObject({ status: "partial" });
    expect(await show((await run(loop("bad", "bad"))).id)).toMatchObject({ status: "error" });
    expect(await show((await run(loop("good", "fine"))).id)).toMatchObject({ status: "success" });
  });

  trial("one that is dead makes it an error, and a redrive that succeeds takes that back", async () => {
    const statuses: Record<string, number> = { bad: 429 };
    const { volley, run, show, list, send } = await start(statuses);
    const { id, results } = await run(act("store_later", "bad"));
    expect(await show(id)).toMatchObject({ status: "running" });
    await volley.advance(HOUR);
    expect(await show(id)).toMatchObject({ status: "error", error: { code: "RATE_LIMITED" } });
    statuses["bad"] = 200;
    await send(`/v1/jobs/${results[0]!.job_id}/redrive`, {});
    await volley.advance(10_000);
    expect(await show(id)).toMatchObject({ status: "success" });
    expect(await show(id)).not.toHaveProperty("error");
    expect(await list("?status=error")).toEqual([]);
  });

  test("one whose end is not known makes it unknown, and in doubt", async () => {
    const { run, show, list } = await start({ bad: 504 });
    const { id } = await run(act("store_once", "bad"));
    const doubtful = { status: "unknown", in_doubt: true };
    expect(await show(id)).toMatchObject({
      ...doubtful,
      actions: [{ in_doubt: true, error: { code: "UPSTREAM_ERROR" } }],
    });
    expect(await list("?status=unknown")).toEqual([id]);
  });

  trial("one that was called off changes nothing", async () => {
    const { volley, run, show, send } = await start({});
    const inAnHour = new Date(volley.now() + HOUR).toISOString();
    const { id, results } = await run({ ...act("store_later", "bad"), run_at: inAnHour });
    await send(`/v1/jobs/${results[0]!.job_id}/cancel`, {});
    await volley.advance(5_000);
    expect(await show(id)).toMatchObject({ status: "success" });
  });

  test("a key that may not call its tool is told nothing of it", async () => {
    const { run, show, list } = await start({ bad: 422 });
    const { id } = await run(act("store_later", "bad"), act("store_it", "now"));
    expect(await show(id, "narrow-key")).toMatchObject({ status: "success", actions: [{ id: "now" }] });
    expect(await show(id, "narrow-key")).not.toHaveProperty("error");
    expect(await list("?status=success", "narrow-key")).toEqual([id]);
  });

  trial("so does the run that asked a person, by the run of the yes", async () => {
    const { volley, run, show, send } = await start({ bad: 422 });
    const { id, results } = await run(act("drop_later", "bad"));
    const { confirmation } = results[0] as { confirmation?: { id: string } };
    await send(`/v1/confirmations/${confirmation!.id}`, { decision: "approve" });
    await volley.advance(5_000);
    const { children } = (await show(id)) as unknown as { readonly children: readonly Run[] };
    expect(children).toMatchObject([{ source: "approval", status: "error" }]);
    expect(await show(id)).toMatchObject({ status: "error" });
  });
});

describe("A run that is run again goes by what became of its jobs:", () => {
  trial(
    "one that failed is made again, under the key of the first, whether all is asked for or what failed",
    async () => {
      const statuses: Record<string, number> = { bad: 422 };
      const { run, rerun, show, sent } = await start(statuses);
      const { id, results } = await run(act("store_later", "bad"), act("store_later", "good"));
      const again = await rerun(id);
      expect(again.results).toMatchObject([
        { status: "initiated", meta: {} },
        { status: "initiated", job_id: results[1]!.job_id, meta: { idempotency_replayed: true } },
      ]);
      expect(again.results[0]!.job_id).not.toBe(results[0]!.job_id);
      expect(await show(again.batch_id)).toMatchObject({ status: "error" });
      statuses["bad"] = 200;
      // The job of the rerun failed too.
      const third = await rerun(id, {});
      expect(await show(third.batch_id)).toMatchObject({ status: "success" });
      const job = third.results[0]!.job_id;
      for (const of of [id, again.batch_id])
        expect((await rerun(of)).results[0]).toMatchObject({
          job_id: job,
          meta: { idempotency_replayed: true },
        });
      const bad = sent.filter(({ of }) => of === "bad");
      expect(bad.map(({ key }) => key)).toEqual(Array.from({ length: 3 }, () => results[0]!.job_id));
      expect(sent).toHaveLength(4);
    },
  );

  trial("one that goes on, succeeded, or was not heard of yet is answered from the run", async () => {
    const { run, rerun, send, sent, volley } = await start({ slow: 503, bad: 422 });
    const { id } = await run(act("store_later", "slow"), act("store_later", "good"));
    const asked = sent.length;
    expect((await rerun(id)).results).toMatchObject([
      { status: "initiated", meta: { idempotency_replayed: true } },
      { status: "initiated", meta: { idempotency_replayed: true } },
    ]);
    const just = await send<Envelope>("/v1/execute_actions", { actions: [act("store_later", "bad")] });
    await volley.advance(100);
    expect((await rerun(just.batch_id)).results).toMatchObject([{ meta: { idempotency_replayed: true } }]);
    expect(sent.filter(({ of }) => of === "good")).toHaveLength(1);
    expect(asked).toBeGreaterThan(1);
  });

  trial("one whose end is not known is asked about, and the question says so", async () => {
    const { run, rerun, sent } = await start({ bad: 504 });
    const { id } = await run(act("store_once", "bad"));
    const { results } = await rerun(id);
    expect(results).toMatchObject([{ status: "pending_confirmation" }]);
    expect(results[0]!.confirmation!.message).toContain("It may have taken effect in an earlier run");
    expect(sent).toHaveLength(1);
  });

  trial("one that failed after an attempt that may have taken effect is asked about", async () => {
    const statuses: Record<string, number> = { bad: 503 };
    const { volley, run, rerun, sent } = await start(statuses);
    const { id } = await run(act("store_later", "bad"));
    statuses["bad"] = 422;
    await volley.advance(HOUR);
    const before = sent.length;
    expect((await rerun(id)).results).toMatchObject([{ status: "pending_confirmation" }]);
    expect(sent).toHaveLength(before);
  });

  trial("one that is dead is left to be redriven, and the answer says so", async () => {
    const { volley, run, rerun, sent } = await start({ bad: 429 });
    const { id, results } = await run(act("store_later", "bad"));
    await volley.advance(HOUR);
    const before = sent.length;
    const [result] = (await rerun(id)).results;
    expect(result).toMatchObject({ status: "initiated", meta: { idempotency_replayed: true } });
    expect(result!.meta.warnings).toEqual([
      `Its job is dead, and is not made again: redrive it with POST /v1/jobs/${results[0]!.job_id}/redrive.`,
    ]);
    expect(sent).toHaveLength(before);
  });

  trial("one of a yes too, from the run that asked and from the run of the yes", async () => {
    const statuses: Record<string, number> = { bad: 422 };
    const { volley, run, rerun, send, sent } = await start(statuses);
    const { id, results } = await run(act("drop_later", "bad"));
    const { confirmation } = results[0] as Envelope["results"][number];
    const yes = await send<Envelope>(`/v1/confirmations/${confirmation!.id}`, { decision: "approve" });
    await volley.advance(5_000);
    for (const of of [id, yes.batch_id]) {
      // A person said yes to one job: another is asked about.
      expect((await rerun(of)).results).toMatchObject([{ status: "pending_confirmation" }]);
    }
    expect(sent).toHaveLength(1);
  });

  trial("a loop is made again where all of its jobs failed, else it is answered from the run", async () => {
    const { run, rerun, sent } = await start({ bad: 422, worse: 422 });
    const loop = (...names: readonly string[]) => ({
      id: "loop",
      tool: "store_later",
      for_each: names,
      args: { of: { $ref: "item#" } },
    });
    expect((await rerun((await run(loop("bad", "good"))).id)).results).toMatchObject([
      { status: "success", meta: { idempotency_replayed: true } },
    ]);
    expect(sent).toHaveLength(2);
    const all = await rerun((await run(loop("bad", "worse"))).id);
    expect(all.results[0]!.meta).not.toHaveProperty("idempotency_replayed");
    expect(sent).toHaveLength(6);
  });

  trial("of a tool that the key may not call it is told nothing", async () => {
    const { run, rerun, sent } = await start({ bad: 422 });
    const { id } = await run(act("store_later", "bad"), act("store_it", "now"));
    const { results } = await rerun(id, {}, "narrow-key");
    expect(results).toMatchObject([{ id: "now", meta: { idempotency_replayed: true } }]);
    expect(sent).toHaveLength(2);
  });
});
