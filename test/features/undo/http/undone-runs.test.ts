import { beforeEach, describe, expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { openEndpoints, taken } from "../../endpoints/http/endpoint-world.ts";
import { book, type Bookings, openBookings, TOOLS, type UndoneAnswer } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

interface Run extends UndoneAnswer {
  readonly run_id: string;
  readonly status: string;
  readonly code?: string;
  readonly in_doubt?: true;
}

interface Asked {
  readonly confirmation: { readonly id: string };
}

let bookings: Bookings;
let volley: TestVolley;
let answers: Record<string, (times: number) => Response | undefined>;
const KEYED = book("book_keyed", {
  run: async (args, { fetch, idempotencyKey }) => {
    const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
    const init = { method: "POST", headers, body: JSON.stringify(args) } as const;
    return (await fetch("https://bookings.example.com/book", init)).json();
  },
});
const GATED = book("gated", { domain: "gated", orchestration: { confirm: "always" } });

beforeEach(async () => {
  answers = {};
  const words = ["book a", "book b", "book fails", "unbook a", "unbook b"];
  const answer = (word: string) => (times: number) => answers[word]?.(times);
  bookings = openBookings(Object.fromEntries(words.map((word) => [word, answer(word)])));
  volley = await createTestVolley({
    tools: [...TOOLS, GATED, KEYED],
    features: [runs(), undo(), discovery(), confirmations(), addedTools(), flows()],
    routes: bookings.routes,
    key: { flags: ["approve"] },
  });
});

async function send(method: string, path: string, body?: object): Promise<Run> {
  const headers = { "content-type": "application/json" };
  const answer = await volley.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return (await answer.json()) as Run;
}

async function run(actions: readonly object[], more: object = {}): Promise<string> {
  const { batch_id: id } = await send("POST", "/v1/execute_actions", { actions, ...more });
  await volley.advance(3_000);
  return id;
}

async function undoRun(id: string, body: object = {}): Promise<Run> {
  const answer = await send("POST", `/v1/runs/${id}/undo`, body);
  await volley.advance(3_000);
  return answer;
}

const show = (id: string) => send("GET", `/v1/runs/${id}`);
const list = async (status: string) => {
  const page = (await send("GET", `/v1/runs?status=${status}`)) as unknown as {
    readonly runs: readonly Run[];
  };
  return page.runs.map((one) => one.run_id);
};

const TWO = [
  { id: "one", tool: "book", args: { name: "a" } },
  { id: "two", tool: "book", args: { name: "b" } },
];
const FAILS = { id: "fails", tool: "book", args: { name: "fails" }, depends_on: ["one", "two"] };
const REFUSED = () => Response.json({}, { status: 400 });

describe("a run that is undone", () => {
  test("shows each entry with its times, its tries and its job, and is 'undone' in the list and its filter", async () => {
    const id = await run(TWO);
    expect((await show(id)).undone).toBeUndefined();
    await undoRun(id);
    const shown = await show(id);
    expect(shown.status).toBe("undone");
    expect(shown).toMatchObject({ actions: [{ undone: true }, { undone: true }] });
    expect(shown.undone).toMatchObject([
      { id: "two", tool: "unbook", status: "success", data: { gone: "b" }, duration_ms: expect.any(Number) },
      { id: "one", job_id: expect.any(String), started_ms: expect.any(Number), tries: [{ duration_ms: 0 }] },
    ]);
    expect(await list("undone")).toEqual([id]);
    expect(await list("success")).toEqual([]);
  });

  test("names the action that failed, not one that did not run for its sake, in the list and on its page", async () => {
    answers["book fails"] = REFUSED;
    const after = { ...FAILS, id: "after", args: { name: "c" }, depends_on: ["fails"] };
    const id = await run([after, TWO[0]!, { ...FAILS, depends_on: ["one"] }], { on_error: "undo" });
    const error = { action: "fails", code: "UPSTREAM_ERROR" };
    expect(await show(id)).toMatchObject({ status: "undone", error, plan: { on_error: "undo" } });
    expect(await send("GET", "/v1/runs")).toMatchObject({ runs: [{ error }] });
  });

  test("is 'partial' where something of it stands: what was not asked, or could not be taken back", async () => {
    const id = await run(TWO);
    await undoRun(id, { only: ["one"] });
    expect((await show(id)).status).toBe("partial");
    await undoRun(id);
    expect((await show(id)).status).toBe("undone");
    const other = await run([...TWO, { id: "order", tool: "order", args: { name: "o" } }]);
    await undoRun(other);
    expect((await show(other)).status).toBe("partial");
  });

  trial(
    "is 'running' while that is under way, in the list and its filter too, and a rerun waits",
    async () => {
      const busy = { status: 503, headers: { "retry-after": "60" } };
      answers["unbook a"] = (times) => (times === 1 ? Response.json({}, busy) : undefined);
      const id = await run(TWO);
      await undoRun(id);
      expect(await show(id)).toMatchObject({
        actions: [{ undone: false }, { undone: true }],
        status: "running",
        undone: [{ id: "two" }, { status: "initiated" }],
      });
      expect(await list("running")).toEqual([id]);
      expect(await send("POST", `/v1/runs/${id}/rerun`, {})).toMatchObject({
        code: "IDEMPOTENCY_IN_PROGRESS",
      });
      await volley.advance(120_000);
      expect((await show(id)).status).toBe("undone");
    },
  );

  trial("of its own batch that failed, it is 'undone' as well", async () => {
    answers["book fails"] = REFUSED;
    const id = await run([...TWO, FAILS], { on_error: "undo" });
    expect(await show(id)).toMatchObject({ status: "undone", undone: [{ id: "two" }, { id: "one" }] });
    expect(await list("undone")).toEqual([id]);
  });

  trial("leaves no run of its own", async () => {
    const id = await run(TWO);
    await undoRun(id);
    const page = (await send("GET", "/v1/runs")) as unknown as { readonly runs: readonly Run[] };
    expect(page.runs.map((one) => one.run_id)).toEqual([id]);
  });
});

/** The events of a run, as a client that follows it is told. */
async function follow(id: string, after = 0): Promise<readonly (readonly [string, UndoneAnswer])[]> {
  const stream = await volley.fetch(`/v1/runs/${id}`, { headers: { accept: "text/event-stream" } });
  const text = stream.text();
  await volley.advance(after);
  const events = [...(await text).matchAll(/^event: (.*)\ndata: (.*)$/gm)];
  return events.map(([, name, data]) => [name!, JSON.parse(data!) as UndoneAnswer]);
}

describe("the events of a run that is undone", () => {
  trial("tell each entry, and the envelope what was taken back", async () => {
    const id = await run(TWO);
    expect((await follow(id)).map(([name]) => name)).toEqual(["result", "result", "done"]);
    const { undone } = await undoRun(id);
    const events = await follow(id);
    expect(events.map(([name]) => name)).toEqual(["result", "result", "undone", "undone", "done"]);
    expect(events.slice(2, 4).map(([, entry]) => entry)).toEqual(undone);
    const [, done] = events.at(-1)!;
    expect(done).toMatchObject({ undone, results: [{ meta: { undone: true } }, { meta: { undone: true } }] });
  });

  trial(
    "are told once: a client that comes again with 'Last-Event-ID' hears only what it has not",
    async () => {
      const id = await run(TWO);
      await undoRun(id);
      const idsOf = async (lastId?: string): Promise<readonly (readonly [string, string])[]> => {
        const headers = {
          accept: "text/event-stream",
          ...(lastId !== undefined && { "last-event-id": lastId }),
        };
        const text = await (await volley.fetch(`/v1/runs/${id}`, { headers })).text();
        return [...text.matchAll(/^event: (.*)\ndata: .*\nid: (.*)$/gm)].map(([, name, last]) => [
          name!,
          last!,
        ]);
      };
      const first = await idsOf();
      expect(first.map(([name]) => name)).toEqual(["result", "result", "undone", "undone", "done"]);
      for (const [at, [, lastId]] of first.slice(0, -1).entries())
        expect(await idsOf(lastId)).toEqual(first.slice(at + 1));
    },
  );

  trial("go on while something of it is under way", async () => {
    const busy = { status: 503, headers: { "retry-after": "60" } };
    answers["unbook a"] = (times) => (times === 1 ? Response.json({}, busy) : undefined);
    const id = await run(TWO);
    await undoRun(id);
    const events = await follow(id, 120_000);
    expect(events.slice(2).map(([name, { status }]) => [name, status])).toEqual([
      ["undone", "success"],
      ["undone", "success"],
      ["done", undefined],
    ]);
  });

  trial("are those of its own batch that failed as well", async () => {
    answers["book fails"] = REFUSED;
    const id = await run([...TWO, FAILS], { on_error: "undo" });
    const events = await follow(id);
    expect(events.slice(3).map(([name]) => name)).toEqual(["undone", "undone", "done"]);
  });
});

describe("a rerun of what was taken back", () => {
  trial.each([{}, { only: "failed" }])("with %j runs it anew, under new keys", async (only) => {
    const id = await run(
      TWO.map((action) => ({ ...action, tool: "book_keyed", idempotency_key: `own-${action.id}` })),
    );
    await undoRun(id);
    const rerun = await send("POST", `/v1/runs/${id}/rerun`, only);
    expect(rerun.results.map(({ status }) => status)).toEqual(["success", "success"]);
    expect([...bookings.live]).toEqual(["a", "b"]);
    const sent = volley.requests.filter(({ url }) => url.endsWith("/book"));
    expect(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size).toBe(4);
    await volley.advance(3_000);
    expect(await show(rerun.batch_id)).toMatchObject({ status: "success" });
    expect((await show(id)).status).toBe("undone");
    expect((await undoRun(rerun.batch_id)).undone).toHaveLength(4);
    expect(bookings.live.size).toBe(0);
  });

  trial("shows what was taken back of itself, and not what was of the run before it", async () => {
    const id = await run(TWO);
    await undoRun(id);
    await volley.advance(3_000);
    const rerun = await send("POST", `/v1/runs/${id}/rerun`, {});
    await volley.advance(3_000);
    expect(await show(rerun.batch_id)).not.toHaveProperty("undone");
    await undoRun(rerun.batch_id, { only: ["one"] });
    await volley.advance(3_000);
    const shown = await show(rerun.batch_id);
    expect(shown.undone).toMatchObject([{ id: "one" }]);
    expect(shown).toMatchObject({
      actions: [{ undone: true }, expect.not.objectContaining({ undone: true })],
    });
  });

  trial("runs only what was taken back, and answers what stands", async () => {
    const id = await run(TWO);
    await undoRun(id, { only: ["two"] });
    const { results } = await send("POST", `/v1/runs/${id}/rerun`, {});
    expect(results.map(({ status }) => status)).toEqual(["success", "success"]);
    expect(bookings.heard.slice(2)).toEqual(["unbook b", "book b"]);
    await volley.advance(3_000);
    await send("POST", `/v1/runs/${id}/rerun`, {});
    expect(bookings.heard).toHaveLength(4);
  });

  trial("has the batch's own 'on_error': what fails again is undone again", async () => {
    answers["book fails"] = REFUSED;
    const id = await run([...TWO, FAILS], { on_error: "undo" });
    const rerun = await send("POST", `/v1/runs/${id}/rerun`, {});
    expect(rerun.results.map(({ status }) => status)).toEqual(["success", "success", "error"]);
    expect(rerun.undone).toMatchObject([
      { id: "two", status: "success" },
      { id: "one", status: "success" },
    ]);
    expect(bookings.live.size).toBe(0);
    answers = {};
    await volley.advance(3_000);
    const again = await send("POST", `/v1/runs/${rerun.batch_id}/rerun`, {});
    expect(again.results.map(({ status }) => status)).toEqual(["success", "success", "success"]);
    expect(again.undone).toBeUndefined();
  });

  trial("asks a person first where it is not known whether it was taken back", async () => {
    answers["unbook a"] = () => Response.json({}, { status: 500 });
    const id = await run([TWO[0]!]);
    await undoRun(id);
    await volley.advance(3_600_000);
    expect(await show(id)).toMatchObject({
      status: "partial",
      in_doubt: true,
      undone: [{ status: "unknown" }],
    });
    const { results } = await send("POST", `/v1/runs/${id}/rerun`, {});
    expect(results).toMatchObject([{ status: "pending_confirmation" }]);
  });

  trial(
    "asks a person first where an attempt before that which was taken back is in doubt still",
    async () => {
      answers["book a"] = (times) => (times === 1 ? Response.json({}, { status: 500 }) : undefined);
      const id = await run([TWO[0]!]);
      const again = (await send("POST", `/v1/runs/${id}/rerun`, {})).results[0] as unknown as Asked;
      await send("POST", `/v1/confirmations/${again.confirmation.id}`, { decision: "approve" });
      await volley.advance(3_000);
      expect((await undoRun(id)).undone?.map(({ status }) => status)).toEqual(["success", "unknown"]);
      const { results } = await send("POST", `/v1/runs/${id}/rerun`, {});
      expect(results).toMatchObject([{ status: "pending_confirmation" }]);
    },
  );

  trial("runs again what a yes had run before it was taken back", async () => {
    const { batch_id: id, results } = await send("POST", "/v1/execute_actions", {
      actions: [{ id: "gated", tool: "gated", args: { name: "g" } }],
    });
    const { confirmation } = results[0] as unknown as Asked;
    await send("POST", `/v1/confirmations/${confirmation.id}`, { decision: "approve" });
    await volley.advance(3_000);
    await undoRun(id);
    expect(bookings.live.size).toBe(0);
    const rerun = await send("POST", `/v1/runs/${id}/rerun`, {});
    expect(rerun.results).toMatchObject([{ status: "pending_confirmation" }]);
  });
});

trial("a tenant is told of a write that could not be taken back", async () => {
  const refusing = openBookings({ "book fails": REFUSED, "unbook a": REFUSED });
  const world = await openEndpoints(taken, {
    tools: TOOLS,
    features: [runs(), undo()],
    routes: refusing.routes,
  });
  await world.put("watch", { events: ["volley.undo.failed"] });
  const actions = [TWO[0], { ...FAILS, depends_on: ["one"] }];
  const { body } = await world.send("POST", "/v1/execute_actions", { actions, on_error: "undo" });
  expect(body.undone).toMatchObject([{ id: "one", tool: "unbook", status: "error" }]);
  await world.volley.advance(60_000);
  const data = { run_id: body.batch_id, id: "one", tool: "unbook", error: body.undone[0].error };
  const [told, ...more] = world.sentTo("watch").map((one) => one.json());
  expect([told, more]).toMatchObject([
    { type: "volley.undo.failed", data: { ...data, error: { code: data.error.code } } },
    [],
  ]);
});

trial(
  "The elements of a loop are taken back by what they were sent, though a rerun has read another list",
  async () => {
    const argued = book("argued", {
      domain: "argued",
      orchestration: { compensate: { tool: "unbook", args: { id: { $ref: "args#/name" } } } },
    });
    volley = await createTestVolley({
      tools: [...TOOLS, argued],
      features: [runs(), undo()],
      routes: bookings.routes,
    });
    answers["book fails"] = REFUSED;
    bookings.live.add("a").add("b");
    const id = await run([
      { id: "seen", tool: "look" },
      { id: "all", tool: "argued", for_each: { $ref: "seen#" }, args: { name: { $ref: "item#" } } },
      { ...FAILS, depends_on: ["all"] },
    ]);
    bookings.live.clear();
    bookings.live.add("c").add("b").add("a");
    await send("POST", `/v1/runs/${id}/rerun`, {});
    await volley.advance(3_000);
    const { undone } = await undoRun(id);
    expect(undone!.map(({ element, data }) => [element, data])).toEqual([
      [1, { gone: "b" }],
      [0, { gone: "a" }],
    ]);
    expect([...bookings.live]).toEqual(["c"]);
  },
);
