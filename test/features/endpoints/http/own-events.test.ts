import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { openEndpoints, taken } from "./endpoint-world.ts";
import { trial } from "../../../support/trial.ts";

const DAY = 24 * 3_600_000;
const DECLARATION = {
  summary: "A tool of the test",
  description: "A tool of the test.",
  category: "test",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  hosts: [],
  orchestration: { mode: "parallel-safe" },
  input: z.strictObject({}),
} as const;
const fails = defineTool({
  ...DECLARATION,
  name: "fail_now",
  run: () => Promise.reject(new Error("Cannot: it always fails")),
});
const dies = defineTool({
  ...DECLARATION,
  name: "die_later",
  isWrite: true,
  execution: "fire-and-forget",
  idempotent: true,
  hosts: ["down.acme.dev"],
  run: async (_, ctx) => (await ctx.fetch("https://down.acme.dev/x", { method: "POST" })).json(),
});
const refused = defineTool({
  ...DECLARATION,
  name: "refuse_later",
  isWrite: true,
  execution: "fire-and-forget",
  idempotent: true,
  hosts: ["down.acme.dev"],
  run: async (_, ctx) => (await ctx.fetch("https://down.acme.dev/refused", { method: "POST" })).json(),
});
const drops = defineTool({
  ...DECLARATION,
  name: "drop_it",
  actions: ["delete"],
  isWrite: true,
  orchestration: { mode: "sequential-only" },
  run: async () => ({ dropped: true }),
});

interface Parked {
  readonly confirmation: { readonly id: string; readonly expires_at: string };
}
interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A Volley whose endpoint `watch` asks for some types of our own. */
async function openWatched(events: readonly string[], answer: () => Response = taken) {
  const world = await openEndpoints(answer, {
    tools: [fails, dies, refused, drops],
    features: [confirmations(), flows(), runs()],
    routes: {
      "POST https://down.acme.dev/*": ({ url }) =>
        new Response("", { status: url.endsWith("/refused") ? 422 : 503 }),
    },
  });
  await world.put("watch", { events });
  await world.put("everything", { events: ["*"] });
  await world.put("of-a-customer", { events: ["volley.*"], customer: "c_1" });
  const told = (id = "watch"): Told[] => world.sentTo(id).map((one) => one.json() as Told);
  return { ...world, told };
}

describe("A tenant's endpoint", () => {
  test("is told of a dead job, once, with its id, tool and code", async () => {
    const { volley, told, later } = await openWatched(["volley.job.dead"]);
    const { results } = await volley.run({ actions: [{ tool: "die_later", args: {} }] });
    await later(DAY);
    expect(told()).toEqual([
      {
        type: "volley.job.dead",
        timestamp: expect.any(String),
        data: expect.objectContaining({
          job_id: (results[0] as { job_id?: string }).job_id,
          tool: "die_later",
          code: "UPSTREAM_ERROR",
        }),
      },
    ]);
    expect(told()[0]!.data).not.toHaveProperty("tenant");
    expect([...told("everything"), ...told("of-a-customer")]).toEqual([]);
  });

  test("is told of a job that a service refused for good, with its id, tool and code", async () => {
    const { volley, told, later } = await openWatched(["volley.job.failed"]);
    const { results } = await volley.run({ actions: [{ tool: "refuse_later", args: {} }] });
    await later(DAY);
    expect(told()).toEqual([
      {
        type: "volley.job.failed",
        timestamp: expect.any(String),
        data: expect.objectContaining({
          job_id: (results[0] as { job_id?: string }).job_id,
          tool: "refuse_later",
          code: "UPSTREAM_ERROR",
        }),
      },
    ]);
  });

  trial("is told of a run of which nothing succeeded, and of no other", async () => {
    const { volley, told, later } = await openWatched(["volley.run.failed"]);
    const failed = await volley.run({ actions: [{ id: "a", tool: "fail_now", args: {} }] });
    await volley.run({
      actions: [
        { tool: "fail_now", args: {} },
        { tool: "drop_it", args: {}, skip_approval: true },
      ],
    });
    await later(10_000);
    // Deliveries come in any order.
    const of = told().filter(({ data }) => data["run_id"] === failed.batch_id);
    expect(of).toHaveLength(1);
    expect(of[0]).toMatchObject({
      type: "volley.run.failed",
      data: { status: "error", error: { action: "a", code: "TOOL_FAILED" }, source: "http" },
    });
    expect(told("everything")).toEqual([]);
  });

  trial("is told of a question and its answer, without the link of a person", async () => {
    const { volley, told, later, send } = await openWatched(["volley.confirmation.*"]);
    const { results } = await volley.run({ actions: [{ tool: "drop_it", args: {} }] });
    const { id } = (results[0] as unknown as Parked).confirmation;
    await later(5_000);
    expect(told().map(({ type }) => type)).toEqual(["volley.confirmation.requested"]);
    expect(told()[0]!.data).toMatchObject({ confirmation_id: id, tools: ["drop_it"] });
    expect(JSON.stringify(told())).not.toContain("http");
    const said = await send("POST", `/v1/confirmations/${id}`, { decision: "approve", reason: "fine" });
    expect(said.status, JSON.stringify(said.body)).toBe(200);
    await later(2 * DAY);
    expect(told().map(({ type, data }) => [type, data["decision"]])).toEqual([
      ["volley.confirmation.requested", undefined],
      ["volley.confirmation.decided", "approve"],
    ]);
  });

  trial("is told of a question that has expired, when it does", async () => {
    const { volley, told, later } = await openWatched(["volley.confirmation.expired"]);
    const { results } = await volley.run({ actions: [{ tool: "drop_it", args: {} }] });
    const { id, expires_at: expiresAt } = (results[0] as unknown as Parked).confirmation;
    await later(Date.parse(expiresAt) - volley.now() - 60_000);
    expect(told()).toEqual([]);
    await later(120_000);
    expect(told()).toMatchObject([{ type: "volley.confirmation.expired", data: { confirmation_id: id } }]);
    await later(2 * DAY);
    expect(told()).toHaveLength(1);
  });

  trial("is told once that a question ends soon: when three quarters of its time are over", async () => {
    const { volley, told, later } = await openWatched(["volley.confirmation.expiring"]);
    const { results } = await volley.run({ actions: [{ tool: "drop_it", args: {} }] });
    const { id, expires_at: expiresAt } = (results[0] as unknown as Parked).confirmation;
    const leftMs = Date.parse(expiresAt) - volley.now();
    await later(0.75 * leftMs - 60_000);
    expect(told()).toEqual([]);
    await later(120_000);
    expect(told()).toMatchObject([
      { type: "volley.confirmation.expiring", data: { confirmation_id: id, expires_at: expiresAt } },
    ]);
    await later(2 * DAY);
    expect(told()).toHaveLength(1);
  });

  trial("is told nothing of the end of a question that was decided", async () => {
    const { volley, told, later, send } = await openWatched([
      "volley.confirmation.expiring",
      "volley.confirmation.expired",
    ]);
    const { results } = await volley.run({ actions: [{ tool: "drop_it", args: {} }] });
    const { id } = (results[0] as unknown as Parked).confirmation;
    await send("POST", `/v1/confirmations/${id}`, { decision: "reject" });
    await later(2 * DAY);
    expect(told()).toEqual([]);
  });

  trial("that is paused gets what it was to be told by recover with `all`", async () => {
    const { volley, told, later, send } = await openWatched(["volley.*"]);
    await send("PATCH", "/v1/endpoints/watch", { paused: true });
    const since = new Date(volley.now()).toISOString();
    await volley.run({ actions: [{ tool: "fail_now", args: {} }] });
    await later(10_000);
    expect(told()).toEqual([]);
    await send("PATCH", "/v1/endpoints/watch", { paused: false });
    expect((await send("POST", "/v1/endpoints/watch/recover", { since, all: true })).body).toEqual({
      deliveries: 1,
    });
    await later(1_000);
    expect(told()).toMatchObject([{ type: "volley.run.failed" }]);
  });

  trial("that cannot be reached for what it is told causes nothing more that is told", async () => {
    const down = () => new Response("", { status: 500 });
    const { volley, send, later } = await openWatched(["volley.*"], down);
    await volley.run({ actions: [{ tool: "fail_now", args: {} }] });
    await later(4 * DAY);
    const { events } = (await send("GET", "/v1/events")).body as { events: { type: string }[] };
    expect(events.map(({ type }) => type)).toEqual(["volley.run.failed"]);
  });
});

test("Where no endpoint asks to be told, no event is recorded", async () => {
  const { volley, send, later } = await openEndpoints(taken, {
    tools: [fails, drops],
    features: [confirmations(), runs()],
  });
  await volley.run({ actions: [{ tool: "fail_now", args: {} }] });
  await volley.run({ actions: [{ tool: "drop_it", args: {} }] });
  await later(3 * DAY);
  expect((await send("GET", "/v1/events")).body.events).toEqual([]);
});
