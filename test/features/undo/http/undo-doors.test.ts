import { describe, expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { document } from "../../../../src/features/document/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { mcp } from "../../../../src/features/mcp/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { book, type Bookings, openBookings, runUndo, TOOLS, type UndoneAnswer } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

const refuse = (status: number) => () => Response.json({}, { status });
const failing = { "book fails": refuse(400) };

const openAll = (bookings: Bookings): Promise<TestVolley> =>
  createTestVolley({
    tools: [...TOOLS, book("book_again", { idempotent: true, domain: "again" })],
    features: [undo(), discovery(), confirmations(), addedTools(), flows(), background(), mcp(), runs()],
    routes: bookings.routes,
    key: { flags: ["manage_tools", "approve"] },
  });

async function send(
  volley: TestVolley,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const headers = { "content-type": "application/json" };
  const init = { method, ...(body && { headers, body: JSON.stringify(body) }) };
  return (await (await volley.fetch(path, init)).json()) as Record<string, unknown>;
}

const FLOW = {
  summary: "Books two things",
  input_schema: { type: "object", properties: { last: { type: "string" } } },
  actions: [
    { id: "one", tool: "book", args: { name: "a" } },
    { id: "two", tool: "book", args: { name: { $ref: "input#/last" } } },
  ],
};

describe("flows", () => {
  test("a flow that says so is undone where it fails, and is shown as it was sent", async () => {
    const bookings = openBookings(failing);
    const volley = await openAll(bookings);
    const kept = await send(volley, "PUT", "/v1/flows/pair", { ...FLOW, on_error: "undo" });
    expect(kept).toMatchObject({ on_error: "undo" });
    expect(await send(volley, "GET", "/v1/flows/pair")).toMatchObject({ on_error: "undo" });
    const answer = await send(volley, "POST", "/v1/flows/pair/run", { input: { last: "fails" } });
    expect(answer["undone"]).toMatchObject([{ id: "one", tool: "unbook", status: "success" }]);
    expect([...bookings.live]).toEqual([]);
  });

  test("a flow with a write that has no way back is refused when it is kept", async () => {
    const volley = await openAll(openBookings());
    const actions = [{ id: "one", tool: "order", args: { name: "a" } }];
    const refused = await send(volley, "PUT", "/v1/flows/pair", { ...FLOW, actions, on_error: "undo" });
    expect(refused).toMatchObject({ status: 422, code: "INVALID_FLOW" });
    const more = { on_error: "undo", undo: "what-can" };
    expect(await send(volley, "PUT", "/v1/flows/pair", { ...FLOW, actions, ...more })).toMatchObject(more);
  });

  test("a flow with a mode that does not exist is refused with all that do", async () => {
    const refused = await send(await openAll(openBookings()), "PUT", "/v1/flows/pair", {
      ...FLOW,
      on_error: "fail-slow",
    });
    expect(refused).toMatchObject({
      code: "INVALID_FLOW",
      detail: expect.stringContaining('"fail-fast", "undo"'),
    });
  });

  trial("a flow that is one action has an entry for each of its writes", async () => {
    const bookings = openBookings(failing);
    const volley = await openAll(bookings);
    await send(volley, "PUT", "/v1/flows/pair", FLOW);
    const answer: UndoneAnswer = await runUndo(volley, [
      { id: "flow", tool: "pair", args: { last: "b" } },
      { id: "after", tool: "book_car", args: { name: "c" }, depends_on: ["flow"] },
      { id: "fails", tool: "book", args: { name: "fails" }, depends_on: ["after"] },
    ]);
    expect(answer.undone).toMatchObject([
      { id: "after", status: "success" },
      { id: "flow", action: "two", tool: "unbook", status: "success" },
      { id: "flow", action: "one", tool: "unbook", status: "success" },
    ]);
    expect(answer.results[0]!.meta.undone).toBe(true);
    expect([...bookings.live]).toEqual([]);
  });

  trial("what a flow wrote before it failed is taken back with the batch", async () => {
    const bookings = openBookings(failing);
    const volley = await openAll(bookings);
    await send(volley, "PUT", "/v1/flows/pair", FLOW);
    const answer = await runUndo(volley, [{ id: "flow", tool: "pair", args: { last: "fails" } }]);
    expect(answer.undone).toMatchObject([{ id: "flow", action: "one", status: "success" }]);
    expect([...bookings.live]).toEqual([]);
  });
});

trial(
  "a loop of a flow is taken back after what depended on it, in whatever domain, by its batch and when somebody asks",
  async () => {
    const busy = (times: number) => (times % 2 === 1 ? Response.json({}, { status: 503 }) : undefined);
    const bookings = openBookings({ ...failing, "unbook last": busy });
    const volley = await openAll(bookings);
    const loop = {
      id: "loop",
      tool: "book_car",
      for_each: ["a", "b"],
      args: { name: { $ref: "item#" } },
    };
    const last = { id: "last", tool: "book", args: { name: "last" }, depends_on: ["loop"] };
    await send(volley, "PUT", "/v1/flows/loops", { ...FLOW, actions: [loop, last] });
    const order = ["unbook last", "unbook last", "unbook b", "unbook a"];
    const flow = { id: "flow", tool: "loops", args: {} };
    const answer = await runUndo(volley, [
      flow,
      { id: "fails", tool: "book", args: { name: "fails" }, depends_on: ["flow"] },
    ]);
    expect(answer.undone?.map(({ status }) => status)).toEqual(["success", "success", "success"]);
    expect(bookings.heard.splice(0).slice(-4)).toEqual(order);
    const { batch_id: id } = await send(volley, "POST", "/v1/execute_actions", { actions: [flow] });
    await volley.advance(5_000);
    await send(volley, "POST", `/v1/runs/${String(id)}/undo`, {});
    await volley.advance(60_000);
    expect(bookings.heard.slice(-4)).toEqual(order);
  },
);

describe("batches in the background", () => {
  const actions = [
    { id: "all", tool: "book", for_each: ["a", "b"], args: { name: { $ref: "item#" } } },
    { id: "car", tool: "book_car", args: { name: "c" }, depends_on: ["all"] },
    { id: "fails", tool: "book", args: { name: "fails" }, depends_on: ["car"] },
  ];

  trial("one that fails is undone", async () => {
    const bookings = openBookings(failing);
    const volley = await openAll(bookings);
    await runUndo(volley, actions, { background: true });
    await volley.advance(60_000);
    expect(bookings.heard.slice(-3)).toEqual(["unbook c", "unbook b", "unbook a"]);
    expect([...bookings.live]).toEqual([]);
  });

  trial("one that succeeds stays", async () => {
    const bookings = openBookings();
    const volley = await openAll(bookings);
    await runUndo(volley, actions, { background: true });
    await volley.advance(600_000);
    expect([...bookings.live].toSorted()).toEqual(["a", "b", "c", "fails"]);
  });

  trial("one whose action is tried again is undone only where that does not succeed in the end", async () => {
    const bookings = openBookings({
      "book d": (times) => (times === 1 ? Response.json({}, { status: 429 }) : undefined),
    });
    const volley = await openAll(bookings);
    await runUndo(
      volley,
      [
        { tool: "book", args: { name: "a" } },
        { tool: "book_again", args: { name: "d" } },
      ],
      { background: true },
    );
    await volley.advance(600_000);
    expect([...bookings.live].toSorted()).toEqual(["a", "d"]);
    expect(bookings.heard.some((word) => word.startsWith("unbook"))).toBe(false);
  });

  trial("one that is cancelled is undone", async () => {
    const bookings = openBookings({ "book c": () => new Promise(() => {}) });
    const volley = await openAll(bookings);
    const { job_id } = (await runUndo(volley, actions, { background: true })) as unknown as {
      job_id: string;
    };
    await volley.advance(500);
    await send(volley, "POST", `/v1/jobs/${job_id}/cancel`);
    await volley.advance(60_000);
    expect([...bookings.live]).toEqual([]);
  });

  test("one with a write that has no way back is refused before it is recorded", async () => {
    const volley = await openAll(openBookings());
    const answer = await runUndo(volley, [{ tool: "order", args: { name: "a" } }], { background: true });
    expect(answer).toMatchObject({ status: 422, code: "INVALID_BATCH" });
  });
});

test("execute_actions over MCP takes it, and its answer has what was taken back", async () => {
  const bookings = openBookings(failing);
  const volley = await openAll(bookings);
  const args = {
    on_error: "undo",
    actions: [
      { tool: "book", args: { name: "a" } },
      { tool: "book", args: { name: "fails" } },
    ],
  };
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "execute_actions", arguments: args },
  };
  const response = await volley.fetch("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify(message),
  });
  expect(await response.text()).toContain("unbook");
  expect([...bookings.live]).toEqual([]);
});

describe("the API document", () => {
  type Schemas = Readonly<Record<string, { readonly properties: Readonly<Record<string, object>> }>>;
  const schemasOf = async (volley: TestVolley): Promise<Schemas> => {
    const { components } = await send(volley, "GET", "/openapi.json");
    return (components as { readonly schemas: Schemas }).schemas;
  };

  trial("has every field of an answer to a batch that was undone", async () => {
    const volley = await createTestVolley({
      tools: TOOLS,
      features: [undo(), document()],
      routes: openBookings(failing).routes,
    });
    const { Envelope, ResultMeta, UndoneWrite } = await schemasOf(volley);
    const answer = await runUndo(volley, [
      { id: "one", tool: "book", args: { name: "a" } },
      { id: "two", tool: "book", args: { name: "fails" }, depends_on: ["one"] },
    ]);
    expect(Object.keys(Envelope!.properties)).toEqual(expect.arrayContaining(Object.keys(answer)));
    expect(Envelope!.properties["undone"]).toMatchObject({
      items: { $ref: "#/components/schemas/UndoneWrite" },
    });
    expect(Object.keys(UndoneWrite!.properties)).toEqual(
      expect.arrayContaining(Object.keys(answer.undone![0]!)),
    );
    expect(Object.keys(ResultMeta!.properties)).toEqual(
      expect.arrayContaining(Object.keys(answer.results[0]!.meta)),
    );
  });

  test("has none of them where the feature is not listed", async () => {
    const { Envelope, ResultMeta } = await schemasOf(
      await createTestVolley({ tools: [], features: [document()] }),
    );
    expect(Object.keys({ ...Envelope!.properties, ...ResultMeta!.properties })).not.toContain("undone");
  });
});
