import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { DECLARATION, sendIt } from "./store-tools.ts";
import { trial } from "../../../support/trial.ts";

const KEEP = {
  ...DECLARATION,
  run: sendIt,
  orchestration: { mode: "sequential-only", on_error: "partial-success" },
} as const;
const keep = defineTool({ ...KEEP, name: "keep_it" });
const drop = defineTool({ ...KEEP, name: "drop_it", actions: ["delete"] });
const twice = defineTool({ ...KEEP, name: "keep_again", idempotent: true });
const list = defineTool({
  ...DECLARATION,
  name: "list_it",
  actions: ["read"],
  isWrite: false,
  run: async (_: unknown, ctx) => (await ctx.fetch("https://api.example.com/list")).json(),
});

interface Entry {
  readonly index: number;
  readonly status: string;
  readonly data?: { readonly of: string };
}
interface Result {
  readonly id: string;
  readonly status: string;
  readonly data?: readonly Entry[];
  readonly confirmation?: { readonly id: string; readonly message: string };
}

/** A store that answers the next requests of each thing with these statuses; one that broke did it, and answers 504. */
async function start(statuses: Record<string, number[]>) {
  const sent: string[] = [];
  const state = { list: ["x", "y", "z"] };
  const volley = await createTestVolley({
    tools: [keep, twice, drop, list],
    features: [discovery(), addedTools(), confirmations(), runs()],
    key: { flags: ["approve"] },
    routes: {
      "GET https://api.example.com/list": () => Response.json(state.list),
      "POST https://api.example.com/*": ({ url }) => {
        const of = url.split("/").at(-1)!;
        sent.push(of);
        return Response.json({ of }, { status: statuses[of]?.shift() ?? 200 });
      },
    },
  });
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const answer = await volley.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    await volley.advance(3_000);
    return (await answer.json()) as { readonly batch_id: string; readonly results: readonly Result[] };
  };
  const loop = { id: "all", tool: "keep_it", for_each: ["x", "y", "z"], args: { of: { $ref: "item#" } } };
  const take = () => sent.splice(0);
  return {
    volley,
    state,
    loop,
    take,
    run: async (...actions: readonly object[]) => {
      const { batch_id: id } = await post("/v1/execute_actions", { actions });
      take();
      return id;
    },
    rerun: (id: string, body: object = {}) => post(`/v1/runs/${id}/rerun`, body),
    yes: ({ results }: { readonly results: readonly Result[] }) =>
      post(`/v1/confirmations/${results.find((one) => one.confirmation)!.confirmation!.id}`, {
        decision: "approve",
      }),
  };
}

describe("A rerun of a loop", () => {
  test("sends the elements alone that failed, and answers it as a whole", async () => {
    const { loop, run, rerun, take } = await start({ y: [400, 400] });
    const id = await run(loop);
    expect((await rerun(id)).results[0]!.data!.map(({ status }) => status)).toEqual([
      "success",
      "error",
      "success",
    ]);
    expect(take()).toEqual(["y"]);
    const { results } = await rerun(id);
    expect(results[0]!.data!.map(({ data }) => data!.of)).toEqual(["x", "y", "z"]);
    expect(take()).toEqual(["y"]);
    await rerun(id);
    expect(take()).toEqual([]);
  });

  test("asks about the element alone that is in doubt, sends those that failed, and a yes sends that one", async () => {
    const { loop, run, rerun, yes, take, volley } = await start({ x: [400], y: [504] });
    const id = await run(loop);
    const asked = await rerun(id);
    expect(take()).toEqual(["x"]);
    const [{ status, confirmation }] = asked.results as [Result];
    expect(status).toBe("pending_confirmation");
    expect(confirmation!.message).toContain(`'keep_it' with each of 1: [{"of":"y"}] runs`);
    expect(confirmation!.message).toContain("It may have taken effect in an earlier run");
    const shown = await (await volley.fetch(`/v1/confirmations/${confirmation!.id}`)).text();
    expect(shown).not.toContain('{"of":"z"}');
    const { results } = await yes(asked);
    expect(take()).toEqual(["y"]);
    expect(results[0]!.data!.map(({ data }) => data!.of)).toEqual(["x", "y", "z"]);
    expect((await rerun(id)).results[0]!.data).toHaveLength(3);
    expect(take()).toEqual([]);
  });

  trial("asks about nothing that may be repeated", async () => {
    const { loop, run, rerun, take } = await start({ y: [504] });
    const id = await run({ ...loop, tool: "keep_again" });
    expect((await rerun(id)).results[0]!.status).toBe("success");
    expect(take()).toEqual(["y"]);
  });

  trial(
    "goes over what it went over, whatever that is by now, and what refers to it waits for the yes",
    async () => {
      const { loop, run, rerun, yes, take, state } = await start({ y: [504] });
      const next = { id: "next", tool: "keep_it", args: { of: { $template: "after-{{all#/1/data/of}}" } } };
      const source = { id: "source", tool: "list_it", args: { of: "-" } };
      const id = await run(source, { ...loop, for_each: { $ref: "source#" } }, next);
      state.list = ["new", "x", "y", "z"];
      const asked = await rerun(id);
      expect(asked.results.map(({ status }) => status)).toEqual([
        "success",
        "pending_confirmation",
        "pending_confirmation",
      ]);
      expect(take()).toEqual([]);
      await yes(asked);
      expect(take()).toEqual(["y", "after-y"]);
    },
  );

  trial("asks again about that element alone where it was refused after a yes", async () => {
    const { loop, run, rerun, yes, take } = await start({ y: [504, 400] });
    const id = await run(loop);
    const { results } = await yes(await rerun(id));
    expect(take()).toEqual(["y"]);
    expect(results[0]).toMatchObject({ status: "success", meta: { in_doubt: true } });
    const [again] = (await rerun(id)).results as [Result];
    expect(again.confirmation!.message).toContain('each of 1: [{"of":"y"}]');
    expect(take()).toEqual([]);
  });

  trial("asks again about that element alone where its question had a no", async () => {
    const { loop, run, rerun, take, volley } = await start({ y: [504] });
    const id = await run(loop);
    const [{ confirmation }] = (await rerun(id)).results as [Result];
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ decision: "reject" });
    await volley.fetch(`/v1/confirmations/${confirmation!.id}`, { method: "POST", headers, body });
    await volley.advance(3_000);
    const [again] = (await rerun(id)).results as [Result];
    expect(again.confirmation!.message).toContain('each of 1: [{"of":"y"}]');
    expect(take()).toEqual([]);
  });

  trial("of a tool that asks is asked about without the elements that are done", async () => {
    const { volley, loop, rerun, yes, take } = await start({ y: [400] });
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ actions: [{ ...loop, tool: "drop_it" }] });
    const first = await (await volley.fetch("/v1/execute_actions", { method: "POST", headers, body })).json();
    await volley.advance(3_000);
    const ran = await yes(first as Awaited<ReturnType<typeof rerun>>);
    expect(take()).toEqual(["x", "y", "z"]);
    const asked = await rerun(ran.batch_id);
    expect(asked.results[0]!.confirmation!.message).toContain('each of 1: [{"of":"y"}]');
    const { results } = await yes(asked);
    expect(take()).toEqual(["y"]);
    expect(results[0]!.data!.map(({ data }) => data!.of)).toEqual(["x", "y", "z"]);
  });
});
