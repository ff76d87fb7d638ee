import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool, type ToolContext } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { tenantData } from "../../../../src/features/tenant-data/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { trial } from "../../../support/trial.ts";

const SECRET = "a-secret-of-a-tool-9f1";
const DECLARATION = {
  summary: "Talk",
  description: "Talk.",
  category: "test",
  actions: ["create"],
  isWrite: true,
  execution: "sync",
  hosts: ["api.example.com"],
  secrets: ["LEAKY_KEY"],
  orchestration: { mode: "sequential-only" },
  input: z.strictObject({ of: z.string() }),
  run: async ({ of }: { of: string }, ctx: ToolContext) => {
    ctx.log(`${of} begins`, { n: 1 });
    ctx.log.error(`it has ${ctx.secret("LEAKY_KEY")}`);
    return (await ctx.fetch(`https://api.example.com/${of}`, { method: "POST" })).json();
  },
} as const;
const talk = defineTool({ ...DECLARATION, name: "talk" });
const peek = defineTool({ ...DECLARATION, name: "peek", isWrite: false, actions: ["read"] });
const LATER = {
  ...DECLARATION,
  execution: "fire-and-forget",
  orchestration: { mode: "parallel-safe" },
} as const;
const later = defineTool({ ...LATER, name: "talk_later" });
const hush = defineTool({ ...LATER, name: "hush_later", private: true });
const drop = defineTool({ ...DECLARATION, name: "drop_it", actions: ["delete"] });

const lines = (of: string) => [`${of} begins {"n":1}`, "it has [redacted]"];

async function start(statuses: Record<string, number> = {}, env: Record<string, string> = {}) {
  const volley = await createTestVolley({
    tools: [talk, peek, drop, later, hush],
    features: [discovery(), addedTools(), confirmations(), flows(), background(), runs(), tenantData()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "test", tenant: "acme", flags: ["approve", "manage_tools"] },
      }),
      LEAKY_KEY: SECRET,
      ...env,
    },
    routes: {
      "POST https://api.example.com/*": ({ url }) =>
        Response.json({}, { status: statuses[new URL(url).pathname.slice(1)] ?? 200 }),
    },
  });
  const send = async (path: string, body?: object, method = "POST") => {
    const headers = { "content-type": "application/json" };
    const sent = body === undefined ? {} : { method, body: JSON.stringify(body) };
    const text = await (await volley.fetch(path, { headers, ...sent })).text();
    expect(text).not.toContain(SECRET);
    return JSON.parse(text);
  };
  /** The lines of each action of a run. */
  const logOf = async (id: string, ms = 5_000): Promise<Record<string, readonly string[]>> => {
    await volley.advance(ms);
    const { actions } = await send(`/v1/runs/${id}`);
    return Object.fromEntries(
      actions.map(({ id: of, log = [] }: { id: string; log?: readonly { text: string }[] }) => [
        of,
        log.map(({ text }) => text),
      ]),
    );
  };
  const run = async (batch: object) => (await send("/v1/execute_actions", batch)).batch_id as string;
  return { volley, send, logOf, run };
}
const act = (tool: string, of: string, more: object = {}) => ({ id: of, tool, args: { of }, ...more });

describe("The lines of ctx.log stand with their action, of every level and without secrets:", () => {
  test("of a call, a read and a write, one that failed too", async () => {
    const { run, logOf } = await start({ bad: 400 });
    const id = await run({ actions: [act("talk", "a"), act("peek", "b"), act("talk", "bad")] });
    expect(await logOf(id)).toEqual({ a: lines("a"), b: lines("b"), bad: lines("bad") });
  });

  test("of each attempt of a call that was tried again", async () => {
    const { run, logOf } = await start({ busy: 429 });
    const id = await run({ actions: [act("peek", "busy")] });
    const { busy } = await logOf(id);
    expect(busy!.slice(0, 2)).toEqual(lines("busy"));
  });

  trial("of the elements of a loop, in their order", async () => {
    const { run, logOf } = await start();
    const args = { of: { $ref: "item#" } };
    const id = await run({ actions: [{ id: "loop", tool: "talk", args, for_each: ["x", "y"] }] });
    expect(await logOf(id)).toEqual({ loop: [...lines("x"), ...lines("y")] });
  });

  trial("of the steps of a flow: in its own run, and not in the action that it was", async () => {
    const { send, run, logOf } = await start();
    const kept = await send(
      "/v1/flows/tidy",
      { summary: "Tidy", input_schema: { type: "object" }, actions: [act("talk", "step")] },
      "PUT",
    );
    expect(kept.code).toBeUndefined();
    const own = (await send("/v1/flows/tidy/run", { input: {} })).batch_id;
    expect(await logOf(own)).toEqual({ step: lines("step") });
    const id = await run({ actions: [{ id: "it", tool: "tidy", args: {} }] });
    expect(await logOf(id)).toEqual({ it: [] });
    const [child] = (await send(`/v1/runs/${id}`)).children;
    expect(await logOf(child.run_id)).toEqual({ step: lines("step") });
  });

  trial("of a batch in the background, and of a loop there in slices", async () => {
    const { send, logOf } = await start();
    const for_each = Array.from({ length: 30 }, (_, at) => `e${at}`);
    const args = { of: { $ref: "item#" } };
    const { run_id: id } = await send("/v1/execute_actions", {
      background: true,
      actions: [act("talk", "a"), { id: "loop", tool: "talk", args, for_each }],
    });
    const log = await logOf(id, 60_000);
    expect(log["a"]).toEqual(lines("a"));
    expect(log["loop"]).toEqual(for_each.slice(0, 10).flatMap(lines));
  });

  test("of a call under an idempotency key in its own run, and in none that it is answered to", async () => {
    const { run, logOf } = await start();
    const actions = [act("talk", "a", { idempotency_key: "once" })];
    const [first, second] = [await run({ actions }), await run({ actions })];
    expect(await logOf(first)).toEqual({ a: lines("a") });
    expect(await logOf(second)).toEqual({ a: [] });
  });

  trial(
    "of each attempt of a run in the background: of an action, of an element, and once of what is done",
    async () => {
      const statuses: Record<string, number> = { busy: 503 };
      const { send, logOf } = await start(statuses);
      const each = (tool: string, for_each: readonly string[]) => ({
        ...act(tool, tool),
        args: { of: { $ref: "item#" } },
        for_each,
      });
      const actions = [act("talk", "a"), each("peek", ["x", "busy"]), each("talk", ["y"])];
      const { run_id: id, job_id: job } = await send("/v1/execute_actions", { background: true, actions });
      const { a, peek: elements, talk: done } = await logOf(id, 20_000);
      const { tries } = await send(`/v1/jobs/${job}`);
      expect(tries).toHaveLength(5);
      expect([a, done]).toEqual([lines("a"), lines("y")]);
      expect(elements).toEqual([...lines("x"), ...tries.flatMap(() => lines("busy"))]);
    },
  );

  trial("of each attempt of a run in the background that died, and of those after it", async () => {
    const statuses: Record<string, number> = { busy: 503 };
    const { send, logOf } = await start(statuses);
    const batch = { background: true, actions: [act("talk", "a"), act("peek", "busy")] };
    const { run_id: id, job_id: job } = await send("/v1/execute_actions", batch);
    const five = Array.from({ length: 5 }, () => lines("busy")).flat();
    expect(await logOf(id, 20_000)).toEqual({ a: lines("a"), busy: five });
    delete statuses["busy"];
    await send(`/v1/jobs/${job}/redrive`, {});
    expect(await logOf(id, 20_000)).toEqual({ a: lines("a"), busy: [...five, ...lines("busy")] });
  });

  trial("of each attempt of a flow by a clock in the run that it is", async () => {
    const { volley, send, logOf } = await start({ busy: 503 });
    const triggers = { cron: "* * * * *" };
    const flow = {
      summary: "Tick",
      input_schema: { type: "object" },
      triggers,
      actions: [act("peek", "busy")],
    };
    expect((await send("/v1/flows/tick", flow, "PUT")).code).toBeUndefined();
    await volley.advance(70_000);
    const { runs: attempts } = await send("/v1/runs?source=cron");
    expect(attempts.length).toBeGreaterThan(2);
    for (const { run_id } of attempts) expect(await logOf(run_id, 0)).toEqual({ busy: lines("busy") });
  });

  trial("of what a yes let run, in the run of the yes", async () => {
    const { volley, send, run, logOf } = await start();
    const id = await run({ actions: [act("drop_it", "old")] });
    await volley.advance(3_000);
    const [{ confirmation }] = (await send(`/v1/runs/${id}`)).actions;
    const yes = await send(`/v1/confirmations/${confirmation.id}`, { decision: "approve" });
    expect(await logOf(yes.batch_id)).toEqual({ old: lines("old") });
  });

  trial("of a rerun, of what it ran alone", async () => {
    const statuses: Record<string, number> = { bad: 400 };
    const { send, run, logOf } = await start(statuses);
    const id = await run({ actions: [act("talk", "a"), act("talk", "bad")] });
    await logOf(id);
    delete statuses["bad"];
    const again = await send(`/v1/runs/${id}/rerun`, {});
    expect(await logOf(again.batch_id)).toEqual({ bad: lines("bad") });
  });

  trial("of each attempt of a job, counted from the start of its run, at most twenty of all", async () => {
    const statuses: Record<string, number> = { of: 503 };
    const { send, run, logOf } = await start(statuses);
    const id = await run({ actions: [act("talk_later", "of"), act("talk_later", "well")] });
    const { of, well } = await logOf(id, 3_000);
    expect(well).toEqual(lines("well"));
    const { actions, started_at } = await send(`/v1/runs/${id}`);
    const [{ log, job_id: job }] = actions;
    const { tries } = await send(`/v1/jobs/${job}`);
    expect(tries.length).toBeGreaterThan(1);
    expect(of).toEqual(tries.flatMap(() => lines("of")));
    const begun = tries.map(({ at }: { at: string }) => Date.parse(at) - Date.parse(started_at));
    expect(log.map(({ at_ms }: { at_ms: number }) => at_ms)).toEqual(begun.flatMap((at: number) => [at, at]));
    expect((await logOf(id, 60_000))["of"]).toHaveLength(10);
    await send(`/v1/jobs/${job}/redrive`, {});
    await logOf(id, 60_000);
    await send(`/v1/jobs/${job}/redrive`, {});
    expect((await logOf(id, 60_000))["of"]).toHaveLength(20);
  });

  trial("of the jobs of a loop", async () => {
    const { run, logOf } = await start();
    const args = { of: { $ref: "item#" } };
    const for_each = Array.from({ length: 12 }, (_, at) => `e${at}`);
    const id = await run({ actions: [{ id: "loop", tool: "talk_later", args, for_each }] });
    const { loop } = await logOf(id);
    expect(loop).toHaveLength(20);
    expect(loop).toEqual(expect.arrayContaining(lines("e0")));
  });

  trial("of no job whose tool is private, or where no content is kept", async () => {
    const first = await start();
    const actions = [act("talk_later", "a"), act("hush_later", "b")];
    expect(await first.logOf(await first.run({ actions }))).toEqual({ a: lines("a"), b: [] });
    const outline = await start({ a: 503 }, { VOLLEY_RUNS: "outline" });
    expect(await outline.logOf(await outline.run({ actions }))).toEqual({ a: [], b: [] });
  });

  trial("of a job in what an export has, and in the run that came back from it", async () => {
    const [here, there] = [await start(), await start()];
    const id = await here.run({ actions: [act("talk_later", "a")] });
    await here.logOf(id);
    const { runs: exported } = await here.send("/v1/export");
    expect(await there.send("/v1/runs", { runs: exported }, "PUT")).toEqual({ restored: 1 });
    expect(await there.logOf(id)).toEqual({ a: lines("a") });
  });
});
