import { describe, expect, test } from "vitest";
import * as z from "zod/mini";

import type { Caller } from "../../../../src/core/contract/gate/caller.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import type { BegunWrite } from "../../../../src/features/undo/undo-run.ts";
import type { UndoMethods } from "../../../../src/features/undo/undo-methods.ts";
import { defineFeature } from "../../../../src/feature/define.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { createRandom } from "../../../support/random.ts";
import { declare, openBookings, openVolley, runUndo, TOOLS, type UndoneAnswer, VERIFY } from "./bookings.ts";
import { samples } from "../../../support/samples.ts";
import { trial } from "../../../support/trial.ts";

// A Worker that is killed says nothing any more: here the tenant's object hears what one had said until then.

const CALLER: Caller = {
  name: "test",
  tenant: "test",
  tools: ["*"],
  quota: { limit: 1_000, windowS: 60 },
  flags: [],
};
const FACTS = { caller: CALLER, requestId: "r" };
const RUN = "00000000-0000-4000-8000-0000000000aa";
/** How it ended: without a failure, and with one. */
const WELL = { isFailed: false, jobs: [], questions: [], needs: {} };
const BADLY = { ...WELL, isFailed: true };

const write = (id: string, seq: number, more: Partial<BegunWrite> = {}): BegunWrite => ({
  id,
  seq,
  element: null,
  tool: "book",
  domain: "bookings",
  needs: [],
  ...more,
});

const done = (name: string, seq: number) =>
  ({
    kind: "done",
    seq,
    by: { tool: "unbook", argsJson: JSON.stringify({ id: name }), delivery: "at-least-once" },
  }) as const;

type Call = <Name extends keyof UndoMethods>(
  method: Name,
  ...args: Parameters<UndoMethods[Name]>
) => Promise<ReturnType<UndoMethods[Name]>>;

async function openObject() {
  const bookings = openBookings();
  let env: Readonly<Record<string, unknown>> = {};
  const spy = () =>
    defineFeature({
      name: "spy",
      hears: (configured) => {
        ({ env } = configured);
        return { listen: () => undefined };
      },
    });
  const features = [undo(), spy()];
  const input = z.object({ name: z.optional(z.string()) });
  const lost = declare("book_lost", "book", input, { orchestration: VERIFY });
  const routes = {
    ...bookings.routes,
    "GET https://bookings.example.com/booked/*": () => new Promise(() => {}),
  };
  const volley = await createTestVolley({ tools: [...TOOLS, lost], features, routes });
  // The first request reads the configuration.
  await volley.fetch("/healthz");
  const spaces = env["TENANT_GATE"] as {
    idFromName(name: string): unknown;
    get(id: unknown): { call(...args: unknown[]): Promise<never> };
  };
  const stub = spaces.get(spaces.idFromName(CALLER.tenant));
  const call: Call = (...asked: readonly unknown[]) => stub.call("undo", ...asked);
  return { bookings, volley, call };
}

test("a run that says nothing any more is taken for lost, and its writes are taken back", async () => {
  const { bookings, volley, call } = await openObject();
  bookings.live.add("a");
  await call("begin", RUN, write("a", 1), FACTS);
  await call("end", RUN, { id: "a", element: null }, done("a", 2));
  await call("begin", RUN, write("b", 3), FACTS);
  await volley.advance(9_000);
  expect([...bookings.live]).toEqual(["a"]);
  volley.evict();
  await volley.advance(3_000);
  expect([...bookings.live]).toEqual([]);
  expect(await call("looks", [RUN])).toMatchObject({
    isSettled: true,
    entries: [
      {
        id: "b",
        tool: "book",
        status: "unknown",
        error: { code: "INTERNAL", hint: expect.stringContaining("Volley stopped before it had the answer") },
      },
      { id: "a", tool: "unbook", status: "success" },
    ],
  });
});

test("a run that goes on for longer than it may say nothing is not taken for lost", async () => {
  const bookings = openBookings();
  const held = Promise.withResolvers<object>();
  const wait = { isWrite: false, timeoutMs: 60_000, run: () => held.promise };
  const volley = await openVolley(bookings, [...TOOLS, declare("wait", "wait", z.object({}), wait)]);
  const actions = [
    { id: "a", tool: "book", args: { name: "a" } },
    { id: "b", tool: "wait", args: {}, depends_on: ["a"] },
  ];
  const running = runUndo(volley, actions, { deadline_ms: 60_000 });
  for (let times = 0; times < 10; times += 1) await volley.advance(3_000);
  held.resolve({});
  const { results } = await running;
  expect(results.map(({ status }) => status)).toEqual(["success", "success"]);
  expect(bookings.heard).toEqual(["book a"]);
});

test("nothing of a run that was taken for lost may be sent any more", async () => {
  const { volley, call } = await openObject();
  expect(await call("begin", RUN, write("a", 1), FACTS)).toBe(true);
  await volley.advance(12_000);
  expect(await call("begin", RUN, write("b", 2), FACTS)).toBe(false);
  expect(await call("hold", RUN)).toBe(false);
  expect(await call("close", RUN, FACTS, WELL)).toMatchObject({ entries: [{ id: "a", status: "unknown" }] });
});

describe("a run that comes again under the keys of one that was lost", () => {
  const NEXT = "00000000-0000-4000-8000-0000000000bb";
  const keyed = (id: string, seq: number) => write(id, seq, { key: `seed:${id}` });
  const openLost = async () => {
    const { bookings, volley, call } = await openObject();
    bookings.live.add("a");
    await call("begin", RUN, keyed("a", 1), FACTS);
    await call("end", RUN, { id: "a", element: null }, done("a", 2));
    return { bookings, volley, call };
  };
  const told = { entries: [{ id: "a", status: "success" }], isSettled: true };

  test("sends nothing where that is undone, and tells what became of it", async () => {
    const { volley, call } = await openLost();
    await volley.advance(12_000);
    expect(await call("begin", NEXT, keyed("a", 1), FACTS, true)).toBe(false);
    expect(await call("begin", NEXT, keyed("b", 2), FACTS, true)).toBe(false);
    expect(await call("close", NEXT, FACTS, BADLY)).toMatchObject(told);
    expect(await call("looks", [RUN])).toMatchObject(told);
  });

  test("has that undone where it is not yet, and sends nothing", async () => {
    const { bookings, volley, call } = await openLost();
    expect(await call("begin", NEXT, keyed("a", 1), FACTS, true)).toBe(false);
    expect(await call("begin", RUN, keyed("b", 3), FACTS)).toBe(false);
    await call("close", NEXT, FACTS, BADLY);
    await volley.advance(1_000);
    expect(await call("looks", [NEXT])).toMatchObject(told);
    expect([...bookings.live]).toEqual([]);
  });

  test("sends what no other run has sent, or one that succeeded", async () => {
    const { call } = await openLost();
    expect(await call("begin", NEXT, keyed("b", 1), FACTS, true)).toBe(true);
    expect(await call("close", RUN, FACTS, WELL)).toBeNull();
    expect(await call("begin", NEXT, keyed("a", 2), FACTS, true)).toBe(true);
  });
});

test("a run that goes on saying so is not taken for lost", async () => {
  const { volley, call } = await openObject();
  await call("begin", RUN, write("a", 1), FACTS);
  for (let times = 0; times < 5; times += 1) {
    await volley.advance(5_000);
    expect(await call("hold", RUN)).toBe(true);
  }
  expect(await call("close", RUN, FACTS, WELL)).toBeNull();
  await volley.advance(60_000);
  expect(await call("looks", [RUN])).toMatchObject({ entries: [] });
});

test("a write whose end comes after its run was taken for lost is taken back then", async () => {
  const { bookings, volley, call } = await openObject();
  await call("begin", RUN, write("a", 1), FACTS);
  await volley.advance(12_000);
  bookings.live.add("a");
  await call("end", RUN, { id: "a", element: null }, done("a", 2));
  await volley.advance(1_000);
  expect([...bookings.live]).toEqual([]);
  expect(await call("looks", [RUN])).toMatchObject({ entries: [{ id: "a", status: "success" }] });
});

trial("each write is taken back once, however often that is asked", async () => {
  const { bookings, volley, call } = await openObject();
  bookings.live.add("a");
  await call("begin", RUN, write("a", 1), FACTS);
  await call("end", RUN, { id: "a", element: null }, done("a", 2));
  await Promise.all([1, 2, 3].map(() => call("close", RUN, FACTS, BADLY)));
  await volley.advance(1_000);
  const again = await call("close", RUN, FACTS, BADLY);
  await volley.advance(60_000);
  expect(again).toMatchObject({ isSettled: true, entries: [{ status: "success" }] });
  expect(bookings.heard).toEqual(["unbook a"]);
});

trial("an object that rests in between goes on with what is to be taken back", async () => {
  const { bookings, volley, call } = await openObject();
  bookings.live.add("a");
  await call("begin", RUN, write("a", 1), FACTS);
  await call("end", RUN, { id: "a", element: null }, done("a", 2));
  await call("close", RUN, FACTS, BADLY);
  volley.evict();
  await volley.advance(60_000);
  expect([...bookings.live]).toEqual([]);
});

trial(
  "a write that was found, and has no way back, is not sent a second time where the attempt that found it was lost",
  async () => {
    const { bookings, volley, call } = await openObject();
    bookings.live.add("a");
    const look = { argsJson: JSON.stringify({ name: "a" }), timeoutMs: 1_000 };
    await call("begin", RUN, write("a", 1, { tool: "book_lost", look }), FACTS);
    await call("end", RUN, { id: "a", element: null }, { seq: 2 });
    await call("close", RUN, FACTS, BADLY);
    const [{ jobId = "" } = {}] = (await call("looks", [RUN])).entries;
    await volley.advance(100);
    // One attempt is under way: it looks, and is told nothing.
    const error = { code: "NOT_REVERSIBLE", message: "", retryable: false } as const;
    expect(await call("found", jobId, 1, { by: { tool: "book_lost", error } })).toBe(true);
    volley.evict();
    await volley.advance(600_000);
    expect(bookings.heard).toEqual([]);
    expect(await call("looks", [RUN])).toMatchObject({
      isSettled: true,
      entries: [{ id: "a", tool: "book_lost", status: "error", error: { code: "NOT_REVERSIBLE" } }],
    });
  },
);

trial(
  "random batches: after undo nothing stands but what its entry says, and each entry says what is so",
  async () => {
    for (let seed = 1; seed <= samples(60); seed += 1) {
      const random = createRandom(seed);
      const answers: Record<string, (times: number) => Response | undefined> = {};
      const names = Array.from({ length: 1 + Math.floor(random() * 8) }, (_, index) => `w${index}`);
      for (const name of names) {
        const at = random();
        if (at < 0.2) answers[`book ${name}`] = () => Response.json({}, { status: 400 });
        else if (at < 0.3)
          answers[`unbook ${name}`] = (times) => (times > 1 ? undefined : Response.json({}, { status: 503 }));
        else if (at < 0.4) answers[`unbook ${name}`] = () => Response.json({}, { status: 403 });
      }
      const actions = names.map((name, index) => ({
        id: name,
        tool: ["book", "book_car", "book_later"][Math.floor(random() * 3)]!,
        args: { name },
        depends_on: names.slice(0, index).filter(() => random() < 0.2),
      }));
      actions.push({ id: "fails", tool: "book", args: { name: "fails" }, depends_on: [] });
      answers["book fails"] = () => Response.json({}, { status: 400 });
      const bookings = openBookings(answers);
      const volley = await openVolley(bookings);
      const answer: UndoneAnswer = await runUndo(volley, actions, { deadline_ms: 60_000 });
      await volley.advance(600_000);
      const stands = answer.undone!.flatMap(({ id, status }) => (status === "error" ? [id] : []));
      expect([...bookings.live].toSorted(), `seed ${seed}`).toEqual(stands.toSorted());
      expect(answer.undone!.every(({ status }) => status !== "initiated")).toBe(true);
      const back = bookings.heard.filter((word) => word.startsWith("unbook"));
      for (const { id, status } of answer.undone!)
        expect(back.includes(`unbook ${id}`), `seed ${seed}`).toBe(status !== "cancelled");
    }
  },
);

describe("a caller that goes away", () => {
  const actions = [
    { tool: "book", args: { name: "a" } },
    { tool: "book", args: { name: "b" } },
    { tool: "book", args: { name: "c" } },
  ];
  const post = (more: object, body: object) => ({
    method: "POST",
    headers: { "content-type": "application/json", ...more },
    body: JSON.stringify(body),
  });

  trial(
    "counts as a failure of its batch: what was written is taken back, and the rest is not sent",
    async () => {
      const gone = new AbortController();
      const bookings = openBookings();
      const volley = await openVolley({
        ...bookings,
        routes: {
          ...bookings.routes,
          "POST https://bookings.example.com/book": async (request, { sleep }) => {
            const { name } = request.json() as { name: string };
            bookings.heard.push(`book ${name}`);
            if (name === "b") {
              gone.abort();
              await sleep(3_000);
            }
            bookings.live.add(name);
            return { id: name };
          },
        },
      });
      const asked = { ...post({}, { actions, on_error: "undo" }), signal: gone.signal };
      await volley.fetch("/v1/execute_actions", asked).catch(() => undefined);
      await volley.advance(60_000);
      expect(bookings.heard).toContain("unbook a");
      expect(bookings.heard).toContain("unbook b");
      expect(bookings.heard).not.toContain("book c");
      expect([...bookings.live]).toEqual([]);
    },
  );

  trial("hangs up on its stream, and the batch is undone all the same", async () => {
    const bookings = openBookings({ "book c": () => new Promise(() => {}) });
    const volley = await openVolley(bookings);
    const body = { actions, on_error: "undo" };
    const asked = post({ accept: "text/event-stream" }, body);
    const { body: stream } = await volley.fetch("/v1/execute_actions", asked);
    await stream!.cancel();
    await volley.advance(120_000);
    expect([...bookings.live]).toEqual([]);
  });
});
