import * as z from "zod/mini";
import { describe, expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { mcp } from "../../../../src/features/mcp/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { book, BOOKED, type Bookings, declare, openBookings, runUndo, TOOLS } from "./bookings.ts";

const failing = { "book fails": () => Response.json({}, { status: 400 }) };
const FAILS = { id: "fails", tool: "book", args: { name: "fails" } };
const ID = z.object({ id: z.string() });
const LARGE = { when: { "/name": { eq: "large" } } };

const backBy = (tool: string) => ({ compensate: { tool, args: { id: { $ref: "result#/id" } } } });

const ASKING = [
  ...TOOLS,
  declare("unbook_asked", "unbook", ID, { orchestration: { confirm: "always" } }),
  declare("unbook_large", "unbook", ID, { orchestration: { confirm: { when: { "/id": { eq: "large" } } } } }),
  declare("unbook_quiet", "unbook", ID, { actions: ["delete"] }),
  book("book_asked", { domain: "asked", orchestration: backBy("unbook_asked") }),
  book("book_large", { domain: "large", orchestration: backBy("unbook_large") }),
  book("book_quiet", { domain: "quiet", orchestration: backBy("unbook_quiet") }),
  book("gated", { orchestration: { confirm: "always" } }),
  book("gated_large", { orchestration: { confirm: LARGE } }),
];

const openAll = (bookings: Bookings): Promise<TestVolley> =>
  createTestVolley({
    tools: ASKING,
    features: [undo(), discovery(), confirmations(), addedTools(), flows(), background(), mcp()],
    routes: bookings.routes,
    key: { flags: ["manage_tools", "approve", "skip_approval"] },
  });

async function send(volley: TestVolley, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const init = { method, ...(body && { headers, body: JSON.stringify(body) }) };
  return (await volley.fetch(path, init)).json();
}

describe("a compensation that asks a person", () => {
  test.each(["book_asked", "book_large"])(
    "a batch with %s is refused before anything runs, and the refusal says why",
    async (tool) => {
      const bookings = openBookings(failing);
      const volley = await openAll(bookings);
      const answer = await runUndo(volley, [
        { tool: "book", args: { name: "a" } },
        { tool, args: { name: "b" } },
      ]);
      expect(answer).toMatchObject({ status: 422, code: "INVALID_BATCH" });
      expect(JSON.stringify(answer)).toContain(`'${tool}' is taken back by 'un`);
      expect(bookings.heard).toEqual([]);
    },
  );

  test("a flow with one is refused when it is kept", async () => {
    const volley = await openAll(openBookings());
    const actions = [{ tool: "book_asked", args: { name: "a" } }];
    const flow = { summary: "Books", input_schema: { type: "object" }, actions, on_error: "undo" };
    const refused = await send(volley, "PUT", "/v1/flows/asks", flow);
    expect(refused).toMatchObject({ status: 422, code: "INVALID_FLOW" });
    expect(JSON.stringify(refused)).toContain("unbook_asked");
  });

  test("with 'what-can' it is not sent, and its entry says why", async () => {
    const bookings = openBookings(failing);
    const actions = [
      { id: "job", tool: "book", args: { name: "a" } },
      { tool: "book_asked", args: { name: "b" } },
      { ...FAILS, depends_on: ["a1"] },
    ];
    const answer = await runUndo(await openAll(bookings), actions, { undo: "what-can" });
    expect(answer.undone).toMatchObject([
      { id: "a1", tool: "book_asked", status: "error", error: { code: "NOT_REVERSIBLE" } },
      { id: "job", tool: "unbook", status: "success" },
    ]);
    expect(JSON.stringify(answer.undone)).toContain("asks a person");
    expect([...bookings.live]).toEqual(["b"]);
  });

  test("one that a tool has only by default holds nothing back", async () => {
    const bookings = openBookings(failing);
    const actions = [
      { tool: "book_quiet", args: { name: "a" } },
      { ...FAILS, depends_on: ["a0"] },
    ];
    const answer = await runUndo(await openAll(bookings), actions);
    expect(answer.undone).toMatchObject([{ tool: "unbook_quiet", status: "success" }]);
    expect([...bookings.live]).toEqual([]);
  });
});

test("a secret that the way back would need is not kept: the write stands, and its entry says so", async () => {
  const bookings = openBookings(failing);
  const seals = declare("book_sealed", "book", z.object(BOOKED), {
    domain: "sealed",
    orchestration: backBy("unbook"),
    run: async (args, { fetch, conceal }) => {
      await fetch("https://bookings.example.com/book", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(args),
      });
      conceal("token-of-the-booking");
      return { id: "token-of-the-booking" };
    },
  });
  const volley = await createTestVolley({
    tools: [...TOOLS, seals],
    features: [undo()],
    routes: bookings.routes,
  });
  const actions = [
    { tool: "book_sealed", args: { name: "a" } },
    { ...FAILS, depends_on: ["a0"] },
  ];
  const answer = await runUndo(volley, actions);
  expect(answer.undone).toMatchObject([
    { id: "a0", tool: "book_sealed", status: "error", error: { code: "NOT_REVERSIBLE" } },
  ]);
  expect(JSON.stringify(answer)).toContain("secret");
  expect(JSON.stringify(answer)).not.toContain("token-of-the-booking");
  expect(bookings.heard).toEqual(["book a", "book fails"]);
});
