import { expect, test } from "vitest";

import { fromStoredOutcome, toStoredOutcome } from "../../../src/core/answer/stored-outcome.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { ByteBudget } from "../../../src/core/egress/byte-budget.ts";
import { trial } from "../../support/trial.ts";

const data = Array.from({ length: 240_000 }, () => 0);
const success: Outcome = { status: "success", data, json: JSON.stringify(data), meta: { bytes: 480_001 } };

trial("fromStoredOutcome() reads back what toStoredOutcome() wrote, as a replay", () => {
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

const error = makeFailure("TIMEOUT", { hint: "Look." });
const partial = { data: [1], json: "[1]" };
const truncated = {
  tokens_before: 9,
  tokens_after: 1,
  elements_dropped: 1,
  fields_dropped: 0,
  characters_dropped: 0,
  at: [""],
};
const meta = {
  bytes: 3,
  items: { total: 1, ok: 1, error: 0 },
  selectMissing: ["/a"],
  truncated,
  demoted: true,
  verification: { tool: "look", verdict: "not_found", durationMs: 4 },
} as const;

test.each<Exclude<Outcome, { readonly status: "skipped" }>>([
  { status: "success", data: [1, 2], json: "[1,2]", meta },
  { status: "success", data: [1, 2], json: "[1,2]", shown: partial, meta: {} },
  { status: "error", error, meta },
  { status: "error", error, partial, meta: {} },
  { status: "unknown", error, meta: {} },
  { status: "unknown", error, partial, meta },
  { status: "initiated", jobId: "j-1", meta },
])(
  "an outcome is read back with all that its caller was told, but for the time that it took: %j",
  (outcome) => {
    const spent = { durationMs: 5, queuedMs: 6, attempts: 7, workMs: 8 };
    const written = toStoredOutcome({ ...outcome, meta: { ...outcome.meta, ...spent } });
    const read = fromStoredOutcome(written, new ByteBudget(0));
    expect(read).toStrictEqual({ ...outcome, meta: { ...outcome.meta, replayed: true } });
    expect(written).not.toMatch(/Ms":[5-8]/);
  },
);

trial(
  "P6: fromStoredOutcome() leaves out what succeeded of a failed loop where a batch may have no more values",
  () => {
    const large = { data, json: JSON.stringify(data) };
    const budget = new ByteBudget(0);
    fromStoredOutcome(toStoredOutcome(success), budget);
    const kept = toStoredOutcome({ status: "unknown", error, partial: large, meta: {} });
    const read = fromStoredOutcome(kept, budget);
    expect(read).not.toHaveProperty("partial");
    expect(read).toMatchObject({ status: "unknown", error, meta: { truncated: { at: [""] } } });
  },
);
