import { describe, expect, test } from "vitest";

import { defineTool, type Tool } from "../../../../src/core/catalog/define-tool.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { DECLARATION, sendIt, store } from "./store-tools.ts";
import { trial } from "../../../support/trial.ts";

const sayMuch = async () => ({ text: "x".repeat(20_000), of: "much" });
const drop = defineTool({
  ...DECLARATION,
  name: "drop_it",
  actions: ["delete"],
  run: async ({ of }, ctx) => (await ctx.fetch(`https://api.example.com/${of}`, { method: "DELETE" })).json(),
});

type Treatment = "done" | "refused" | "lost";
interface Result {
  readonly id: string;
  readonly status: string;
  readonly data?: unknown;
  readonly error?: { readonly code: string };
  readonly confirmation?: { readonly id: string; readonly message: string };
  readonly meta: { readonly idempotency_replayed?: true; readonly warnings?: readonly string[] };
}

/** A store that treats the requests of each thing one after the other: done, unless said otherwise. */
async function start(treatments: Readonly<Record<string, Treatment[]>> = {}, more: readonly Tool[] = []) {
  const effects: Record<string, number> = {};
  const treat = ({ url }: { readonly url: string }) => {
    const of = url.split("/").at(-1)!;
    const treatment = treatments[of]?.shift() ?? "done";
    if (treatment !== "refused") effects[of] = (effects[of] ?? 0) + 1;
    if (treatment === "lost") throw new Error("the connection broke");
    return Response.json({ of }, { status: treatment === "refused" ? 400 : 200 });
  };
  const volley = await createTestVolley({
    tools: [store, drop, ...more],
    features: [confirmations(), runs()],
    routes: { "POST https://api.example.com/*": treat, "DELETE https://api.example.com/*": treat },
  });
  const post = async (path: string, body: object) => {
    const answer = await volley.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const envelope: { readonly batch_id: string; readonly results: readonly Result[] } = await answer.json();
    await volley.advance(3_000);
    return envelope;
  };
  return {
    volley,
    effects,
    run: (actions: readonly object[]) => post("/v1/execute_actions", { actions }),
    rerun: (id: string, body: object = {}) => post(`/v1/runs/${id}/rerun`, body),
    decide: (id: string, decision: string) => post(`/v1/confirmations/${id}`, { decision }),
    show: async (id: string): Promise<{ readonly status: string; readonly actions: readonly Result[] }> =>
      (await volley.fetch(`/v1/runs/${id}`)).json(),
    waiting: async (): Promise<number> => {
      const page: { readonly confirmations: readonly object[] } = await (
        await volley.fetch("/v1/confirmations?status=waiting")
      ).json();
      return page.confirmations.length;
    },
  };
}
const write = (of: string, more: object = {}) => ({ id: of, tool: "store_it", args: { of }, ...more });
const ends = ({ results }: { readonly results: readonly Result[] }) =>
  results.map(({ id, status, error }) => [id, error?.code ?? status]);

describe("A rerun of a rerun", () => {
  test("has all actions of the first run, and what was answered then is there for those that refer to it", async () => {
    const { run, rerun, effects } = await start({ b: ["refused", "refused"] });
    const first = await run([
      write("a"),
      write("b"),
      { id: "c", tool: "store_it", args: { of: { $template: "{{a#/of}}{{b#/of}}" } } },
      write("bad", { args: { of: 1 } }),
    ]);
    const second = await rerun(first.batch_id, { only: "failed" });
    expect(ends(second)).toEqual([
      ["a", "success"],
      ["b", "UPSTREAM_ERROR"],
      ["c", "DEPENDENCY_FAILED"],
      ["bad", "INVALID_ARGS"],
    ]);
    const third = await rerun(second.batch_id, { only: "failed" });
    expect(ends(third)).toEqual([
      ["a", "success"],
      ["b", "success"],
      ["c", "success"],
      ["bad", "INVALID_ARGS"],
    ]);
    expect(effects).toEqual({ a: 1, b: 1, ab: 1 });
  });

  test("keeps of what was refused before it began how it was", async () => {
    const { run, rerun, show } = await start();
    const first = await run([write("bad", { args: { of: 1 } }), write("b", { depends_on: ["bad"] })]);
    const second = await rerun(first.batch_id);
    const { actions } = await show(second.batch_id);
    expect(actions).toMatchObject([
      { id: "bad", tool: "store_it", error: { code: "INVALID_ARGS" } },
      { id: "b", error: { code: "DEPENDENCY_FAILED" } },
    ]);
  });
});

describe("A rerun of a run with a question", () => {
  const ask = [
    { id: "gone", tool: "drop_it", args: { of: "gone" } },
    { id: "tell", tool: "store_it", args: { of: "tell" }, depends_on: ["gone"] },
  ];

  test("waits for the same question while that is open, and asks no second one", async () => {
    const { run, rerun, waiting, effects } = await start();
    const first = await run(ask);
    const second = await rerun(first.batch_id);
    expect(second.results.map(({ confirmation }) => confirmation?.id)).toEqual(
      first.results.map(({ confirmation }) => confirmation?.id),
    );
    expect(await waiting()).toBe(1);
    expect(effects).toEqual({});
  });

  test("answers what a yes has run, however often it is asked again", async () => {
    const { run, rerun, decide, waiting, effects } = await start({ tell: ["refused"] });
    const first = await run(ask);
    await decide(first.results[0]!.confirmation!.id, "approve");
    const second = await rerun(first.batch_id);
    expect(ends(second)).toEqual([
      ["gone", "success"],
      ["tell", "success"],
    ]);
    expect(second.results.map(({ meta }) => meta.idempotency_replayed)).toEqual([true, undefined]);
    expect(ends(await rerun(second.batch_id))).toEqual(ends(second));
    expect(await waiting()).toBe(0);
    expect(effects).toEqual({ gone: 1, tell: 1 });
  });

  trial(
    "tells the person what may have taken effect, where the question and its reach are shown, and nothing of a question that had a no",
    async () => {
      const { run, rerun, decide, volley } = await start({ gone: ["lost"] });
      const DOUBTED = "It may have taken effect in an earlier run: look before you say yes.";
      const asked = async (id: string) => {
        const [one] = (await rerun(id)).results;
        const { id: confirmation, message } = one!.confirmation!;
        const shown: { readonly actions: readonly { readonly reach?: string }[] } = await (
          await volley.fetch(`/v1/confirmations/${confirmation}`)
        ).json();
        return { message, reach: shown.actions.map(({ reach }) => reach) };
      };
      const refused = await run(ask);
      await decide(refused.results[0]!.confirmation!.id, "reject");
      const again = await asked(refused.batch_id);
      expect(again.message).not.toContain(DOUBTED);
      expect(again.reach).toEqual([undefined, undefined]);

      const lost = await run(ask);
      await decide(lost.results[0]!.confirmation!.id, "approve");
      const doubted = await asked(lost.batch_id);
      expect(doubted.message).toContain(DOUBTED);
      expect(doubted.reach).toEqual([DOUBTED, undefined]);
    },
  );

  test("asks again after a no", async () => {
    const { run, rerun, decide, effects } = await start();
    const first = await run(ask);
    await decide(first.results[0]!.confirmation!.id, "reject");
    const second = await rerun(first.batch_id);
    expect(ends(second)).toEqual([
      ["gone", "pending_confirmation"],
      ["tell", "pending_confirmation"],
    ]);
    await decide(second.results[0]!.confirmation!.id, "approve");
    expect(ends(await rerun(first.batch_id))).toEqual([
      ["gone", "success"],
      ["tell", "success"],
    ]);
    expect(effects).toEqual({ gone: 1, tell: 1 });
  });

  trial("that a rerun has asked knows of its yes as well, by whichever of both it is run again", async () => {
    const { run, rerun, decide, waiting, effects } = await start({ a: ["lost"] });
    const first = await run([write("a")]);
    const second = await rerun(first.batch_id);
    expect(ends(second)).toEqual([["a", "pending_confirmation"]]);
    expect((await rerun(first.batch_id)).results[0]!.confirmation!.id).toBe(
      second.results[0]!.confirmation!.id,
    );
    await decide(second.results[0]!.confirmation!.id, "approve");
    for (const { batch_id: id } of [first, second]) expect(ends(await rerun(id))).toEqual([["a", "success"]]);
    expect(await waiting()).toBe(0);
    // The lost one, and the one that a person said yes to.
    expect(effects).toEqual({ a: 2 });
  });
});

trial(
  "A read whose result was too large to be kept is run again where only what failed is asked for, and a write says that its result is lost",
  async () => {
    const large = defineTool({
      ...DECLARATION,
      name: "read_much",
      actions: ["read"],
      isWrite: false,
      orchestration: { mode: "parallel-safe" },
      run: sayMuch,
    });
    const wordy = defineTool({ ...DECLARATION, name: "say_much", run: sayMuch });
    const { run, rerun, effects } = await start({ b: ["refused"] }, [large, wordy]);
    const first = await run([
      { id: "much", tool: "read_much", args: { of: "m" } },
      { id: "said", tool: "say_much", args: { of: "s" } },
      write("b"),
      { id: "c", tool: "store_it", args: { of: { $template: "{{much#/of}}{{b#/of}}" } } },
    ]);
    const second = await rerun(first.batch_id, { only: "failed" });
    expect(ends(second).map(([, end]) => end)).toEqual(["success", "success", "success", "success"]);
    expect(second.results[1]!.meta).toEqual({
      idempotency_replayed: true,
      warnings: [expect.stringContaining("not kept")],
    });
    expect(effects).toEqual({ b: 1, muchb: 1 });
  },
);

trial(
  "Jobs that were never recorded are recorded by a rerun, once: with their own key, of a loop, and no earlier than they were to begin",
  async () => {
    const later = defineTool({
      ...DECLARATION,
      name: "store_later",
      execution: "fire-and-forget",
      run: sendIt,
    });
    const { run, rerun, effects, volley } = await start({ b: ["refused"] }, [later]);
    const runAt = new Date(volley.now() + 3_600_000).toISOString();
    const job = (of: string, more: object) => ({
      id: of,
      tool: "store_later",
      args: { of },
      depends_on: ["b"],
      ...more,
    });
    const first = await run([
      write("b"),
      job("late", { run_at: runAt }),
      job("keyed", { idempotency_key: "a key of its own" }),
      job("loop", { for_each: ["x", "y"], args: { of: { $ref: "item#" } } }),
    ]);
    expect(new Set(first.results.map(({ status }) => status))).toEqual(new Set(["error", "skipped"]));
    const second = await rerun(first.batch_id);
    expect(second.results.slice(1).map(({ status }) => status)).not.toContain("error");
    for (const id of [first.batch_id, second.batch_id]) await rerun(id);
    await volley.advance(3_500_000);
    expect(effects).toEqual({ b: 1, keyed: 1, x: 1, y: 1 });
    await volley.advance(200_000);
    expect(effects).toEqual({ b: 1, keyed: 1, x: 1, y: 1, late: 1 });
  },
);
