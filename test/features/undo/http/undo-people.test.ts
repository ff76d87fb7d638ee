import * as z from "zod/mini";
import { describe, expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import type { Feature } from "../../../../src/cloudflare/feature.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { mcp } from "../../../../src/features/mcp/index.ts";
import { defineFeature } from "../../../../src/feature/define.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { book, type Bookings, declare, openBookings, runUndo, TOOLS, type UndoneAnswer } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

const failing = { "book fails": () => Response.json({}, { status: 400 }) };
const FAILS = { id: "fails", tool: "book", args: { name: "fails" } };
const ID = z.object({ id: z.string() });

const backBy = (tool: string) => ({ compensate: { tool, args: { id: { $ref: "result#/id" } } } });

const ASKING = [
  ...TOOLS,
  declare("unbook_asked", "unbook", ID, { orchestration: { confirm: "always" } }),
  declare("unbook_large", "unbook", ID, { orchestration: { confirm: { when: { "/id": { eq: "large" } } } } }),
  declare("unbook_quiet", "unbook", ID, { actions: ["delete"] }),
  book("book_asked", { domain: "asked", orchestration: backBy("unbook_asked") }),
  book("book_same", { domain: "asked" }),
  book("book_doubt", {
    domain: "asked",
    orchestration: {
      ...backBy("unbook_asked"),
      verify_with: { tool: "find", args: { name: "/name" }, result: "/booking" },
    },
  }),
  book("book_large", { domain: "large", orchestration: backBy("unbook_large") }),
  book("book_quiet", { domain: "quiet", orchestration: backBy("unbook_quiet") }),
];

const openAll = (bookings: Bookings, more: readonly Feature[] = []): Promise<TestVolley> =>
  createTestVolley({
    tools: ASKING,
    features: [undo(), discovery(), confirmations(), addedTools(), flows(), background(), mcp(), ...more],
    routes: { ...bookings.routes, "POST https://told.example.com/here": {} },
    env: { VOLLEY_WEBHOOK_SECRET: `whsec_${btoa("a secret of the test, 32 bytes..")}` },
    key: { flags: ["manage_tools", "approve", "skip_approval"] },
  });

async function send(volley: TestVolley, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const init = { method, ...(body && { headers, body: JSON.stringify(body) }) };
  return (await volley.fetch(path, init)).json();
}

const B = { id: "b", tool: "book_asked", args: { name: "b" } };
const A = { id: "a", tool: "book", args: { name: "a" } };
const approve = { decision: "approve" };
const reject = { decision: "reject" };

/** The question of an answer; all its entries that wait have the same. */
function questionOf({ undone = [] }: UndoneAnswer): string {
  const ids = undone.flatMap(({ confirmation }) => confirmation?.id ?? []);
  expect(new Set(ids).size).toBe(1);
  return ids[0]!;
}

/** Run a batch whose last action fails after the others. */
async function undoAll(
  bookings: Bookings,
  actions: readonly { readonly id: string }[],
  more: object = {},
  features: readonly Feature[] = [],
) {
  const volley = await openAll(bookings, features);
  const decide = async (id: string, decision: object): Promise<UndoneAnswer> =>
    (await send(volley, "POST", `/v1/confirmations/${id}`, decision)) as UndoneAnswer;
  const fails = { ...FAILS, depends_on: actions.map(({ id }) => id) };
  return { volley, decide, answer: await runUndo(volley, [...actions, fails], more) };
}

describe("a compensation that asks a person", () => {
  test("waits for one question for the run, and nothing of it is sent before the yes; other domains go", async () => {
    const bookings = openBookings(failing);
    const other = { id: "c", tool: "book_asked", args: { name: "c" } };
    const { volley, decide, answer } = await undoAll(bookings, [A, B, other]);
    expect(answer.undone).toMatchObject([
      { id: "c", tool: "unbook_asked", status: "pending_confirmation" },
      { id: "b", tool: "unbook_asked", status: "pending_confirmation" },
      { id: "a", tool: "unbook", status: "success" },
    ]);
    expect(answer.results[1]).toMatchObject({ id: "b", status: "success", meta: { undone: false } });
    const id = questionOf(answer);
    expect(await send(volley, "GET", `/v1/confirmations/${id}`)).toMatchObject({
      status: "pending",
      actions: [
        { id: "c", tool: "unbook_asked", args: { id: "c" } },
        { id: "b", tool: "unbook_asked", args: { id: "b" } },
      ],
    });
    await volley.advance(600_000);
    volley.evict();
    await volley.advance(600_000);
    expect([...bookings.live].toSorted()).toEqual(["b", "c"]);
    const yes = await decide(id, approve);
    expect(yes).toMatchObject({
      results: [
        { id: "c", status: "success", data: { gone: "c" } },
        { id: "b", status: "success", data: { gone: "b" } },
      ],
      undone: [{ status: "success" }, { status: "success" }, { status: "success" }],
    });
    expect(bookings.heard.slice(-3)).toEqual(["unbook a", "unbook c", "unbook b"]);
    await volley.advance(600_000);
    expect(bookings.heard.filter((word) => word.startsWith("unbook"))).toHaveLength(3);
  });

  test.each([
    ["large", ["pending_confirmation"]],
    ["small", ["success"]],
  ])("asks where its condition holds: %s", async (name, statuses) => {
    const { answer } = await undoAll(openBookings(failing), [
      { id: "b", tool: "book_large", args: { name } },
    ] as never);
    expect(answer.undone!.map(({ status }) => status)).toEqual(statuses);
  });

  trial("holds back what comes after it in its domain, and what it depended on", async () => {
    const bookings = openBookings(failing);
    const same = { id: "same", tool: "book_same", args: { name: "same" } };
    const needed = { ...A, id: "needed", args: { name: "needed" } };
    const asked = { ...B, depends_on: ["same", "needed"] };
    const { decide, answer } = await undoAll(bookings, [same, needed, asked]);
    expect(new Map(answer.undone!.map(({ id, status }) => [id, status]))).toEqual(
      new Map([
        ["b", "pending_confirmation"],
        ["needed", "pending_confirmation"],
        ["same", "pending_confirmation"],
      ]),
    );
    expect(bookings.heard.some((word) => word.startsWith("unbook"))).toBe(false);
    await decide(questionOf(answer), approve);
    expect([...bookings.live]).toEqual([]);
    expect(bookings.heard.indexOf("unbook b")).toBeLessThan(bookings.heard.indexOf("unbook same"));
  });

  trial("after a no its entry is an error, and what came after it is taken back", async () => {
    const bookings = openBookings(failing);
    const same = { id: "same", tool: "book_same", args: { name: "same" } };
    const { volley, decide, answer } = await undoAll(bookings, [
      same,
      { ...B, depends_on: ["same"] } as never,
    ]);
    const no = await decide(questionOf(answer), reject);
    expect(no).toMatchObject({
      results: [{ id: "b", status: "error", error: { code: "CONFIRMATION_REJECTED" } }],
      undone: [
        { id: "b", status: "error", error: { code: "CONFIRMATION_REJECTED" } },
        { id: "same", status: "success" },
      ],
    });
    await volley.advance(600_000);
    expect([...bookings.live]).toEqual(["b"]);
  });

  trial("tells the batch's own address of the decision", async () => {
    const told = "https://told.example.com/here";
    const { volley, decide, answer } = await undoAll(openBookings(failing), [B], { callback_url: told });
    await decide(questionOf(answer), approve);
    await volley.advance(60_000);
    const events = volley.requests.flatMap((request) => (request.url === told ? [request.json()] : []));
    expect(events).toMatchObject([
      { type: "confirmation.decided", data: { answer: { undone: [{ id: "b", status: "success" }] } } },
    ]);
  });

  trial("is not sent when its question expires", async () => {
    const bookings = openBookings(failing);
    const { volley } = await undoAll(bookings, [A, B]);
    await volley.advance(30 * 3_600_000);
    expect([...bookings.live]).toEqual(["b"]);
  });

  test("'skip_approval' does not hold for it", async () => {
    const { answer } = await undoAll(openBookings(failing), [B], { skip_approval: true });
    expect(answer.undone).toMatchObject([{ status: "pending_confirmation" }]);
  });

  trial("is sent with the arguments that a person wrote in place of its own", async () => {
    const bookings = openBookings(failing);
    const { decide, answer } = await undoAll(bookings, [B]);
    const yes = await decide(questionOf(answer), { ...approve, args: { b: { id: "else" } } });
    // Nothing of that name is booked.
    expect(yes.undone).toMatchObject([{ id: "b", status: "error" }]);
    expect(bookings.heard.at(-1)).toBe("unbook else");
  });

  trial("is asked about for each element of a loop, and for each write of a flow", async () => {
    const bookings = openBookings(failing);
    const volley = await openAll(bookings);
    const flow = { summary: "Books", input_schema: { type: "object" }, actions: [B], on_error: "undo" };
    expect(await send(volley, "PUT", "/v1/flows/trip", flow)).toMatchObject({ name: "trip" });
    const loop = { id: "all", tool: "book_asked", for_each: ["x", "y"], args: { name: { $ref: "item#" } } };
    const trip = { id: "trip", tool: "trip", args: {}, depends_on: ["all"] };
    const actions = [loop, trip, { ...FAILS, depends_on: ["trip"] }];
    const answer = await runUndo(volley, actions);
    expect(await send(volley, "GET", `/v1/confirmations/${questionOf(answer)}`)).toMatchObject({
      actions: [{ id: "trip/b" }, { id: "all.1" }, { id: "all.0" }],
    });
    await send(volley, "POST", `/v1/confirmations/${questionOf(answer)}`, approve);
    expect([...bookings.live]).toEqual([]);
  });

  trial("a write in doubt is looked up before anybody is asked", async () => {
    const bookings = openBookings({
      ...failing,
      "book lost": () => {
        bookings.live.add("lost");
        throw new Error("broken off");
      },
    });
    const lost = { id: "lost", tool: "book_doubt", args: { name: "lost" } };
    const volley = await openAll(bookings);
    const answer = await runUndo(volley, [lost]);
    await volley.advance(60_000);
    expect([...bookings.live]).toEqual(["lost"]);
    const { confirmations: asked } = (await send(volley, "GET", "/v1/confirmations")) as {
      readonly confirmations: readonly { readonly id: string }[];
    };
    expect(asked).toHaveLength(1);
    expect(answer.undone).toBeDefined();
    await send(volley, "POST", `/v1/confirmations/${asked[0]!.id}`, approve);
    expect([...bookings.live]).toEqual([]);
  });

  test("one that a tool has only by default holds nothing back", async () => {
    const { answer } = await undoAll(openBookings(failing), [
      { id: "q", tool: "book_quiet", args: { name: "a" } } as never,
    ]);
    expect(answer.undone).toMatchObject([{ tool: "unbook_quiet", status: "success" }]);
  });

  trial("leaves no run of its own, neither by the question nor by its yes", async () => {
    const seen: string[] = [];
    const listen = () => ({
      saw: ({ kind }: { readonly kind: string }) => void seen.push(kind),
      join: () => () => {},
    });
    const spy = () => defineFeature({ name: "spy", hears: () => ({ listen }) });
    const { decide, answer } = await undoAll(openBookings(failing), [B], {}, [spy()]);
    expect((await decide(questionOf(answer), approve)).undone).toMatchObject([{ status: "success" }]);
    expect(seen).toEqual(["run"]);
  });
});

trial(
  "a run that somebody undoes asks one question, asks no second one while that is open, and anew after a no",
  async () => {
    const bookings = openBookings();
    const volley = await openAll(bookings, [runs()]);
    const sent = await send(volley, "POST", "/v1/execute_actions", { actions: [A, B] });
    const { batch_id: run } = sent as UndoneAnswer;
    await volley.advance(3_000);
    const undoRun = async (body: object = {}): Promise<UndoneAnswer> =>
      (await send(volley, "POST", `/v1/runs/${run}/undo`, body)) as UndoneAnswer;
    expect((await undoRun({ dry_run: true })).undone).toMatchObject([{ asks: true }, { asks: false }]);
    const first = await undoRun();
    expect(first.undone).toMatchObject([
      { id: "b", status: "pending_confirmation" },
      { id: "a", status: "success" },
    ]);
    expect(await undoRun()).toEqual(first);
    await send(volley, "POST", `/v1/confirmations/${questionOf(first)}`, reject);
    await volley.advance(1_000);
    const second = await undoRun();
    expect(second.undone).toMatchObject([{ status: "pending_confirmation" }, { status: "success" }]);
    expect(questionOf(second)).not.toBe(questionOf(first));
    await send(volley, "POST", `/v1/confirmations/${questionOf(second)}`, approve);
    expect([...bookings.live]).toEqual([]);
    expect(bookings.heard.filter((word) => word.startsWith("unbook"))).toEqual(["unbook a", "unbook b"]);
  },
);

trial("what a rerun wrote is asked about anew after a no, and told once", async () => {
  const bookings = openBookings(failing);
  const volley = await openAll(bookings, [runs()]);
  const fails = { ...FAILS, depends_on: ["b"] };
  const first = await runUndo(volley, [B, fails]);
  await send(volley, "POST", `/v1/confirmations/${questionOf(first)}`, approve);
  await volley.advance(3_000);
  const rerun = (await send(volley, "POST", `/v1/runs/${first.batch_id}/rerun`, {})) as UndoneAnswer;
  await volley.advance(3_000);
  await send(volley, "POST", `/v1/confirmations/${questionOf(rerun)}`, reject);
  await volley.advance(3_000);
  const asked = (await send(volley, "POST", `/v1/runs/${first.batch_id}/undo`, {})) as UndoneAnswer;
  expect(asked.undone).toMatchObject([{ status: "pending_confirmation" }, { status: "success" }]);
  const show = async () => {
    await volley.advance(3_000);
    return send(volley, "GET", `/v1/runs/${rerun.batch_id}`);
  };
  expect(await show()).toMatchObject({ status: "waiting", undone: [{ status: "pending_confirmation" }] });
  await send(volley, "POST", `/v1/confirmations/${questionOf(asked)}`, approve);
  expect(await show()).toMatchObject({ status: "undone", undone: [{ id: "b", status: "success" }] });
  expect([...bookings.live]).toEqual([]);
});
