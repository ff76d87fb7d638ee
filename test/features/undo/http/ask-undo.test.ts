import { describe, expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { book, type Bookings, openBookings, TOOLS, type UndoneAnswer } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

const headers = { "content-type": "application/json" };
const GATED = book("gated", { domain: "gated", orchestration: { confirm: "always" } });
const SECRETIVE = book("book_privately", { private: true });

async function open(bookings: Bookings, more: object = {}): Promise<TestVolley> {
  return createTestVolley({
    tools: [...TOOLS, GATED, SECRETIVE],
    features: [runs(), undo(), discovery(), confirmations(), addedTools(), flows()],
    routes: bookings.routes,
    ...more,
  });
}

/** Run a batch, and wait until its run is kept. */
async function run(volley: TestVolley, actions: readonly object[], more: object = {}): Promise<UndoneAnswer> {
  const body = JSON.stringify({ actions, ...more });
  const answer = await volley.fetch("/v1/execute_actions", { method: "POST", headers, body });
  await volley.advance(3_000);
  return (await answer.json()) as UndoneAnswer;
}

interface Answer extends UndoneAnswer {
  readonly code?: string;
  readonly hint?: string;
}

async function post(volley: TestVolley, path: string, body: object = {}) {
  const answer = await volley.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer };
}

const askUndo = (volley: TestVolley, id: string, body: object = {}) =>
  post(volley, `/v1/runs/${id}/undo`, body);

const TWO = [
  { id: "one", tool: "book", args: { name: "a" } },
  { id: "two", tool: "book", args: { name: "b" } },
];

describe("POST /v1/runs/{id}/undo", () => {
  test("takes back what a run wrote, the last write first", async () => {
    const bookings = openBookings();
    const volley = await open(bookings);
    const { batch_id: id } = await run(volley, TWO);
    const { status, body } = await askUndo(volley, id);
    const undone = [
      { id: "two", tool: "unbook", status: "success", data: { gone: "b" } },
      { id: "one", tool: "unbook", status: "success", data: { gone: "a" } },
    ];
    expect([status, body]).toEqual([200, { undone }]);
    expect(bookings.heard.slice(2)).toEqual(["unbook b", "unbook a"]);
    expect(bookings.live.size).toBe(0);
  });

  test("takes each write back once, however often it is asked", async () => {
    const bookings = openBookings();
    const volley = await open(bookings);
    const { batch_id: id } = await run(volley, TWO);
    const first = await askUndo(volley, id);
    const again = await askUndo(volley, id);
    expect(again.body).toEqual(first.body);
    await volley.advance(45 * 86_400_000);
    expect(bookings.heard.filter((word) => word.startsWith("unbook"))).toHaveLength(2);
  });

  trial(
    "takes each write back once, where several ask at once: one is answered, the others are to ask again",
    async () => {
      const bookings = openBookings();
      const volley = await open(bookings);
      const { batch_id: id } = await run(volley, TWO);
      const asked = await Promise.all([{}, {}, { only: ["one"] }].map((body) => askUndo(volley, id, body)));
      expect(asked.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
      for (const { status, body } of asked)
        if (status === 409) expect(body.code).toBe("IDEMPOTENCY_IN_PROGRESS");
      await volley.advance(60_000);
      expect(bookings.heard.slice(2)).toEqual(["unbook b", "unbook a"]);
    },
  );

  trial("answers a request that comes again under its Idempotency-Key as it was answered first", async () => {
    const bookings = openBookings();
    const volley = await open(bookings);
    const { batch_id: id } = await run(volley, TWO);
    const ask = async (key: string, body: object = {}) => {
      const init = { method: "POST", headers: { ...headers, "idempotency-key": key } };
      const answer = await volley.fetch(`/v1/runs/${id}/undo`, { ...init, body: JSON.stringify(body) });
      const told = (await answer.json()) as Answer;
      return { told, replayed: answer.headers.get("idempotency-replayed") };
    };
    expect((await ask("k", { only: ["three"] })).told.code).toBe("INVALID_REQUEST");
    const first = await ask("k", { only: ["one"] });
    expect(first).toMatchObject({ told: { undone: [{ id: "one" }] }, replayed: null });
    expect(await ask("k", { only: ["one"] })).toEqual({ ...first, replayed: "true" });
    expect((await ask("k")).told.code).toBe("IDEMPOTENCY_CONFLICT");
    expect([...bookings.live]).toEqual(["b"]);
    expect((await ask("other")).told.undone).toHaveLength(2);
  });

  trial("takes back only what is named, and the rest when that is asked", async () => {
    const bookings = openBookings();
    const volley = await open(bookings);
    const { batch_id: id } = await run(volley, TWO);
    const one = await askUndo(volley, id, { only: ["one"] });
    expect(one.body.undone).toMatchObject([{ id: "one", status: "success" }]);
    expect([...bookings.live]).toEqual(["b"]);
    const all = await askUndo(volley, id);
    expect(all.body.undone).toMatchObject([
      { id: "two", status: "success" },
      { id: "one", status: "success" },
    ]);
    expect(bookings.heard.slice(2)).toEqual(["unbook a", "unbook b"]);
  });

  trial("says with 'dry_run' what would be sent, and sends nothing", async () => {
    const bookings = openBookings();
    const volley = await open(bookings);
    const { batch_id: id } = await run(volley, TWO);
    const planned = [
      { id: "two", tool: "unbook", args: { id: "b" }, asks: false },
      { id: "one", tool: "unbook", args: { id: "a" }, asks: false },
    ];
    expect((await askUndo(volley, id, { dry_run: true })).body).toEqual({ undone: planned });
    expect(bookings.live.size).toBe(2);
    await askUndo(volley, id, { only: ["two"] });
    expect((await askUndo(volley, id, { dry_run: true })).body).toEqual({ undone: planned.slice(1) });
  });

  trial(
    "says of a write without a way back that it stands, and of a run without writes nothing",
    async () => {
      const volley = await open(openBookings());
      const { batch_id: id } = await run(volley, [{ id: "order", tool: "order", args: { name: "a" } }]);
      expect((await askUndo(volley, id)).body.undone).toMatchObject([
        { id: "order", tool: "order", status: "error", error: { code: "NOT_REVERSIBLE" } },
      ]);
      const reads = await run(volley, [{ tool: "look" }]);
      expect((await askUndo(volley, reads.batch_id)).body).toEqual({ undone: [] });
    },
  );

  trial("answers what a batch that failed has taken back by itself", async () => {
    const bookings = openBookings({ "book c": () => Response.json({}, { status: 400 }) });
    const volley = await open(bookings);
    const actions = [...TWO, { tool: "book", args: { name: "c" }, depends_on: ["one", "two"] }];
    const { batch_id: id, undone } = await run(volley, actions, { on_error: "undo" });
    expect(undone).toHaveLength(2);
    expect((await askUndo(volley, id)).body).toEqual({ undone });
    expect(bookings.heard.filter((word) => word.startsWith("unbook"))).toHaveLength(2);
  });

  trial("takes back each element of a loop, with the arguments that it had", async () => {
    const bookings = openBookings({ "book c": () => Response.json({}, { status: 400 }) });
    const volley = await open(bookings);
    const each = { id: "all", tool: "book", args: { name: { $ref: "item#" } }, for_each: ["a", "b", "c"] };
    const { batch_id: id } = await run(volley, [each]);
    expect((await askUndo(volley, id)).body.undone).toMatchObject([
      { id: "all", element: 1, tool: "unbook", status: "success" },
      { id: "all", element: 0, tool: "unbook", status: "success" },
    ]);
    expect(bookings.live.size).toBe(0);
  });

  trial("takes back what depended on another write before that, in whatever domain", async () => {
    const bookings = openBookings();
    const volley = await open(bookings);
    const car = { id: "car", tool: "book_car", args: { name: "c" } };
    const { batch_id: id } = await run(volley, [car, { ...TWO[0], depends_on: ["car"] }]);
    await askUndo(volley, id);
    expect(bookings.heard.indexOf("unbook c")).toBeGreaterThan(bookings.heard.indexOf("unbook a"));
  });

  trial("takes a job back that succeeded", async () => {
    const bookings = openBookings();
    const volley = await open(bookings);
    const { batch_id: id } = await run(volley, [{ id: "job", tool: "book_later", args: { name: "a" } }]);
    expect([...bookings.live]).toEqual(["a"]);
    const planned = await askUndo(volley, id, { dry_run: true });
    expect(planned.body.undone).toMatchObject([{ id: "job", tool: "unbook", args: { id: "a" } }]);
    expect((await askUndo(volley, id)).body.undone).toMatchObject([{ id: "job", status: "success" }]);
    expect(bookings.live.size).toBe(0);
  });

  trial(
    "takes jobs back in the reverse of the order in which they ended, and a write that ended after them before",
    async () => {
      const busy = (times: number) => (times === 1 ? Response.json({}, { status: 503 }) : undefined);
      const bookings = openBookings({ "book z": busy });
      const slow = book("book_slowly", {
        domain: "later",
        run: async (args, { fetch, time }) => {
          await time.sleep(500);
          const init = { method: "POST", headers, body: JSON.stringify(args) } as const;
          return (await fetch("https://bookings.example.com/book", init)).json();
        },
      });
      const volley = await open(bookings, { tools: [...TOOLS, slow] });
      const job = (name: string) => ({ id: name, tool: "book_later", args: { name } });
      const sync = { id: "sync", tool: "book_slowly", args: { name: "sync" } };
      const { batch_id: id } = await run(volley, [job("z"), job("a"), sync]);
      await volley.advance(60_000);
      const planned = (await askUndo(volley, id, { dry_run: true })).body.undone!;
      expect(planned.map((one) => one.id)).toEqual(["z", "sync", "a"]);
      await askUndo(volley, id);
      const taken = bookings.heard.filter((word) => word.startsWith("unbook"));
      expect(taken).toEqual(["unbook z", "unbook sync", "unbook a"]);
    },
  );

  trial(
    "takes jobs back in that order at every time of the clock, also where its last digits begin anew between two ends",
    async () => {
      const busy = (times: number) => (times === 1 ? Response.json({}, { status: 503 }) : undefined);
      const bookings = openBookings({ "book z": busy });
      const volley = await open(bookings, { now: new Date(1_800_000_999_500) });
      const job = (name: string) => ({ id: name, tool: "book_later", args: { name } });
      const { batch_id: id } = await run(volley, [job("z"), job("a")]);
      await volley.advance(60_000);
      await askUndo(volley, id);
      const taken = bookings.heard.filter((word) => word.startsWith("unbook"));
      expect(taken).toEqual(["unbook z", "unbook a"]);
    },
  );

  trial("looks a write up whose end is not known, and takes back what is found", async () => {
    const bookings = openBookings();
    const routes = {
      ...bookings.routes,
      "POST https://bookings.example.com/book": () => {
        bookings.live.add("a");
        throw new Error("The connection broke");
      },
      "GET https://bookings.example.com/booked/*": (request: { readonly url: string }) =>
        looks++ === 0
          ? Response.json({}, { status: 503 })
          : { booking: { id: request.url.split("/").at(-1) } },
    };
    let looks = 0;
    const volley = await open(bookings, { routes });
    const { batch_id: id } = await run(volley, [{ id: "seen", tool: "book_seen", args: { name: "a" } }]);
    expect((await askUndo(volley, id)).body.undone).toMatchObject([
      { id: "seen", tool: "unbook", status: "success" },
    ]);
  });

  trial("refuses an id that is none of the run's, an unknown field, and an unknown run", async () => {
    const volley = await open(openBookings());
    const { batch_id: id } = await run(volley, TWO);
    for (const body of [{ only: ["three"] }, { all: true }])
      expect(await askUndo(volley, id, body)).toMatchObject({
        status: 422,
        body: { code: "INVALID_REQUEST" },
      });
    expect((await askUndo(volley, crypto.randomUUID())).status).toBe(404);
  });

  trial("sends nothing where the content of one write is not kept, unless that is left out", async () => {
    const bookings = openBookings();
    const volley = await open(bookings);
    const hidden = { id: "hidden", tool: "book_privately", args: { name: "p" } };
    const { batch_id: id } = await run(volley, [...TWO, hidden]);
    const refused = await askUndo(volley, id);
    expect([refused.status, refused.body.code]).toEqual([422, "INVALID_REQUEST"]);
    expect(JSON.stringify(refused.body)).toContain("'hidden'");
    expect(bookings.live.size).toBe(3);
    await askUndo(volley, id, { only: ["one", "two"] });
    expect([...bookings.live]).toEqual(["p"]);
  });

  trial(
    "needs the parts of a result that take the write back: others may be left out by 'select'",
    async () => {
      const bookings = openBookings();
      const volley = await open(bookings);
      const { batch_id: id } = await run(volley, [{ ...TWO[0], select: ["/id"] }]);
      const other = await run(volley, [{ ...TWO[1], select: ["/secret"] }]);
      expect((await askUndo(volley, id)).body.undone).toMatchObject([{ id: "one", status: "success" }]);
      expect((await askUndo(volley, other.batch_id)).status).toBe(422);
    },
  );

  trial("takes back what a yes has run, and what a rerun has", async () => {
    let fails = true;
    const bookings = openBookings({
      "book b": () => (fails ? Response.json({}, { status: 400 }) : undefined),
    });
    const volley = await open(bookings, { key: { flags: ["approve"] } });
    const actions = [...TWO, { id: "gated", tool: "gated", args: { name: "g" } }];
    const answer = await run(volley, actions);
    const gated = answer.results[2] as unknown as { readonly confirmation: { readonly id: string } };
    await post(volley, `/v1/confirmations/${gated.confirmation.id}`, { decision: "approve" });
    fails = false;
    await volley.advance(3_000);
    const rerun = await post(volley, `/v1/runs/${answer.batch_id}/rerun`);
    await volley.advance(3_000);
    expect([...bookings.live]).toEqual(["a", "g", "b"]);
    const undone = await askUndo(volley, answer.batch_id);
    expect(undone.body.undone).toMatchObject([{ id: "two" }, { id: "gated" }, { id: "one" }]);
    expect(bookings.live.size).toBe(0);
    expect((await askUndo(volley, rerun.body.batch_id)).body).toEqual(undone.body);
    expect(bookings.heard.filter((word) => word.startsWith("unbook"))).toHaveLength(3);
  });

  trial(
    "takes back what a yes has run, before its run is in the log, with the arguments that a person wrote",
    async () => {
      const bookings = openBookings();
      const volley = await open(bookings, { key: { flags: ["approve"] } });
      const answer = await run(volley, [TWO[0]!, { id: "gated", tool: "gated", args: { name: "g" } }]);
      await volley.advance(3_000);
      const gated = answer.results[1] as unknown as { readonly confirmation: { readonly id: string } };
      const decision = { decision: "approve", args: { gated: { name: "other" } } };
      await post(volley, `/v1/confirmations/${gated.confirmation.id}`, decision);
      expect([...bookings.live]).toEqual(["a", "other"]);
      const undone = await askUndo(volley, answer.batch_id);
      expect(undone.body.undone).toMatchObject([{ id: "gated" }, { id: "one" }]);
      expect(bookings.live.size).toBe(0);
      await volley.advance(3_000);
      expect((await askUndo(volley, answer.batch_id)).body).toEqual(undone.body);
      expect(bookings.heard.filter((word) => word.startsWith("unbook"))).toHaveLength(2);
    },
  );

  trial(
    "is refused while an undo of the run is under way, and answers what is retried as 'initiated'",
    async () => {
      const busy = { status: 503, headers: { "retry-after": "30" } };
      const bookings = openBookings({
        "unbook b": (times) => (times < 2 ? Response.json({}, busy) : undefined),
      });
      const volley = await open(bookings);
      const { batch_id: id } = await run(volley, TWO);
      expect((await askUndo(volley, id)).body.undone).toMatchObject([
        { id: "two", status: "initiated" },
        { id: "one", status: "initiated" },
      ]);
      const again = await askUndo(volley, id, { only: ["one"] });
      expect([again.status, again.body.code]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS"]);
      expect(Number(again.headers.get("retry-after"))).toBeGreaterThan(0);
      await volley.advance(3_600_000);
      expect((await askUndo(volley, id)).body.undone).toMatchObject([
        { id: "two", status: "success" },
        { id: "one", status: "success" },
      ]);
    },
  );

  trial.each([{}, { on_error: "undo" }])(
    "says no to the open questions of a batch with %j first, and a 'dry_run' does not",
    async (more) => {
      const bookings = openBookings();
      const volley = await open(bookings, { key: { flags: ["approve"] } });
      const { batch_id: id, results } = await run(
        volley,
        [...TWO, { id: "gated", tool: "gated", args: { name: "g" } }],
        more,
      );
      const gated = results[2] as unknown as { readonly confirmation: { readonly id: string } };
      const look = async () => {
        const path = `/v1/confirmations/${gated.confirmation.id}`;
        return (await (await volley.fetch(path)).json()) as { status: string; decided_by?: { via: string } };
      };
      const planned = await askUndo(volley, id, { dry_run: true });
      expect(planned.body.undone).toMatchObject([{ id: "two" }, { id: "one" }]);
      expect((await look()).status).toBe("pending");
      expect((await askUndo(volley, id)).body.undone).toMatchObject([
        { id: "two", status: "success" },
        { id: "one", status: "success" },
      ]);
      expect(JSON.stringify(await look())).toContain('"via":"undo"');
      expect(bookings.live.size).toBe(0);
    },
  );
});
