import { beforeEach, describe, expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { agent } from "../../../../src/features/agent/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { type Bookings, openBookings, TOOLS, type UndoneAnswer } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

const NAMES = TOOLS.map(({ name }) => name);
const KEYS = {
  plain: { name: "plain" },
  other: { name: "other" },
  decides: { name: "decides", flags: ["approve"] },
  keeps: { name: "keeps", flags: ["manage_tools"] },
  narrow: { name: "narrow", tools: NAMES.filter((name) => name !== "unbook") },
  books: { name: "books", tools: ["book", "unbook"], flags: ["approve"] },
  few: { name: "few", quota: { limit: 2, window_s: 60 } },
};

let bookings: Bookings;
let volley: TestVolley;
let asked: (readonly [tool: string, name: string])[][];

const call = ([name, of]: readonly [string, string], at: number) => ({
  id: `c${at}`,
  type: "function",
  function: { name, arguments: JSON.stringify({ name: of }) },
});

beforeEach(async () => {
  bookings = openBookings({ "book fails": () => Response.json({}, { status: 400 }) });
  asked = [];
  const say = () => {
    const calls = asked.shift();
    return calls === undefined ? { content: "Done." } : { content: null, tool_calls: calls.map(call) };
  };
  volley = await createTestVolley({
    tools: TOOLS,
    features: [discovery(), addedTools(), confirmations(), flows(), background(), agent(), runs(), undo()],
    routes: {
      ...bookings.routes,
      "POST https://model.example.com/v1/chat/completions": () => ({
        id: "x",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...say() } }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    },
    env: {
      LLM_BASE_URL: "https://model.example.com/v1",
      LLM_API_KEY: "k",
      LLM_MODEL: "m",
      VOLLEY_KEYS: await configureKeys(
        Object.fromEntries(Object.entries(KEYS).map(([key, entry]) => [key, { tenant: "acme", ...entry }])),
      ),
    },
  });
});

interface Answer extends UndoneAnswer {
  readonly status?: string;
  readonly code?: string;
  readonly run_id?: string;
}

async function send(by: keyof typeof KEYS, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${by}`, "content-type": "application/json" };
  const answer = await volley.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    body: JSON.parse(text === "" ? "{}" : text) as Answer,
  };
}

/** Run a batch, and wait until its run is kept. */
async function run(by: keyof typeof KEYS, actions: readonly object[], more: object = {}): Promise<string> {
  const { body } = await send(by, "POST", "/v1/execute_actions", { actions, ...more });
  await volley.advance(5_000);
  return body.batch_id ?? body.run_id;
}

const undoRun = (by: keyof typeof KEYS, id: string, body: object = {}) =>
  send(by, "POST", `/v1/runs/${id}/undo`, body);

const BOOK = { id: "one", tool: "book", args: { name: "a" } };

describe("the keys that undo a run", () => {
  test("one with neither 'manage_tools' nor 'approve' undoes only runs that it began", async () => {
    const id = await run("plain", [BOOK]);
    const refused = await undoRun("other", id);
    expect([refused.status, refused.body.code]).toEqual([403, "FORBIDDEN"]);
    expect([...bookings.live]).toEqual(["a"]);
    expect((await undoRun("plain", id)).status).toBe(200);
  });

  test.each(["decides", "keeps"] as const)(
    "one that %s something undoes what another began, for the key of that",
    async (by) => {
      const id = await run("plain", [BOOK]);
      await undoRun(by, id);
      expect(bookings.live.size).toBe(0);
      await volley.advance(5_000);
      const [entry] = (await send(by, "GET", `/v1/runs/${id}`)).body.undone as unknown as {
        job_id: string;
      }[];
      expect((await send(by, "GET", `/v1/jobs/${entry!.job_id}`)).body).toMatchObject({ key: "plain" });
    },
  );

  test("to one that may not call what takes an action back that action is not there", async () => {
    const id = await run("narrow", [BOOK, { id: "order", tool: "order", args: { name: "b" } }]);
    expect((await undoRun("narrow", id)).body.undone).toMatchObject([{ id: "order", status: "error" }]);
    expect((await undoRun("narrow", id, { only: ["one"] })).status).toBe(422);
    expect([...bookings.live]).toEqual(["a", "b"]);
  });

  trial("one that may not see an action learns nothing of it", async () => {
    const id = await run("plain", [BOOK, { id: "car", tool: "book_car", args: { name: "c" } }]);
    expect((await undoRun("keeps", id)).body.undone).toHaveLength(2);
    expect((await undoRun("books", id)).body.undone).toMatchObject([{ id: "one" }]);
    expect((await undoRun("books", id, { only: ["car"] })).status).toBe(422);
  });

  trial("an undo is one unit of the quota, and a 'dry_run' none", async () => {
    const id = await run("few", [BOOK]);
    expect((await undoRun("few", id, { dry_run: true })).status).toBe(200);
    expect((await undoRun("few", id)).status).toBe(200);
    expect((await undoRun("few", id)).status).toBe(429);
    expect((await undoRun("few", id, { dry_run: true })).status).toBe(200);
  });
});

describe("the doors whose runs are undone", () => {
  const FLOW = {
    summary: "Books two things",
    input_schema: { type: "object", properties: { last: { type: "string" }, all: { type: "array" } } },
    actions: [
      { id: "first", tool: "book", args: { name: "x" } },
      { id: "last", tool: "book", args: { name: { $ref: "input#/last" } } },
    ],
  };

  trial("a flow has an entry for each of its writes, and one that was an action has its id", async () => {
    await send("keeps", "PUT", "/v1/flows/pair", FLOW);
    const flow = { id: "flow", tool: "pair", args: { last: "y" } };
    const id = await run("plain", [flow, { ...BOOK, depends_on: ["flow"] }]);
    const planned = (await undoRun("plain", id, { dry_run: true })).body.undone;
    expect(planned).toMatchObject([
      { id: "one" },
      { id: "flow", action: "last" },
      { id: "flow", action: "first" },
    ]);
    expect((await undoRun("plain", id, { only: ["flow"] })).body.undone).toMatchObject([
      { id: "flow", action: "last", tool: "unbook", status: "success" },
      { id: "flow", action: "first", tool: "unbook", status: "success" },
    ]);
    expect([...bookings.live]).toEqual(["a"]);
    const own = await send("plain", "POST", "/v1/flows/pair/run", { input: { last: "y" } });
    await volley.advance(5_000);
    expect((await undoRun("plain", own.body.batch_id)).body.undone).toMatchObject([
      { id: "last" },
      { id: "first" },
    ]);
    expect([...bookings.live]).toEqual(["a"]);
  });

  trial("a flow that undid itself as an action is not undone again", async () => {
    const actions = [
      ...FLOW.actions,
      { id: "no", tool: "book", args: { name: "fails" }, depends_on: ["first", "last"] },
    ];
    await send("keeps", "PUT", "/v1/flows/undone", { ...FLOW, actions, on_error: "undo" });
    const id = await run("plain", [{ id: "flow", tool: "undone", args: { last: "y" } }, BOOK]);
    expect([...bookings.live]).toEqual(["a"]);
    expect((await undoRun("plain", id)).body.undone).toMatchObject([
      { id: "one", status: "success" },
      { id: "flow", action: "last", status: "success" },
      { id: "flow", action: "first", status: "success" },
    ]);
    expect(bookings.heard.filter((word) => word.startsWith("unbook"))).toHaveLength(3);
  });

  test("a loop of a flow takes its elements from the flow's input", async () => {
    const each = {
      id: "each",
      tool: "book",
      args: { name: { $ref: "item#" } },
      for_each: { $ref: "input#/all" },
    };
    await send("keeps", "PUT", "/v1/flows/each", { ...FLOW, actions: [each] });
    const ran = await send("plain", "POST", "/v1/flows/each/run", { input: { all: ["x", "y"] } });
    await volley.advance(5_000);
    expect((await undoRun("plain", ran.body.batch_id)).body.undone).toMatchObject([
      { id: "each", element: 1, status: "success" },
      { id: "each", element: 0, status: "success" },
    ]);
  });

  trial("a batch in the background is undone when it is over", async () => {
    const each = { id: "all", tool: "book", for_each: ["a", "b"], args: { name: { $ref: "item#" } } };
    const id = await run("plain", [each, { id: "car", tool: "book_car", args: { name: "c" } }], {
      background: true,
    });
    expect(bookings.live.size).toBe(3);
    const { body } = await undoRun("plain", id);
    expect(body.undone).toHaveLength(3);
    expect(bookings.live.size).toBe(0);
  });

  trial(
    "a batch in the background that ended just now is undone when the log has all of its run",
    async () => {
      const names = Array.from({ length: 40 }, (_, at) => `n${at}`);
      const each = { id: "all", tool: "book", for_each: names, args: { name: { $ref: "item#" } } };
      const { body } = await send("plain", "POST", "/v1/execute_actions", {
        actions: [each],
        background: true,
      });
      const { job_id: job, run_id: id } = body as unknown as {
        readonly job_id: string;
        readonly run_id: string;
      };
      const isOver = async () => (await send("plain", "GET", `/v1/jobs/${job}`)).body.status === "succeeded";
      for (let looks = 0; looks < 500 && !(await isOver()); looks += 1) await volley.advance(20);
      expect(bookings.live.size).toBe(40);
      expect(await undoRun("plain", id)).toMatchObject({
        status: 409,
        body: {
          code: "IDEMPOTENCY_IN_PROGRESS",
          detail: expect.stringContaining("ended just now") as string,
        },
      });
      await volley.advance(3_000);
      expect((await undoRun("plain", id)).body.undone).toHaveLength(40);
      expect(bookings.live.size).toBe(0);
    },
  );

  trial("in a request to a model an entry has its round, and 'only' names it so", async () => {
    asked = [
      [
        ["book", "a"],
        ["book_car", "b"],
      ],
      [["book", "c"]],
    ];
    const messages = [{ role: "user", content: "Book" }];
    const answer = await send("plain", "POST", "/v1/chat/completions", { model: "m", messages });
    const id = answer.headers.get("x-request-id")!;
    await volley.advance(5_000);
    expect((await undoRun("plain", id, { only: ["2:a0"] })).body.undone).toMatchObject([
      { id: "a0", round: 2, tool: "unbook", status: "success" },
    ]);
    expect([...bookings.live]).toEqual(["a", "b"]);
    expect((await undoRun("plain", id)).body.undone).toHaveLength(3);
    expect(bookings.live.size).toBe(0);
  });

  trial("a round that undid itself is told with its number, and is not undone again", async () => {
    asked = [
      [["book", "z"]],
      [
        ["book", "a"],
        ["book_car", "b"],
        ["book", "fails"],
      ],
    ];
    const messages = [{ role: "user", content: "Book" }];
    const request = { model: "m", messages, volley: { on_error: "undo" } };
    const answer = await send("plain", "POST", "/v1/chat/completions", request);
    const id = answer.headers.get("x-request-id")!;
    await volley.advance(5_000);
    expect([...bookings.live]).toEqual(["z"]);
    const shown = await send("plain", "GET", `/v1/runs/${id}`);
    expect(shown.body.undone).toHaveLength(2);
    for (const entry of shown.body.undone!) expect(entry).toMatchObject({ round: 2, status: "success" });
    expect((await undoRun("plain", id, { dry_run: true })).body.undone).toMatchObject([
      { id: "a0", round: 1 },
    ]);
    expect((await undoRun("plain", id)).body.undone).toHaveLength(3);
    expect(bookings.live.size).toBe(0);
    expect(bookings.heard.filter((word) => word.startsWith("unbook"))).toHaveLength(3);
    await volley.advance(5_000);
    expect((await send("plain", "GET", `/v1/runs/${id}`)).body).toMatchObject({ status: "undone" });
  });
});
