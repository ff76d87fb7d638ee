import { StatementSync } from "node:sqlite";

import * as z from "zod/mini";
import { expect, onTestFinished, test, vi } from "vitest";

import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import {
  book,
  BOOKED,
  type Bookings,
  declare,
  openBookings,
  runUndo,
  TOOLS,
  type UndoneAnswer,
} from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

// A booking whose id is a secret: it is in no answer, and without it nothing is taken back.

const SECRET = "token-of-the-booking";
const HOST = "https://bookings.example.com";
const KEY = { VOLLEY_VAULT_KEY: btoa("k".repeat(32)) };
const failing = { "book fails": () => Response.json({}, { status: 400 }) };
const byUnbook = (tool: string) => ({ compensate: { tool, args: { id: { $ref: "result#/id" } } } });

const seals = (name: string, by: string, more: Parameters<typeof declare>[3] = {}) =>
  declare(name, "book", z.object(BOOKED), {
    domain: name,
    ...more,
    orchestration: { ...byUnbook(by), ...more.orchestration },
    run: async (args, { fetch, conceal }) => {
      const headers = { "content-type": "application/json" };
      await fetch(`${HOST}/book`, { method: "POST", headers, body: JSON.stringify(args) });
      conceal(SECRET);
      return { id: SECRET };
    },
  });

const finds = declare("find_sealed", "booked", z.object({ name: z.string() }), {
  isWrite: false,
  run: async (_, { fetch, conceal }) => {
    conceal(SECRET);
    await fetch(`${HOST}/look`);
    return { booking: { id: SECRET } };
  },
});
const VERIFY = { verify_with: { tool: "find_sealed", args: { name: "/name" }, result: "/booking" } };

const SEALED = [
  ...TOOLS,
  finds,
  seals("book_sealed_later", "unbook", { execution: "fire-and-forget" }),
  seals("book_sealed_seen", "unbook", { orchestration: VERIFY }),
  seals("book_asked_seen", "unbook_asked", { orchestration: VERIFY }),
  book("ask", { domain: "ask", orchestration: { confirm: "always" } }),
  declare("unbook_asked", "unbook", z.object({ id: z.string() }), { orchestration: { confirm: "always" } }),
  seals("book_sealed", "unbook"),
  seals("book_asked", "unbook_asked"),
];

async function undoOne(
  tool: string,
  env: object = KEY,
  answers: Parameters<typeof openBookings>[0] = {},
  fails = "book",
) {
  const bookings: Bookings = openBookings({ ...failing, ...answers });
  const features = [undo(), confirmations(), runs()];
  const key = { flags: ["approve"] };
  const volley = await createTestVolley({
    tools: SEALED,
    features,
    routes: bookings.routes,
    env: { ...env },
    key,
  });
  const second = { id: "fails", tool: fails, args: { name: "fails" }, depends_on: ["a0"] };
  const answer = await runUndo(volley, [{ tool, args: { name: "a" } }, second]);
  const read = async (path: string): Promise<string> => (await volley.fetch(path)).text();
  return { bookings, volley, answer, read };
}

trial("arguments with a secret are sealed, and the write is taken back with them", async () => {
  const echoes = { [`unbook ${SECRET}`]: () => Response.json({ gone: SECRET }) };
  const { bookings, answer, read } = await undoOne("book_sealed", KEY, echoes);
  expect(answer.undone).toMatchObject([
    { id: "a0", tool: "unbook", status: "success", data: { gone: "[redacted]" } },
  ]);
  expect(bookings.heard.at(-1)).toBe(`unbook ${SECRET}`);
  for (const told of [JSON.stringify(answer), await read("/v1/jobs")]) expect(told).not.toContain(SECRET);
});

trial(
  "they are sealed while they wait too: a retry opens them again, and a question shows none of it",
  async () => {
    const { bookings, volley, answer, read } = await undoOne("book_asked", KEY, {
      [`unbook ${SECRET}`]: (times) =>
        times < 3 ? Response.json({ id: SECRET }, { status: 503 }) : Response.json({}),
    });
    const id = answer.undone![0]!.confirmation!.id;
    const question = await read(`/v1/confirmations/${id}`);
    expect(question).toContain("[redacted]");
    volley.evict();
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ decision: "approve" });
    const yes = await (
      await volley.fetch(`/v1/confirmations/${id}`, { method: "POST", headers, body })
    ).text();
    await volley.advance(600_000);
    expect(bookings.heard.filter((word) => word === `unbook ${SECRET}`)).toHaveLength(3);
    for (const told of [question, yes, await read("/v1/jobs")]) expect(told).not.toContain(SECRET);
  },
);

trial("a job's are sealed when its attempt ends, and its write is taken back with them", async () => {
  const { bookings, volley, answer, read } = await undoOne("book_sealed_later");
  expect(answer.undone).toMatchObject([{ id: "a0", tool: "unbook" }]);
  await volley.advance(60_000);
  expect(bookings.heard.at(-1)).toBe(`unbook ${SECRET}`);
  for (const told of [JSON.stringify(answer), await read("/v1/jobs")]) expect(told).not.toContain(SECRET);
});

test("also where that attempt is a later one, long after the answer", async () => {
  const busy = {
    "book a": (times: number) => (times === 1 ? Response.json({}, { status: 503 }) : undefined),
  };
  const { bookings, volley, answer, read } = await undoOne("book_sealed_later", KEY, busy, "ask");
  await volley.advance(600_000);
  expect(bookings.heard).toEqual(["book a", "book a"]);
  const { id } = answer.results[1]!.confirmation!;
  const body = JSON.stringify({ decision: "reject" });
  const headers = { "content-type": "application/json" };
  await volley.fetch(`/v1/confirmations/${id}`, { method: "POST", headers, body });
  await volley.advance(60_000);
  expect(bookings.heard.at(-1)).toBe(`unbook ${SECRET}`);
  expect(await read("/v1/jobs")).not.toContain(SECRET);
});

trial("a write in doubt is taken back with the secret that its look found", async () => {
  const lost = { "book a": () => Response.json({}, { status: 504 }) };
  for (const tool of ["book_sealed_seen", "book_asked_seen"]) {
    const { bookings, volley, answer, read } = await undoOne(tool, KEY, lost);
    const question = answer.undone![0]!.confirmation?.id;
    if (question !== undefined) {
      expect(await read(`/v1/confirmations/${question}`)).toContain("[redacted]");
      const body = JSON.stringify({ decision: "approve" });
      const headers = { "content-type": "application/json" };
      await volley.fetch(`/v1/confirmations/${question}`, { method: "POST", headers, body });
      await volley.advance(60_000);
    }
    expect(bookings.heard.at(-1)).toBe(`unbook ${SECRET}`);
    for (const told of [JSON.stringify(answer), await read("/v1/jobs")]) expect(told).not.toContain(SECRET);
  }
});

test("after a no they stay sealed for a later undo, which asks anew and sends them after its yes", async () => {
  const { bookings, volley, answer } = await undoOne("book_asked");
  const headers = { "content-type": "application/json" };
  const post = async (path: string, sent: object): Promise<UndoneAnswer> => {
    const told = await volley.fetch(path, { method: "POST", headers, body: JSON.stringify(sent) });
    await volley.advance(3_000);
    return (await told.json()) as UndoneAnswer;
  };
  const asked = answer.undone![0]!.confirmation!.id;
  await post(`/v1/confirmations/${asked}`, { decision: "reject" });
  const path = `/v1/runs/${answer.batch_id}/undo`;
  const planned = { id: "a0", tool: "unbook_asked", asks: true };
  expect((await post(path, { dry_run: true })).undone).toEqual([planned]);
  const again = (await post(path, {})).undone![0]!;
  expect(again).toMatchObject({ id: "a0", status: "pending_confirmation" });
  await post(`/v1/confirmations/${again.confirmation!.id}`, { decision: "approve" });
  expect(bookings.heard.at(-1)).toBe(`unbook ${SECRET}`);
});

/** Watch what objects write: the last of each row of a write that is kept. */
function watchRows() {
  const sent = vi.spyOn(StatementSync.prototype, "all");
  const rows = (): ReadonlyMap<string, string> =>
    new Map(
      sent.mock.contexts.flatMap((statement, at) => {
        const [run, key, , json] = sent.mock.calls[at] as unknown as readonly string[];
        const isWrite = (statement as StatementSync).sourceSQL.startsWith("REPLACE INTO undo_writes");
        return isWrite ? [[`${run} ${key}`, json!] as const] : [];
      }),
    );
  onTestFinished(() => sent.mockRestore());
  return rows;
}

trial("sealed arguments are in no row any more when the write is taken back", async () => {
  const rows = watchRows();
  const { volley, answer } = await undoOne("book_asked", KEY, {
    [`unbook ${SECRET}`]: () => Response.json({}),
  });
  expect([...rows().values()].filter((json) => json.includes("sealed"))).toHaveLength(1);
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ decision: "approve" });
  const path = `/v1/confirmations/${answer.undone![0]!.confirmation!.id}`;
  await volley.fetch(path, { method: "POST", headers, body });
  expect([...rows().values()].filter((json) => json.includes("success"))).toHaveLength(1);
  expect([...rows().values()].join()).not.toContain("sealed");
});

trial("after a no they are kept as long as the run, and then forgotten", async () => {
  const rows = watchRows();
  const { volley, answer } = await undoOne("book_asked", { ...KEY, VOLLEY_RUNS_DAYS: "2" });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ decision: "reject" });
  const path = `/v1/confirmations/${answer.undone![0]!.confirmation!.id}`;
  await volley.fetch(path, { method: "POST", headers, body });
  await volley.advance(86_400_000);
  volley.evict();
  const kept = (): readonly string[] => [...rows().values()].filter((json) => json.includes("sealed"));
  expect(kept()).toHaveLength(1);
  await volley.advance(90_000_000);
  expect(kept()).toEqual([]);
});

trial("without a key nothing is sealed: the write stands, and its entry says so", async () => {
  const { bookings, answer } = await undoOne("book_sealed", {});
  expect(answer.undone).toMatchObject([
    { id: "a0", tool: "book_sealed", status: "error", error: { code: "NOT_REVERSIBLE" } },
  ]);
  expect(JSON.stringify(answer)).toContain("secret");
  expect(JSON.stringify(answer)).not.toContain(SECRET);
  expect(bookings.heard).toEqual(["book a", "book fails"]);
});

trial.each(["book_sealed", "book_sealed_later", "book_sealed_seen"])(
  "a run that is undone afterwards goes by its content: '%s' had a secret in it, so nothing is sent unless that is left out",
  async (tool) => {
    const bookings = openBookings();
    const features = [undo(), confirmations(), runs()];
    const volley = await createTestVolley({
      tools: SEALED,
      features,
      routes: bookings.routes,
      env: { ...KEY },
    });
    const headers = { "content-type": "application/json" };
    const post = async (path: string, body: object) => {
      const answer = await volley.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
      return [answer.status, await answer.json()] as const;
    };
    const actions = [
      { id: "sealed", tool, args: { name: "a" } },
      { id: "plain", tool: "book", args: { name: "b" } },
    ];
    const [, ran] = await post("/v1/execute_actions", { actions });
    await volley.advance(3_000);
    const { batch_id: id } = ran as { readonly batch_id?: string };
    for (const body of [{}, { dry_run: true }, { only: ["sealed"] }]) {
      const refused = { code: "INVALID_REQUEST", detail: expect.stringContaining("'sealed'") };
      expect(await post(`/v1/runs/${id}/undo`, body)).toEqual([422, expect.objectContaining(refused)]);
    }
    expect(bookings.heard.some((word) => word.startsWith("unbook"))).toBe(false);
    const [status] = await post(`/v1/runs/${id}/undo`, { only: ["plain"] });
    expect([status, bookings.heard.at(-1)]).toEqual([200, "unbook b"]);
  },
);
