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
