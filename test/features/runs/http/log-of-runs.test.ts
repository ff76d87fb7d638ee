import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool, type ToolContext } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";

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
const drop = defineTool({ ...DECLARATION, name: "drop_it", actions: ["delete"] });

const lines = (of: string) => [`${of} begins {"n":1}`, "it has [redacted]"];

async function start(statuses: Record<string, number> = {}) {
  const volley = await createTestVolley({
    tools: [talk, peek, drop],
    features: [discovery(), addedTools(), confirmations(), flows(), background(), runs()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "test", tenant: "acme", flags: ["approve", "manage_tools"] },
      }),
      LEAKY_KEY: SECRET,
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

  test("of the elements of a loop, in their order", async () => {
    const { run, logOf } = await start();
    const args = { of: { $ref: "item#" } };
    const id = await run({ actions: [{ id: "loop", tool: "talk", args, for_each: ["x", "y"] }] });
    expect(await logOf(id)).toEqual({ loop: [...lines("x"), ...lines("y")] });
  });

  test("of the steps of a flow: in its own run, and not in the action that it was", async () => {
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

  test("of a batch in the background, and of a loop there in slices", async () => {
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

  test("of what a yes let run, in the run of the yes", async () => {
    const { volley, send, run, logOf } = await start();
    const id = await run({ actions: [act("drop_it", "old")] });
    await volley.advance(3_000);
    const [{ confirmation }] = (await send(`/v1/runs/${id}`)).actions;
    const yes = await send(`/v1/confirmations/${confirmation.id}`, { decision: "approve" });
    expect(await logOf(yes.batch_id)).toEqual({ old: lines("old") });
  });

  test("of a rerun, of what it ran alone", async () => {
    const statuses: Record<string, number> = { bad: 400 };
    const { send, run, logOf } = await start(statuses);
    const id = await run({ actions: [act("talk", "a"), act("talk", "bad")] });
    await logOf(id);
    delete statuses["bad"];
    const again = await send(`/v1/runs/${id}/rerun`, {});
    expect(await logOf(again.batch_id)).toEqual({ bad: lines("bad") });
  });
});
