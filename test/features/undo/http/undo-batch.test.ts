import * as z from "zod/mini";
import { describe, expect, test } from "vitest";

import { createTestVolley } from "../../../../src/package/testing.ts";
import { book, declare, openBookings, openVolley, runUndo, TOOLS, type UndoneAnswer } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

const refuse = (status: number) => () => Response.json({}, { status });

describe("a batch that is undone where it fails", () => {
  test("a batch that succeeds stays as it is, and says nothing of undo", async () => {
    const bookings = openBookings();
    const answer = await runUndo(await openVolley(bookings), [{ tool: "book", args: { name: "a" } }]);
    expect(answer.results[0]).toMatchObject({ status: "success" });
    expect(answer.undone).toBeUndefined();
    expect([...bookings.live]).toEqual(["a"]);
  });

  test("each write that succeeded is taken back, the last one first, and each result says so", async () => {
    const bookings = openBookings({ "book c": refuse(400) });
    const answer = await runUndo(await openVolley(bookings), [
      { tool: "book", args: { name: "a" } },
      { tool: "book", args: { name: "b" } },
      { tool: "book", args: { name: "c" } },
    ]);
    expect(bookings.heard).toEqual(["book a", "book b", "book c", "unbook b", "unbook a"]);
    expect([...bookings.live]).toEqual([]);
    expect(answer.undone).toEqual([
      { id: "a1", tool: "unbook", status: "success", data: { gone: "b" } },
      { id: "a0", tool: "unbook", status: "success", data: { gone: "a" } },
    ]);
    expect(answer.results.map(({ status, meta }) => [status, meta.undone])).toEqual([
      ["success", true],
      ["success", true],
      ["error", undefined],
    ]);
  });

  test("domains are taken back side by side, and what depended on another write before it", async () => {
    const bookings = openBookings({ "book d": refuse(400) });
    const answer = await runUndo(await openVolley(bookings), [
      { id: "room", tool: "book", args: { name: "a" } },
      { id: "car", tool: "book_car", args: { name: "b", note: { $ref: "room#/id" } } },
      { id: "later", tool: "book", args: { name: "c" } },
      { id: "fails", tool: "book", args: { name: "d" }, depends_on: ["car", "later"] },
    ]);
    expect(answer.undone?.map(({ id }) => id)).toEqual(["later", "car", "room"]);
    expect(bookings.heard.slice(4).toSorted()).toEqual(["unbook a", "unbook b", "unbook c"]);
    expect(bookings.heard.at(-1)).toBe("unbook a");
  });

  test("what depended on a write through a read is taken back before it too", async () => {
    const bookings = openBookings({ "book c": refuse(400) });
    const answer = await runUndo(await openVolley(bookings), [
      { id: "room", tool: "book", args: { name: "a" } },
      { id: "seen", tool: "look", depends_on: ["room"] },
      { id: "car", tool: "book_car", args: { name: "b", note: { $ref: "seen#" } } },
      { id: "fails", tool: "book", args: { name: "c" }, depends_on: ["car"] },
    ]);
    expect(answer.undone?.map(({ id }) => id)).toEqual(["car", "room"]);
    expect(bookings.heard.slice(-2)).toEqual(["unbook b", "unbook a"]);
  });

  test("what a contract says to depend on another write is taken back before it, in whatever domain", async () => {
    const first = book("reserve", { domain: "rooms" });
    const then = book("book_fitting", {
      domain: "cars",
      orchestration: {
        mode: "dependent",
        depends_on: [{ tool: "reserve", required_fields: ["note"], from: { note: "/id" } }],
      },
    });
    const busy = (times: number) => (times === 1 ? Response.json({}, { status: 503 }) : undefined);
    const bookings = openBookings({ "book d": refuse(400), "unbook a": busy });
    const volley = await openVolley(bookings, [...TOOLS, first, then]);
    const { undone } = await runUndo(volley, [
      { id: "room", tool: "reserve", args: { name: "b" } },
      { id: "car", tool: "book_fitting", args: { name: "a" } },
      { id: "fails", tool: "book", args: { name: "d" }, depends_on: ["car"] },
    ]);
    expect(undone).toMatchObject([{ id: "car" }, { id: "room" }]);
    expect(bookings.heard.slice(-3)).toEqual(["unbook a", "unbook a", "unbook b"]);
  });

  test("a compensation that is sent at most once is lost: it is not sent again, and its entry is 'unknown'", async () => {
    const once = declare("unbook_once", "unbook", z.object({ id: z.string() }), { delivery: "at-most-once" });
    const compensate = { tool: "unbook_once", args: { id: { $ref: "result#/id" } } };
    const bookings = openBookings({ "book b": refuse(400), "unbook a": refuse(504) });
    const volley = await openVolley(bookings, [
      ...TOOLS,
      once,
      book("book_once", { orchestration: { compensate } }),
    ]);
    const { undone, results } = await runUndo(volley, [
      { id: "one", tool: "book_once", args: { name: "a" } },
      { tool: "book", args: { name: "b" }, depends_on: ["one"] },
    ]);
    expect(undone).toMatchObject([{ id: "one", tool: "unbook_once", status: "unknown" }]);
    expect(results[0]!.meta.undone).toBe("unknown");
    await volley.advance(3_600_000);
    expect(bookings.heard.filter((word) => word === "unbook a")).toHaveLength(1);
  });

  test("each element of a loop that succeeded is an entry, and the loop is undone when all of them are", async () => {
    const bookings = openBookings({ "book c": refuse(400) });
    const answer = await runUndo(await openVolley(bookings), [
      { id: "all", tool: "book", for_each: ["a", "b", "c"], args: { name: { $ref: "item#" } } },
    ]);
    expect(answer.undone).toMatchObject([
      { id: "all", element: 1, tool: "unbook", status: "success" },
      { id: "all", element: 0, tool: "unbook", status: "success" },
    ]);
    expect(answer.results[0]).toMatchObject({ status: "error", meta: { undone: true } });
    expect(bookings.live.size).toBe(0);
  });

  test("a batch with a write that has no way back is refused before anything runs, and names it", async () => {
    const bookings = openBookings();
    const answer = await runUndo(await openVolley(bookings), [
      { tool: "book", args: { name: "a" } },
      { id: "order", tool: "order", args: { name: "b" } },
    ]);
    expect(answer).toMatchObject({ status: 422, code: "INVALID_BATCH" });
    expect(JSON.stringify(answer)).toContain("'order'");
    expect(bookings.heard).toEqual([]);
  });

  test("with 'what-can' a write without a way back stays, and its entry says so", async () => {
    const bookings = openBookings({ "book c": refuse(400) });
    const answer = await runUndo(
      await openVolley(bookings),
      [
        { tool: "book", args: { name: "a" } },
        { tool: "order", args: { name: "b" } },
        { tool: "book", args: { name: "c" } },
      ],
      { undo: "what-can" },
    );
    expect(answer.undone).toMatchObject([
      { id: "a1", tool: "order", status: "error", error: { code: "NOT_REVERSIBLE" } },
      { id: "a0", tool: "unbook", status: "success" },
    ]);
    expect(answer.results.map(({ meta }) => meta.undone)).toEqual([true, false, undefined]);
    expect([...bookings.live]).toEqual(["b"]);
  });

  test.each([
    [{ undo: "what-can", on_error: "fail-fast" }, "beside"],
    [{ undo: "everything" }, "what-can"],
  ])("a batch with %j is refused", async (more, said) => {
    const answer = await runUndo(await openVolley(openBookings()), [{ tool: "look" }], more);
    expect(answer).toMatchObject({ status: 422, code: "INVALID_BATCH" });
    expect(JSON.stringify(answer)).toContain(said);
  });

  test("a mode that does not exist is refused with all that do, and with the one that it is like", async () => {
    const volley = await openVolley(openBookings());
    const answer = await runUndo(volley, [{ tool: "look" }], { on_error: "undoo" });
    expect(answer).toMatchObject({
      code: "INVALID_BATCH",
      path: "/on_error",
      expected: 'one of "partial-success", "fail-fast", "undo"',
      detail: expect.stringMatching(/^"on_error" must be .* Did you mean 'undo'\?$/),
    });
    expect(await runUndo(volley, [{ tool: "look" }], { on_error: null })).toMatchObject({
      summary: { ok: 1 },
    });
  });

  test("a Worker without the feature knows no such batch", async () => {
    const volley = await createTestVolley({ tools: [], routes: {} });
    const answer = await runUndo(volley, [{ tool: "book", args: { name: "a" } }]);
    expect(answer).toMatchObject({ status: 422, code: "INVALID_BATCH" });
  });

  test("a batch of reads that fails has nothing to take back", async () => {
    const answer = await runUndo(await openVolley(openBookings()), [{ tool: "nothing" }]);
    expect(answer.undone).toEqual([]);
  });

  test("a compensation that fails for now is tried again, under the same key, and is 'initiated' until then", async () => {
    const keys: (string | undefined)[] = [];
    const bookings = openBookings({
      "book b": refuse(400),
      "unbook a": (times) => (times < 3 ? Response.json({}, { status: 503 }) : undefined),
    });
    const volley = await openVolley(bookings);
    const actions = [
      { tool: "book", args: { name: "a" } },
      { tool: "book", args: { name: "b" } },
    ];
    const answer = await runUndo(volley, actions, { deadline_ms: 500 });
    expect(answer.undone).toMatchObject([{ id: "a0", tool: "unbook", status: "initiated" }]);
    expect(answer.results[0]!.meta.undone).toBe(false);
    await volley.advance(60_000);
    expect([...bookings.live]).toEqual([]);
    for (const { url, headers } of volley.requests)
      if (url.endsWith("/unbook")) keys.push(headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(3);
  });

  test.each([404, 410])(
    "a %i to a later attempt says that an earlier one has taken it back",
    async (status) => {
      const bookings = openBookings({
        "book b": refuse(400),
        "unbook a": (times) => Response.json({}, { status: times === 1 ? 500 : status }),
      });
      const answer = await runUndo(await openVolley(bookings), PAIR);
      expect(answer.undone).toMatchObject([{ status: "success" }]);
    },
  );

  trial("any other refusal of a later attempt leaves open what the earlier one did", async () => {
    const bookings = openBookings({
      "book b": refuse(400),
      "unbook a": (times) => Response.json({}, { status: times === 1 ? 500 : 403 }),
    });
    const answer = await runUndo(await openVolley(bookings), PAIR);
    expect(answer.undone).toMatchObject([{ status: "unknown", error: { code: "UPSTREAM_ERROR" } }]);
    expect(answer.results[0]!.meta.undone).toBe("unknown");
  });

  trial(
    "a refusal of the first attempt is an error, and what comes after it is taken back all the same",
    async () => {
      const bookings = openBookings({ "book c": refuse(400), "unbook b": refuse(404) });
      const answer = await runUndo(await openVolley(bookings), [
        { tool: "book", args: { name: "a" } },
        { tool: "book", args: { name: "b" } },
        { tool: "book", args: { name: "c" } },
      ]);
      expect(answer.undone).toMatchObject([
        { id: "a1", status: "error", error: { code: "NOT_FOUND" } },
        { id: "a0", status: "success" },
      ]);
    },
  );

  trial("a write in doubt is not taken back blindly", async () => {
    const bookings = openBookings({ "book b": refuse(504) });
    const answer = await runUndo(await openVolley(bookings), PAIR);
    expect(answer.undone).toMatchObject([
      { id: "a1", tool: "book", status: "unknown" },
      { id: "a0", tool: "unbook", status: "success" },
    ]);
    expect(answer.results[1]!.meta.undone).toBe("unknown");
  });

  trial("a write that is under way at the deadline is taken back once it has ended", async () => {
    const bookings = openBookings({});
    const volley = await openVolley({
      ...bookings,
      routes: {
        ...bookings.routes,
        "POST https://bookings.example.com/book": async (request, { sleep }) => {
          const { name } = request.json() as { name: string };
          if (name === "b") await sleep(3_000);
          bookings.live.add(name);
          return { id: name };
        },
      },
    });
    const answer = await runUndo(volley, PAIR, { deadline_ms: 1_000 });
    expect(answer.results.map(({ status }) => status)).toEqual(["success", "unknown"]);
    expect(answer.undone).toMatchObject([
      { id: "a1", status: "unknown" },
      { id: "a0", status: "initiated" },
    ]);
    await volley.advance(10_000);
    expect([...bookings.live]).toEqual([]);
  });

  trial("the stream tells of each entry once, when it is settled, and ends with the whole", async () => {
    const fails = (times: number) => (times === 1 ? Response.json({}, { status: 503 }) : undefined);
    const bookings = openBookings({ "book b": refuse(400), "unbook a": fails });
    const volley = await openVolley(bookings);
    const actions = [...PAIR, { tool: "book_car", args: { name: "c" } }];
    const sent = volley.fetch("/v1/execute_actions", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ actions, on_error: "undo" }),
    });
    const reading = sent.then((response) => response.text());
    await volley.advance(10_000);
    const text = await reading;
    const [car, own] = [
      ["a2", "c"],
      ["a0", "a"],
    ].map(([id, gone]) => ({ id, tool: "unbook", status: "success", data: { gone } }));
    const told = text.split("event: undone\ndata: ").slice(1);
    expect(told.map((one) => one.split("\n")[0])).toEqual([car, own].map((one) => JSON.stringify(one)));
    const done = JSON.parse(text.split("event: done\ndata: ")[1]!) as UndoneAnswer;
    expect(done.undone).toHaveLength(2);
    expect(done.undone).toEqual(expect.arrayContaining([car, own]));
    expect(done.results[0]!.meta.undone).toBe(true);
  });
});

const PAIR = [
  { tool: "book", args: { name: "a" } },
  { tool: "book", args: { name: "b" } },
];
