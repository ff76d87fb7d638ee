import { describe, expect, test } from "vitest";

import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { mcp } from "../../../../src/features/mcp/index.ts";
import type { Feature } from "../../../../src/cloudflare/feature.ts";
import { defineFeature } from "../../../../src/feature/define.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { book, type Bookings, openBookings, runUndo, TOOLS, type UndoneAnswer } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

// A batch that is undone where it fails, and whose actions ask a person.

const TOLD = "https://told.example.com/here";
const ASKS = { orchestration: { confirm: "always" } };
const GATED = [
  ...TOOLS,
  book("gated", { domain: "gated", ...ASKS }),
  book("gated_late", { domain: "late", execution: "fire-and-forget", ...ASKS }),
];

const failing = { "book fails": () => Response.json({}, { status: 400 }) };
const before = { id: "before", tool: "book", args: { name: "before" } };
const gated = { id: "gated", tool: "gated", args: { name: "gated" } };
const approve = { decision: "approve" };
const reject = { decision: "reject", reason: "too dear" };
const JSON_BODY = { "content-type": "application/json" };

async function open(bookings: Bookings, more: readonly Feature[] = []) {
  const volley = await createTestVolley({
    tools: GATED,
    features: [undo(), discovery(), confirmations(), addedTools(), flows(), background(), mcp(), ...more],
    routes: { ...bookings.routes, [`POST ${TOLD}`]: {} },
    env: { VOLLEY_WEBHOOK_SECRET: `whsec_${btoa("a secret of the test, 32 bytes..")}` },
    key: { flags: ["manage_tools", "approve"] },
  });
  const decide = async (id: string, decision: object): Promise<UndoneAnswer> =>
    (await send(volley, "POST", `/v1/confirmations/${id}`, decision)) as UndoneAnswer;
  const told = (): readonly unknown[] =>
    volley.requests.flatMap((request) => (request.url === TOLD ? [request.json()] : []));
  return { volley, decide, told };
}

async function send(volley: TestVolley, method: string, path: string, body?: object): Promise<unknown> {
  const init = { method, ...(body && { headers: JSON_BODY, body: JSON.stringify(body) }) };
  return (await volley.fetch(path, init)).json();
}

/** The questions of the actions of an answer, in their order. */
function questionsOf({ results }: UndoneAnswer): readonly string[] {
  const asked = results as readonly { readonly confirmation?: { readonly id: string } }[];
  return asked.flatMap(({ confirmation }) => confirmation?.id ?? []);
}

const TAKEN_BACK = { id: "before", tool: "unbook", status: "success" };

describe("a batch that waits for a person", () => {
  test("stands as long as nobody has decided, and with a yes for good", async () => {
    const bookings = openBookings();
    const { volley, decide } = await open(bookings);
    const answer = await runUndo(volley, [before, gated]);
    expect(answer.undone).toBeUndefined();
    await volley.advance(60_000);
    volley.evict();
    await volley.advance(60_000);
    expect([...bookings.live]).toEqual(["before"]);
    const yes = await decide(questionsOf(answer)[0]!, approve);
    expect(yes).toMatchObject({ results: [{ status: "success" }] });
    expect(yes.undone).toBeUndefined();
    await volley.advance(120_000);
    expect([...bookings.live]).toEqual(["before", "gated"]);
  });

  test("is undone by a no: the decision's envelope and the event at 'callback_url' have 'undone'", async () => {
    const bookings = openBookings();
    const { volley, decide, told } = await open(bookings);
    const answer = await runUndo(volley, [before, gated], { callback_url: TOLD });
    const no = await decide(questionsOf(answer)[0]!, reject);
    expect(no).toMatchObject({
      results: [{ error: { code: "CONFIRMATION_REJECTED" } }],
      undone: [TAKEN_BACK],
    });
    await volley.advance(60_000);
    expect(told()).toMatchObject([
      { type: "confirmation.decided", data: { decision: "reject", answer: { undone: [TAKEN_BACK] } } },
    ]);
    expect(bookings.heard).toEqual(["book before", "unbook before"]);
  });

  test("gives the same answer to the same no again", async () => {
    const { volley, decide } = await open(openBookings());
    const [id] = questionsOf(await runUndo(volley, [before, gated]));
    const headers = { ...JSON_BODY, "idempotency-key": "once" };
    const init = { method: "POST", headers, body: JSON.stringify(reject) };
    const first = await (await volley.fetch(`/v1/confirmations/${id}`, init)).json();
    expect(first).toMatchObject({ undone: [TAKEN_BACK] });
    expect(await (await volley.fetch(`/v1/confirmations/${id}`, init)).json()).toEqual(first);
    expect(await decide(id!, reject)).toMatchObject({ status: 409 });
  });

  trial(
    "is undone when its question expires: the run and the event at 'callback_url' have 'undone'",
    async () => {
      const bookings = openBookings();
      const { volley, told } = await open(bookings, [runs()]);
      const { batch_id: run } = await runUndo(volley, [before, gated], { callback_url: TOLD });
      await volley.advance(3_000);
      expect(await send(volley, "GET", `/v1/runs/${run}`)).toMatchObject({ status: "waiting" });
      volley.evict();
      await volley.advance(25 * 3_600_000);
      expect(told()).toMatchObject([{ type: "confirmation.expired", data: { undone: [TAKEN_BACK] } }]);
      expect(await send(volley, "GET", `/v1/runs/${run}`)).toMatchObject({
        status: "undone",
        undone: [TAKEN_BACK],
      });
      expect(bookings.heard).toEqual(["book before", "unbook before"]);
    },
  );

  trial(
    "is undone when the approved action fails: the decision's envelope and the event have 'undone'",
    async () => {
      const bookings = openBookings(failing);
      const { volley, decide, told } = await open(bookings);
      const fails = { ...gated, args: { name: "fails" } };
      const answer = await runUndo(volley, [before, fails], { callback_url: TOLD });
      const yes = await decide(questionsOf(answer)[0]!, approve);
      expect(yes).toMatchObject({ results: [{ id: "gated", status: "error" }], undone: [TAKEN_BACK] });
      await volley.advance(60_000);
      expect(told()).toMatchObject([{ data: { decision: "approve", answer: { undone: [TAKEN_BACK] } } }]);
    },
  );

  trial(
    "is undone when what waited for the approved action fails, the approved action among it",
    async () => {
      const bookings = openBookings(failing);
      const { volley, decide } = await open(bookings);
      const fails = { tool: "book", args: { name: "fails" }, depends_on: ["gated"] };
      const answer = await runUndo(volley, [before, { ...gated, depends_on: ["before"] }, fails]);
      const yes = await decide(questionsOf(answer)[0]!, approve);
      expect(yes.undone).toMatchObject([{ id: "gated", status: "success" }, TAKEN_BACK]);
      expect(yes.results[0]).toMatchObject({ id: "gated", status: "success", meta: { undone: true } });
      // The action before it was in another domain, and was not planned with it again.
      expect(bookings.heard.slice(-2)).toEqual(["unbook gated", "unbook before"]);
    },
  );

  trial("goes on with the yes to one question, and is undone by the no to another", async () => {
    const bookings = openBookings();
    const { volley, decide } = await open(bookings);
    const answer = await runUndo(volley, [before, gated, { ...gated, id: "other", args: { name: "other" } }]);
    const [first, second] = questionsOf(answer);
    expect((await decide(first!, approve)).undone).toBeUndefined();
    await volley.advance(60_000);
    expect([...bookings.live]).toEqual(["before", "gated"]);
    const no = await decide(second!, reject);
    expect(no.undone).toMatchObject([{ id: "gated", status: "success" }, TAKEN_BACK]);
    expect([...bookings.live]).toEqual([]);
  });

  trial("withdraws the questions that are open when it is undone, and says by what", async () => {
    const bookings = openBookings();
    const { volley, decide, told } = await open(bookings);
    const actions = [before, gated, { ...gated, id: "other", args: { name: "other" } }];
    const [first, second] = questionsOf(await runUndo(volley, actions, { callback_url: TOLD }));
    await decide(first!, reject);
    const withdrawn = await send(volley, "GET", `/v1/confirmations/${second}`);
    expect(withdrawn).toMatchObject({ status: "rejected", decided_by: { name: "test", via: "undo" } });
    expect(await decide(second!, approve)).toMatchObject({ status: 409 });
    await volley.advance(60_000);
    expect(told()).toHaveLength(2);
    expect(bookings.heard).toEqual(["book before", "unbook before"]);
  });

  trial("leaves the question alone that an earlier batch asked under the same key", async () => {
    const bookings = openBookings(failing);
    const { volley, decide } = await open(bookings);
    const keyed = { ...gated, idempotency_key: "k" };
    const first = await runUndo(volley, [keyed]);
    const second = await runUndo(volley, [keyed, { id: "fails", tool: "book", args: { name: "fails" } }]);
    expect(second.results.map(({ status }) => status)).toEqual(["pending_confirmation", "error"]);
    expect(questionsOf(second)).toEqual(questionsOf(first));
    await decide(questionsOf(first)[0]!, approve);
    expect([...bookings.live]).toEqual(["gated"]);
  });

  trial(
    "is undone by a no that came while nobody had written anything yet: there is nothing to take back",
    async () => {
      const { volley, decide, told } = await open(openBookings());
      const answer = await runUndo(volley, [gated], { callback_url: TOLD });
      expect((await decide(questionsOf(answer)[0]!, reject)).undone).toEqual([]);
      await volley.advance(60_000);
      expect(told()).toMatchObject([{ data: { answer: { undone: [] } } }]);
    },
  );

  trial("takes its jobs back in the reverse of the order in which they ended", async () => {
    const busy = (times: number) => (times === 1 ? Response.json({}, { status: 503 }) : undefined);
    const bookings = openBookings({ "book z": busy });
    const { volley, decide } = await open(bookings);
    const job = (name: string) => ({ id: name, tool: "book_later", args: { name } });
    const answer = await runUndo(volley, [job("z"), job("a"), gated]);
    await volley.advance(60_000);
    // It began first, and was done at its second attempt.
    await decide(questionsOf(answer)[0]!, reject);
    await volley.advance(60_000);
    const taken = bookings.heard.filter((word) => word.startsWith("unbook"));
    expect(taken).toEqual(["unbook z", "unbook a"]);
  });

  trial("is not undone by a job that fails after its yes", async () => {
    const bookings = openBookings(failing);
    const { volley, decide } = await open(bookings);
    const answer = await runUndo(volley, [before, { ...gated, tool: "gated_late", args: { name: "fails" } }]);
    expect(await decide(questionsOf(answer)[0]!, approve)).toMatchObject({
      results: [{ status: "initiated" }],
    });
    await volley.advance(600_000);
    expect([...bookings.live]).toEqual(["before"]);
  });

  trial("is undone in the background too", async () => {
    const bookings = openBookings();
    const { volley, decide } = await open(bookings);
    const recorded = await runUndo(volley, [before, gated], { background: true });
    await volley.advance(1_000);
    const { job_id: job } = recorded as unknown as { readonly job_id: string };
    expect(await send(volley, "GET", `/v1/jobs/${job}`)).toMatchObject({ status: "succeeded" });
    await volley.advance(60_000);
    expect([...bookings.live]).toEqual(["before"]);
    const {
      confirmations: [question],
    } = (await send(volley, "GET", "/v1/confirmations")) as {
      readonly confirmations: readonly { readonly id: string }[];
    };
    expect((await decide(question!.id, reject)).undone).toMatchObject([TAKEN_BACK]);
    expect([...bookings.live]).toEqual([]);
  });

  trial("is undone with the flow that had begun when it asked", async () => {
    const bookings = openBookings();
    const { volley, decide } = await open(bookings);
    const late = { tool: "gated", args: { name: { $ref: "first#/id" } } };
    const flow = {
      summary: "Books",
      input_schema: { type: "object" },
      actions: [
        { id: "first", tool: "book_car", args: { name: "car" } },
        { id: "second", ...late },
      ],
      on_error: "undo",
    };
    expect(await send(volley, "PUT", "/v1/flows/trip", flow)).toMatchObject({ name: "trip" });
    const answer = await runUndo(volley, [before, { id: "trip", tool: "trip", args: {} }]);
    const yes = await decide(questionsOf(answer)[0]!, approve);
    expect(yes).toMatchObject({ results: [{ status: "pending_confirmation" }] });
    expect([...bookings.live]).toEqual(["before", "car"]);
    expect((await decide(questionsOf(yes)[0]!, reject)).undone).toMatchObject([
      { id: "trip", action: "first", status: "success" },
      TAKEN_BACK,
    ]);
    expect([...bookings.live]).toEqual([]);
  });

  trial("is undone where it came over MCP", async () => {
    const bookings = openBookings();
    const { volley, decide } = await open(bookings);
    const params = { name: "execute_actions", arguments: { on_error: "undo", actions: [before, gated] } };
    const response = await volley.fetch("/mcp", {
      method: "POST",
      headers: { ...JSON_BODY, accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    const { result } = (await response.json()) as {
      readonly result: { readonly structuredContent: UndoneAnswer };
    };
    expect((await decide(questionsOf(result.structuredContent)[0]!, reject)).undone).toMatchObject([
      TAKEN_BACK,
    ]);
  });

  test("whose write has no way back is refused before anything runs, whoever it would ask", async () => {
    const bookings = openBookings();
    const { volley } = await open(bookings);
    const refused = await runUndo(volley, [
      before,
      gated,
      { id: "order", tool: "order", args: { name: "b" } },
    ]);
    expect(refused).toMatchObject({ status: 422, code: "INVALID_BATCH" });
    expect(await send(volley, "GET", "/v1/confirmations")).toMatchObject({ confirmations: [] });
    expect(bookings.heard).toEqual([]);
  });

  trial("asks nobody any more when it has failed: its deadline passed", async () => {
    const bookings = openBookings({ "book slow": () => new Promise<never>(() => {}) });
    const { volley } = await open(bookings);
    const slow = { id: "slow", tool: "book_seen", args: { name: "slow" } };
    const answer = await runUndo(volley, [before, gated, slow], { deadline_ms: 1_000 });
    expect(answer.results[1]).toMatchObject({ id: "gated", error: { code: "CONFIRMATION_REJECTED" } });
    await volley.advance(600_000);
    expect(await send(volley, "GET", "/v1/confirmations")).toMatchObject({
      confirmations: [{ status: "rejected", decided_by: { via: "undo" } }],
    });
    expect([...bookings.live]).toEqual([]);
  });

  trial("is undone when its Worker is killed after the yes, before the approved action is sent", async () => {
    const bookings = openBookings();
    let env: Readonly<Record<string, unknown>> = {};
    const hears = (configured: { readonly env: typeof env }) => {
      ({ env } = configured);
      return { listen: () => undefined };
    };
    const { volley, decide } = await open(bookings, [defineFeature({ name: "spy", hears })]);
    const [id] = questionsOf(await runUndo(volley, [before, gated]));
    const spaces = env["TENANT_GATE"] as {
      idFromName(name: string): unknown;
      get(id: unknown): { admitClaimed(...args: unknown[]): Promise<unknown> };
    };
    const claim = { part: "confirmations", value: { id, by: "gone" } };
    const asks = { quota: null, draws: [], jobs: [], allOrNothing: false };
    expect(await spaces.get(spaces.idFromName("test")).admitClaimed(claim, asks)).toMatchObject({
      refused: null,
    });
    await volley.advance(9_000);
    expect([...bookings.live]).toEqual(["before"]);
    volley.evict();
    await volley.advance(3_000);
    expect([...bookings.live]).toEqual([]);
    expect(await decide(id!, approve)).toMatchObject({ status: 409 });
  });
});
