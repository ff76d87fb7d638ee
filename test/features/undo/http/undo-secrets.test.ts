import * as z from "zod/mini";
import { expect, test } from "vitest";

import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { undo } from "../../../../src/features/undo/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { BOOKED, type Bookings, declare, openBookings, runUndo, TOOLS } from "./bookings.ts";

// A booking whose id is a secret: it is in no answer, and without it nothing is taken back.

const SECRET = "token-of-the-booking";
const HOST = "https://bookings.example.com";
const KEY = { VOLLEY_VAULT_KEY: btoa("k".repeat(32)) };
const failing = { "book fails": () => Response.json({}, { status: 400 }) };
const byUnbook = (tool: string) => ({ compensate: { tool, args: { id: { $ref: "result#/id" } } } });

const seals = (name: string, by: string) =>
  declare(name, "book", z.object(BOOKED), {
    domain: name,
    orchestration: byUnbook(by),
    run: async (args, { fetch, conceal }) => {
      const headers = { "content-type": "application/json" };
      await fetch(`${HOST}/book`, { method: "POST", headers, body: JSON.stringify(args) });
      conceal(SECRET);
      return { id: SECRET };
    },
  });

const SEALED = [
  ...TOOLS,
  declare("unbook_asked", "unbook", z.object({ id: z.string() }), { orchestration: { confirm: "always" } }),
  seals("book_sealed", "unbook"),
  seals("book_asked", "unbook_asked"),
];

async function undoOne(tool: string, env: object = KEY, answers: Parameters<typeof openBookings>[0] = {}) {
  const bookings: Bookings = openBookings({ ...failing, ...answers });
  const features = [undo(), confirmations()];
  const key = { flags: ["approve"] };
  const volley = await createTestVolley({
    tools: SEALED,
    features,
    routes: bookings.routes,
    env: { ...env },
    key,
  });
  const fails = { id: "fails", tool: "book", args: { name: "fails" }, depends_on: ["a0"] };
  const answer = await runUndo(volley, [{ tool, args: { name: "a" } }, fails]);
  const read = async (path: string): Promise<string> => (await volley.fetch(path)).text();
  return { bookings, volley, answer, read };
}

test("arguments with a secret are sealed, and the write is taken back with them", async () => {
  const echoes = { [`unbook ${SECRET}`]: () => Response.json({ gone: SECRET }) };
  const { bookings, answer, read } = await undoOne("book_sealed", KEY, echoes);
  expect(answer.undone).toMatchObject([
    { id: "a0", tool: "unbook", status: "success", data: { gone: "[redacted]" } },
  ]);
  expect(bookings.heard.at(-1)).toBe(`unbook ${SECRET}`);
  for (const told of [JSON.stringify(answer), await read("/v1/jobs")]) expect(told).not.toContain(SECRET);
});

test("they are sealed while they wait too: a retry opens them again, and a question shows none of it", async () => {
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
  const yes = await (await volley.fetch(`/v1/confirmations/${id}`, { method: "POST", headers, body })).text();
  await volley.advance(600_000);
  expect(bookings.heard.filter((word) => word === `unbook ${SECRET}`)).toHaveLength(3);
  for (const told of [question, yes, await read("/v1/jobs")]) expect(told).not.toContain(SECRET);
});

test("without a key nothing is sealed: the write stands, and its entry says so", async () => {
  const { bookings, answer } = await undoOne("book_sealed", {});
  expect(answer.undone).toMatchObject([{ id: "a0", status: "error", error: { code: "NOT_REVERSIBLE" } }]);
  expect(JSON.stringify(answer)).toContain("secret");
  expect(JSON.stringify(answer)).not.toContain(SECRET);
  expect(bookings.heard).toEqual(["book a", "book fails"]);
});
