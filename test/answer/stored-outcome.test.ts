import { expect, test } from "vitest";

import { fromStoredOutcome, toStoredOutcome } from "../../src/answer/stored-outcome.ts";
import type { Outcome } from "../../src/contract/outcome.ts";
import { ByteBudget } from "../../src/egress/read-body.ts";

const data = Array.from({ length: 240_000 }, () => 0);
const success: Outcome = { status: "success", data, json: JSON.stringify(data), meta: { bytes: 480_001 } };

test("fromStoredOutcome() reads back what toStoredOutcome() wrote, as a replay", () => {
  const read = fromStoredOutcome(toStoredOutcome(success), new ByteBudget(0));

  expect(read).toEqual({ ...success, meta: { bytes: 480_001, replayed: true } });
});

test("P6: fromStoredOutcome() cuts data of more values than a batch may have, and says so", () => {
  const budget = new ByteBudget(0);
  fromStoredOutcome(toStoredOutcome(success), budget);
  const read = fromStoredOutcome(toStoredOutcome(success), budget);

  expect(read).toMatchObject({ status: "success", data: [], json: "[]" });
  expect(read.meta.truncated).toMatchObject({ tokens_before: expect.any(Number), at: [""] });
});

const waiting: Outcome = {
  status: "pending_confirmation",
  confirmation: {
    id: "c-1",
    expiresAt: 5,
    message: "'drop' waits.",
    url: "https://tools.example.com/console#/confirmations/c-1",
  },
  meta: {},
};

test("fromStoredOutcome() gives a question the address that it had when it was asked", () => {
  const read = fromStoredOutcome(toStoredOutcome(waiting), new ByteBudget(0));

  expect(read).toEqual({ ...waiting, meta: { replayed: true } });
});

test("fromStoredOutcome() gives a question that was kept without an address the path of its page", () => {
  const { url: _, ...older } = waiting.confirmation;
  const read = fromStoredOutcome(
    JSON.stringify({ status: "pending_confirmation", confirmation: older, meta: {} }),
    new ByteBudget(0),
  );

  expect(read).toMatchObject({ confirmation: { ...older, url: "/console#/confirmations/c-1" } });
});
