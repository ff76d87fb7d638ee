import { describe, expect, test } from "vitest";

import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { book, openBookings, openVolley, runUndo, TOOLS, type UndoneAnswer, VERIFY } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

const refuse = (status: number) => () => Response.json({}, { status });

/** Fails after what is before it. */
const FAILS = { id: "fails", tool: "book", args: { name: "fails" } };
const failing = { "book fails": refuse(400) };
const ONCE = {
  execution: "fire-and-forget",
  delivery: "at-most-once",
  domain: "seen",
  orchestration: VERIFY,
} as const;
const SEEN = [...TOOLS, book("book_seen_later", ONCE)];

describe("jobs of a batch that is undone", () => {
  test("a job that has not begun is cancelled", async () => {
    const bookings = openBookings(failing);
    const volley = await openVolley(bookings);
    const run_at = new Date(volley.now() + 3_600_000).toISOString();
    const answer = await runUndo(volley, [
      { id: "job", tool: "book_later", args: { name: "a" }, run_at },
      { ...FAILS, depends_on: ["job"] },
    ]);
    expect(answer.undone).toMatchObject([{ id: "job", tool: "unbook", status: "cancelled" }]);
    expect(answer.results[0]).toMatchObject({ status: "initiated", meta: { undone: true } });
    await volley.advance(2 * 3_600_000);
    expect(bookings.heard).toEqual(["book fails"]);
  });

  test("a job that is under way gets no further attempt, and is taken back when that one succeeds", async () => {
    let letGo = (): void => {};
    const held = new Promise<undefined>((resolve) => (letGo = () => resolve(undefined)));
    const bookings = openBookings({ ...failing, "book a": () => held as Promise<never> });
    const volley = await openVolley(bookings);
    const actions = [
      { id: "job", tool: "book_later", args: { name: "a" } },
      { ...FAILS, depends_on: ["job"] },
    ];
    const answer = await runUndo(volley, actions, { deadline_ms: 1_000 });
    expect(answer.undone).toMatchObject([{ id: "job", tool: "unbook", status: "initiated" }]);
    letGo();
    await volley.advance(5_000);
    expect(bookings.heard).toContain("unbook a");
    expect([...bookings.live]).toEqual([]);
  });

  test("a job that waits for its next attempt is cancelled", async () => {
    const bookings = openBookings({ ...failing, "book a": () => Response.json({}, { status: 429 }) });
    const volley = await openVolley(bookings);
    const actions = [
      { id: "job", tool: "book_later", args: { name: "a" } },
      { ...FAILS, depends_on: ["job"] },
    ];
    const answer = await runUndo(volley, actions, { deadline_ms: 5_000 });
    expect(answer.undone).toMatchObject([{ id: "job", status: "cancelled" }]);
    await volley.advance(600_000);
    expect(bookings.heard.filter((word) => word === "book a")).toHaveLength(1);
    expect(bookings.heard.filter((word) => word.startsWith("unbook"))).toEqual([]);
  });

  test("a job that fails after the answer undoes nothing", async () => {
    const bookings = openBookings({ "book job": refuse(400) });
    const volley = await openVolley(bookings);
    const answer = await runUndo(volley, [
      { tool: "book", args: { name: "a" } },
      { tool: "book_later", args: { name: "job" } },
    ]);
    expect(answer.undone).toBeUndefined();
    await volley.advance(600_000);
    expect([...bookings.live]).toEqual(["a"]);
  });

  test("a job whose output was too large to keep is taken back by the whole of it", async () => {
    const note = "n".repeat(300_000);
    const bookings = openBookings({
      ...failing,
      "book a": () => {
        bookings.live.add("a");
        return Response.json({ note, id: "a" });
      },
    });
    const volley = await openVolley(bookings);
    const { undone } = await runUndo(volley, [
      { id: "job", tool: "book_later", args: { name: "a" } },
      { ...FAILS, depends_on: ["job"] },
    ]);
    await volley.advance(60_000);
    expect(undone).toMatchObject([{ id: "job", tool: "unbook" }]);
    expect([...bookings.live]).toEqual([]);
  });

  test("each element of a loop of jobs is an entry", async () => {
    const bookings = openBookings(failing);
    const volley = await openVolley(bookings);
    const answer = await runUndo(volley, [
      { id: "jobs", tool: "book_later", for_each: ["a", "b"], args: { name: { $ref: "item#" } } },
      { ...FAILS, depends_on: ["jobs"] },
    ]);
    expect(answer.undone?.map(({ id, element }) => [id, element]).toSorted()).toEqual([
      ["jobs", 0],
      ["jobs", 1],
    ]);
    await volley.advance(60_000);
    expect(bookings.live.size).toBe(0);
  });
});

describe("writes in doubt that can be looked up", () => {
  const lose = (bookings: ReturnType<typeof openBookings>, isDone: boolean) => () => {
    if (isDone) bookings.live.add("a");
    return Response.json({}, { status: 504 });
  };
  const open = async (isDone: boolean) => {
    const answers: Record<string, () => Response> = { ...failing };
    const bookings = openBookings(answers);
    answers["book a"] = lose(bookings, isDone);
    const volley = await createTestVolley({
      tools: SEEN,
      features: [undo(), runs()],
      routes: bookings.routes,
    });
    const send = (more: object = {}): Promise<UndoneAnswer> =>
      runUndo(volley, [{ id: "seen", tool: "book_seen", args: { name: "a" } }], more);
    return { bookings, volley, send };
  };

  test("one that is found is taken back by what the read found", async () => {
    const { bookings, send } = await open(true);
    const { undone, results } = await send();
    expect(undone).toMatchObject([{ id: "seen", tool: "unbook", status: "success" }]);
    expect(results[0]!.meta.undone).toBe(true);
    expect([...bookings.live]).toEqual([]);
  });

  trial(
    "one that is not found is 'initiated', looked for once more after 30 s, and has no entry if it is not there",
    async () => {
      const { bookings, volley, send } = await open(false);
      const { undone } = await send({ deadline_ms: 2_000 });
      expect(undone).toMatchObject([{ id: "seen", status: "initiated" }]);
      await volley.advance(120_000);
      const looks = bookings.heard.filter((word) => word === "look for a").length;
      await volley.advance(600_000);
      expect(bookings.heard.filter((word) => word === "look for a")).toHaveLength(looks);
      expect(bookings.heard.some((word) => word.startsWith("unbook"))).toBe(false);
    },
  );

  trial("one that is found only the second time is taken back then", async () => {
    const { bookings, volley, send } = await open(false);
    await send({ deadline_ms: 2_000 });
    bookings.live.add("a");
    await volley.advance(120_000);
    expect([...bookings.live]).toEqual([]);
  });

  trial.each([
    ["elements", "book_seen", { for_each: ["a"], args: { name: { $ref: "item#" } } }, { element: 0 }],
    ["jobs", "book_seen_later", { args: { name: "a" } }, {}],
    [
      "jobs of loops",
      "book_seen_later",
      { for_each: ["a"], args: { name: { $ref: "item#" } } },
      { element: 0 },
    ],
  ])(
    "%s are looked up too: one that is found is taken back, of one that is not there is no entry",
    async (_, tool, more, place) => {
      for (const isDone of [true, false]) {
        const { bookings, volley } = await open(isDone);
        const { batch_id: run, undone } = await runUndo(volley, [
          { id: "seen", tool, ...more },
          { ...FAILS, depends_on: tool === "book_seen" ? [] : ["seen"] },
        ]);
        await volley.advance(120_000);
        const entry = { id: "seen", ...place, tool: "unbook", status: "success" };
        expect(bookings.heard.filter((word) => word === "book a")).toHaveLength(1);
        expect(bookings.heard.filter((word) => word === "look for a").length).toBeGreaterThan(0);
        expect(bookings.heard.filter((word) => word === "unbook a")).toHaveLength(isDone ? 1 : 0);
        expect([...bookings.live]).toEqual([]);
        const shown = await volley.fetch(`/v1/runs/${run}`);
        const { undone: told = [] } = (await shown.json()) as UndoneAnswer;
        expect(told).toMatchObject(isDone ? [entry] : []);
        expect(undone).toHaveLength(1);
      }
    },
  );

  trial("what was found and is being taken back is not looked for again", async () => {
    const answers: Record<string, (times: number) => Response | undefined> = {
      "unbook a": (times) => {
        if (times > 1) return undefined;
        bookings.live.delete("a");
        return Response.json({}, { status: 503 });
      },
    };
    const bookings = openBookings(answers);
    answers["book a"] = lose(bookings, true);
    const volley = await openVolley(bookings);
    const { undone } = await runUndo(volley, [{ id: "seen", tool: "book_seen", args: { name: "a" } }]);
    expect(undone).toMatchObject([{ id: "seen", status: "success" }]);
    expect(bookings.heard.filter((word) => word === "unbook a")).toHaveLength(2);
  });
});

describe("writes in doubt that cannot be looked up", () => {
  const ONE = { tool: "book", args: { name: "a" } };
  const LOOP = { tool: "book", for_each: ["a"], args: { name: { $ref: "item#" } } };
  const cut = (): never => {
    throw new TypeError("Network connection lost.");
  };
  test.each([
    ["a write", ONE, cut, "UPSTREAM_ERROR"],
    ["a write that was answered 504", ONE, refuse(504), "UPSTREAM_ERROR"],
    [
      "a write that took too long",
      { ...ONE, timeout_ms: 100 },
      () => new Promise<never>(() => {}),
      "TIMEOUT",
    ],
    ["an element of a loop", LOOP, cut, "UPSTREAM_ERROR"],
    ["a job", { tool: "book_once", args: { name: "a" } }, cut, "UPSTREAM_ERROR"],
  ])("the entry of %s has the code of its failure", async (_, action, answer, code) => {
    const bookings = openBookings({ ...failing, "book a": answer });
    const { domain, ...once } = ONCE;
    const tools = [...TOOLS, book("book_once", { ...once, domain, orchestration: {} })];
    const volley = await createTestVolley({ tools, features: [undo(), runs()], routes: bookings.routes });
    const lost = { ...action, id: "lost" };
    const failed = { ...FAILS, depends_on: action.tool === "book_once" ? ["lost"] : [] };
    const entry = { id: "lost", tool: action.tool, status: "unknown", error: { code, retryable: false } };
    const told = async (how: string): Promise<unknown> => {
      const { batch_id: run } = await runUndo(volley, [lost, failed], { on_error: how });
      await volley.advance(120_000);
      const [path, init] = how === "undo" ? ["", {}] : ["/undo", { method: "POST" }];
      const { undone } = (await (await volley.fetch(`/v1/runs/${run}${path}`, init)).json()) as UndoneAnswer;
      return undone;
    };
    expect(await told("undo")).toMatchObject([entry]);
    expect(await told("partial-success")).toMatchObject([entry]);
  });
});
