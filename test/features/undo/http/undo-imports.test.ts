import { describe, expect, test } from "vitest";

import { createCatalog } from "../../../../src/core/catalog/catalog.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { imports } from "../../../../src/features/imports/index.ts";
import { openApiTools } from "../../../../src/features/imports/openapi/open-api-tools.ts";
import { COMPENSATE } from "../../../../src/features/undo/compensation.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { openBookings, runUndo } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

const bodyOf = (field: string) => ({
  required: true,
  content: {
    "application/json": {
      schema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
    },
  },
});
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Bookings", version: "1" },
  servers: [{ url: "https://bookings.example.com" }],
  paths: {
    "/book": { post: { operationId: "createBooking", requestBody: bodyOf("name"), responses: {} } },
    "/unbook": { post: { operationId: "giveBack", requestBody: bodyOf("id"), responses: {} } },
    "/look": { get: { operationId: "look", responses: {} } },
    "/seats": { head: { operationId: "headSeats", responses: {} } },
  },
};
const PAIR = { operation: "giveBack", args: { id: { $ref: "result#/id" } } };

async function openImports(features = [discovery(), addedTools(), imports(), undo()]) {
  const bookings = openBookings({ "book fails": () => Response.json({}, { status: 400 }) });
  const volley = await createTestVolley({
    tools: [],
    features,
    routes: bookings.routes,
    key: { flags: ["manage_tools"] },
  });
  const send = async (compensate: object, more: object = {}) => {
    const body = JSON.stringify({ prefix: "b", openapi: DOCUMENT, compensate, ...more });
    const headers = { "content-type": "application/json" };
    const response = await volley.fetch("/v1/tools/import", { method: "POST", headers, body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { bookings, volley, send };
}

describe("An import says which of its operations takes another back", () => {
  test("and a batch of them is undone where one fails", async () => {
    const { bookings, volley, send } = await openImports();
    const imported = await send({ createBooking: PAIR });
    expect(imported, JSON.stringify(imported.body)).toMatchObject({ status: 200 });
    expect(imported.body["tools"]).toMatchObject([
      {
        name: "b_createBooking",
        orchestration: { compensate: { tool: "b_giveBack", args: { id: { $ref: "result#/id" } } } },
      },
      { name: "b_giveBack" },
      { name: "b_look" },
    ]);
    const { undone } = await runUndo(volley, [
      { id: "one", tool: "b_createBooking", args: { name: "a" } },
      { id: "two", tool: "b_createBooking", args: { name: "fails" }, depends_on: ["one"] },
    ]);
    expect(undone).toMatchObject([{ id: "one", tool: "b_giveBack", status: "success" }]);
    expect([...bookings.live]).toEqual([]);
  });

  test("with the contract and the name that its overrides give", async () => {
    const { send } = await openImports();
    const overrides = {
      createBooking: { orchestration: { mode: "parallel-safe", confirm: "always" } },
      giveBack: { name: "b_back" },
    };
    const imported = await send({ createBooking: PAIR }, { overrides, dry_run: true });
    const [booking] = imported.body["tools"] as { readonly orchestration: unknown }[];
    expect(booking!.orchestration).toEqual({
      mode: "parallel-safe",
      confirm: "always",
      compensate: { tool: "b_back", args: PAIR.args },
    });
  });

  test("and nothing is paired that it does not name", async () => {
    const { volley, send } = await openImports();
    expect(await send({})).toMatchObject({ status: 200 });
    const refused = await runUndo(volley, [{ id: "one", tool: "b_createBooking", args: { name: "a" } }]);
    expect(refused).toMatchObject({ code: "INVALID_BATCH" });
  });

  trial.each<[string, object, object, string]>([
    ["an operation that is none", { createBookings: PAIR }, {}, "/compensate/createBookings"],
    [
      "to be taken back by none",
      { createBooking: { operation: "give" } },
      {},
      "/compensate/createBooking/operation",
    ],
    [
      "by one that is not imported",
      { createBooking: PAIR },
      { include: ["createBooking"] },
      "/compensate/createBooking/operation",
    ],
    [
      "by one that no tool is made of",
      { createBooking: { operation: "headSeats" } },
      {},
      "/compensate/createBooking/operation",
    ],
    [
      "by a read",
      { createBooking: { operation: "look" } },
      {},
      "/b_createBooking/orchestration/compensate/tool",
    ],
    [
      "without what that needs",
      { createBooking: { operation: "giveBack" } },
      {},
      "/b_createBooking/orchestration/compensate/args/id",
    ],
    [
      "each other",
      { createBooking: PAIR, giveBack: { operation: "createBooking", args: { name: "a" } } },
      {},
      "/b_createBooking/orchestration/compensate/tool",
    ],
    ["a read", { look: PAIR }, {}, "/b_look/orchestration/compensate"],
  ])("but not %s", async (_, compensate, more, path) => {
    const { send } = await openImports();
    const refused = await send(compensate, more);
    expect(refused).toMatchObject({ status: 422, body: { code: "INVALID_TOOL" } });
    const issues = refused.body["issues"] as { readonly path: string }[];
    expect(issues.map((issue) => issue.path)).toContain(path);
  });

  test("of a document: not of an MCP server", async () => {
    const { send } = await openImports();
    const mcp = { url: "https://files.example.com/mcp" };
    expect(await send({ a: PAIR }, { openapi: undefined, mcp })).toMatchObject({
      status: 422,
      body: { code: "INVALID_REQUEST", detail: expect.stringContaining("'compensate' is for documents") },
    });
  });

  trial("and without the feature undo it is kept, and neither checked nor shown", async () => {
    const { send } = await openImports([discovery(), addedTools(), imports()]);
    expect(await send({ createBooking: { operation: "giveBack" } })).toMatchObject({ status: 200 });
  });

  test("also for the tools of a Worker of one's own", () => {
    const tools = openApiTools(DOCUMENT, { prefix: "b", compensate: { createBooking: PAIR } });
    expect(() => createCatalog(tools, null, { fields: [COMPENSATE] })).not.toThrow();
    expect(tools[0]!.brought).toEqual({ compensate: { tool: "b_giveBack", args: PAIR.args } });
  });
});

trial(
  "a write stands whose tool, or what takes it back, is there no more, and its entry says so",
  async () => {
    const { bookings, volley, send } = await openImports([
      discovery(),
      addedTools(),
      imports(),
      runs(),
      undo(),
    ]);
    await send({ createBooking: PAIR });
    const actions = [{ id: "a", tool: "b_createBooking", args: { name: "a" } }];
    const { batch_id: run } = await runUndo(volley, actions);
    await volley.advance(3_000);
    const ask = async (body: object) => {
      const init = { method: "POST", headers: { "content-type": "application/json" } };
      return (await volley.fetch(`/v1/runs/${run}/undo`, { ...init, body: JSON.stringify(body) })).json();
    };
    const stands = { id: "a", tool: "b_createBooking" };
    for (const name of ["b_giveBack", "b_createBooking"]) {
      expect((await volley.fetch(`/v1/tools/${name}`, { method: "DELETE" })).status).toBe(204);
      expect(await ask({ dry_run: true })).toEqual({ undone: [{ ...stands, asks: false }] });
    }
    const error = { code: "NOT_REVERSIBLE" };
    expect(await ask({})).toMatchObject({ undone: [{ ...stands, status: "error", error }] });
    expect([...bookings.live]).toEqual(["a"]);
  },
);
