import * as z from "zod/mini";

import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { API, openConnections } from "../../connections/http/connection-world.ts";
import { openBookings, TOOLS } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

/** Two calls of a service under the account of the subject, of which one takes the other back. */
const own = (name: string, orchestration: object, execution: "sync" | "fire-and-forget" = "sync") =>
  defineTool({
    name: execution === "sync" ? name : `${name}_later`,
    summary: "Book under one's own account",
    description: "Book under one's own account.",
    category: "own",
    actions: ["create"],
    isWrite: true,
    execution,
    hosts: ["api.acme.dev"],
    connection: "acme",
    input: z.object({ name: z.string() }),
    orchestration: { mode: "parallel-safe", ...orchestration },
    run: async (args, ctx) => {
      const request = { method: "POST", body: args } as const;
      return (await ctx.connection("acme").fetch(`${API}/${name}`, request)).json();
    },
  });
const BACK = { compensate: { tool: "give_back", args: { name: { $ref: "args#/name" } } } };
const OWN = [
  defineTool({
    name: "asked",
    description: "Ask a person.",
    input: z.object({}),
    isWrite: true,
    orchestration: { mode: "parallel-safe", confirm: "always" },
    run: () => Promise.resolve({}),
  }),
  own("take", BACK),
  own("take", BACK, "fire-and-forget"),
  own("give_back", {}),
  own("take_lost", { ...BACK, verify_with: { tool: "find_own", args: { name: "/name" } } }),
  defineTool({
    name: "find_own",
    description: "Find what is taken.",
    hosts: ["api.acme.dev"],
    connection: "acme",
    isWrite: false,
    input: z.object({ name: z.string() }),
    run: async ({ name }, ctx) => (await ctx.connection("acme").fetch(`${API}/taken/${name}`)).json(),
  }),
];

async function openOwn(fails = false) {
  const bookings = openBookings({ "book fails": () => Response.json({}, { status: 400 }) });
  const taken = new Set<string>();
  const service = { isUp: false };
  const world = await openConnections({
    tools: [...TOOLS, ...OWN],
    features: [runs(), undo()],
    routes: {
      ...bookings.routes,
      [`POST ${API}/take`]: (request) => {
        if (fails) return Response.json({}, { status: 400 });
        taken.add((request.json() as { name: string }).name);
        return { ok: true };
      },
      [`POST ${API}/take_lost`]: (request) => {
        taken.add((request.json() as { name: string }).name);
        throw new Error("broken off");
      },
      [`GET ${API}/taken/*`]: () => (service.isUp ? { is: "taken" } : Response.json({}, { status: 503 })),
      [`POST ${API}/give_back`]: (request) => ({
        gone: taken.delete((request.json() as { name: string }).name),
      }),
    },
  });
  const batch = async (actions: readonly object[], more: object = {}) =>
    (await world.send("POST", "/v1/execute_actions", { subject: "ada", on_error: "undo", actions, ...more }))
      .body;
  return { ...world, bookings, taken, batch, service };
}

const TAKE = { id: "own", tool: "take", args: { name: "x" } };
const BOOK = { id: "one", tool: "book", args: { name: "a" } };
const FAILS = { id: "fails", tool: "book", args: { name: "fails" }, depends_on: ["own"] };

describe("accounts of the subject", () => {
  test("a write is taken back under the account that it used", async () => {
    const { batch, connect, taken } = await openOwn();
    await connect("ada", "ada@acme.dev");
    const { undone } = await batch([TAKE, FAILS]);
    expect(undone).toMatchObject([{ id: "own", tool: "give_back", status: "success" }]);
    expect(taken.size).toBe(0);
  });

  test("a write whose account is missing fails, and the batch is undone", async () => {
    const { batch, bookings } = await openOwn();
    const { results, undone } = await batch([BOOK, { ...TAKE, depends_on: ["one"] }]);
    expect(results[1].error.code).toBe("CONNECTION_REQUIRED");
    expect(undone).toMatchObject([{ id: "one", status: "success" }]);
    expect(bookings.live.size).toBe(0);
  });
});

describe("an account that an action waits for", () => {
  const PARK = { on_connection: "park" };
  const ACTIONS = [BOOK, { ...TAKE, depends_on: ["one"] }];

  trial(
    "leaves the batch as it is until somebody connects it, and then too where the action succeeds",
    async () => {
      const { batch, connect, bookings, taken, volley } = await openOwn();
      const { results, undone } = await batch(ACTIONS, PARK);
      expect(results[1]).toMatchObject({ status: "pending_confirmation", connect_url: expect.any(String) });
      expect(undone).toBeUndefined();
      await volley.advance(60_000);
      expect([...bookings.live]).toEqual(["a"]);
      await connect("ada", "ada@acme.dev");
      await volley.advance(60_000);
      expect([[...bookings.live], [...taken]]).toEqual([["a"], ["x"]]);
    },
  );

  trial("has the batch undone where the action fails once it is connected", async () => {
    const { batch, connect, bookings, volley } = await openOwn(true);
    await batch(ACTIONS, PARK);
    await connect("ada", "ada@acme.dev");
    await volley.advance(60_000);
    expect([...bookings.live]).toEqual([]);
  });

  test("has the batch undone where nobody connects it in time", async () => {
    const { batch, bookings, volley } = await openOwn();
    await batch(ACTIONS, PARK);
    await volley.advance(8 * 86_400_000);
    expect([...bookings.live]).toEqual([]);
  });
});

trial("a write whose account is gone stands, and its entry says which account is missing", async () => {
  const { batch, connect, send, taken, volley } = await openOwn();
  const id = await connect("ada", "ada@acme.dev");
  const { batch_id: run } = await batch([TAKE]);
  await volley.advance(5_000);
  expect((await send("DELETE", `/v1/connections/${id}`)).status).toBe(204);
  const { body } = await send("POST", `/v1/runs/${run}/undo`, {});
  expect(body.undone).toMatchObject([{ id: "own", status: "error", error: { code: "CONNECTION_REQUIRED" } }]);
  expect([...taken]).toEqual(["x"]);
});

trial("a write is not taken back under another account that has the name of its own by now", async () => {
  const { batch, connect, provider, send, taken, volley } = await openOwn();
  provider.tellsIds = true;
  await connect("ada", "ada@acme.dev");
  const { batch_id: run } = await batch([TAKE]);
  await volley.advance(5_000);
  await connect("ada", "other@acme.dev");
  const { body } = await send("POST", `/v1/runs/${run}/undo`, {});
  expect(body.undone).toMatchObject([{ status: "error", error: { code: "CONNECTION_REQUIRED" } }]);
  expect([...taken]).toEqual(["x"]);
});

trial(
  "a batch that fails late takes nothing back under another account that has the name of its own by now",
  async () => {
    const { batch, connect, provider, send, taken, volley } = await openOwn();
    provider.tellsIds = true;
    await connect("ada", "ada@acme.dev");
    const asks = { id: "asks", tool: "asked", args: {}, depends_on: ["own"] };
    const { results, batch_id: run } = await batch([TAKE, asks], { undo: "what-can" });
    await connect("ada", "other@acme.dev");
    const { id } = results[1].confirmation;
    expect((await send("POST", `/v1/confirmations/${id}`, { decision: "reject" })).status).toBe(200);
    await volley.advance(60_000);
    const { body } = await send("POST", `/v1/runs/${run}/undo`, {});
    expect(body.undone).toMatchObject([{ status: "error", error: { code: "CONNECTION_REQUIRED" } }]);
    expect([...taken]).toEqual(["x"]);
  },
);

trial.each([
  ["undone by itself", { undo: "what-can" }],
  ["undone when somebody asks", { on_error: "partial-success" }],
])(
  "a job is not taken back under another account that has the name of its own by now: %s",
  async (_, more) => {
    const { batch, connect, provider, send, taken, volley } = await openOwn();
    provider.tellsIds = true;
    await connect("ada", "ada@acme.dev");
    const later = { ...TAKE, tool: "take_later" };
    const asks = { id: "asks", tool: "asked", args: {} };
    const { results, batch_id: run } = await batch([later, asks], more);
    await volley.advance(5_000);
    expect([...taken]).toEqual(["x"]);
    await connect("ada", "other@acme.dev");
    await send("POST", `/v1/confirmations/${results[1].confirmation.id}`, { decision: "reject" });
    await volley.advance(60_000);
    const { body } = await send("POST", `/v1/runs/${run}/undo`, {});
    expect(body.undone).toMatchObject([{ id: "own", error: { code: "CONNECTION_REQUIRED" } }]);
    expect([...taken]).toEqual(["x"]);
  },
);

trial("a write in doubt is not looked up, and taken back, under another account", async () => {
  const { batch, connect, provider, service, taken, volley } = await openOwn();
  provider.tellsIds = true;
  await connect("ada", "ada@acme.dev");
  const { undone } = await batch([{ ...TAKE, tool: "take_lost" }], { deadline_ms: 1_000 });
  expect(undone).toMatchObject([{ id: "own", status: "initiated" }]);
  await connect("ada", "other@acme.dev");
  service.isUp = true;
  await volley.advance(3_600_000);
  expect([...taken]).toEqual(["x"]);
});

trial("a write is taken back under the account that it used, whichever key asks", async () => {
  const { batch, connect, send, taken, volley } = await openOwn();
  await connect("ada", "ada@acme.dev");
  const { batch_id: run } = await batch([TAKE]);
  await volley.advance(5_000);
  const entry = { name: "other", tools: ["*"], flags: ["approve"] };
  const made = await send("POST", "/v1/keys", entry);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const authorization = `Bearer ${made.body.key as string}`;
  const { body } = await send("POST", `/v1/runs/${run}/undo`, {}, { authorization });
  expect(body.undone).toMatchObject([{ id: "own", tool: "give_back", status: "success" }]);
  expect([...taken]).toEqual([]);
  const sent = volley.requests
    .filter(({ url }) => url.startsWith(API))
    .map(({ headers }) => headers["authorization"]);
  expect(sent).toEqual([expect.stringContaining("ada@acme.dev"), sent[0]]);
});

trial(
  "an undo that is asked for withdraws the account that its run waits for: nobody connects it any more",
  async () => {
    const { batch, bookings, send, signIn, taken, volley } = await openOwn();
    const { batch_id: run, results } = await batch([BOOK, { ...TAKE, depends_on: ["one"] }], {
      on_connection: "park",
      on_error: "partial-success",
    });
    await volley.advance(5_000);
    const { body } = await send("POST", `/v1/runs/${run}/undo`, {});
    expect(body.undone).toMatchObject([{ id: "one", tool: "unbook", status: "success" }]);
    const { body: asked } = await send("GET", "/v1/confirmations");
    expect(asked.confirmations).toMatchObject([{ status: "rejected", decided_by: { via: "undo" } }]);
    await signIn(results[1].connect_url, "ada@acme.dev").catch(() => undefined);
    await volley.advance(60_000);
    expect([[...bookings.live], [...taken]]).toEqual([[], []]);
  },
);
