import { expect, test } from "vitest";

import { readKeptBatch, writeKeptBatch } from "../../../src/features/background/batch-job.ts";

const CALLER = { name: "laptop", tenant: "acme", tools: ["*"], quota: { limit: 7, windowS: 60 } };

test("A batch that was kept before callers had flags runs with the rights that its key had", () => {
  const kept = {
    deadlineMs: 1_000,
    caller: { ...CALLER, skipApproval: true, approves: true, operates: true },
  };
  const { caller, deadlineMs } = readKeptBatch(JSON.stringify(kept));
  expect(deadlineMs).toBe(1_000);
  expect(caller).toMatchObject({ ...CALLER, flags: ["approve", "skip_approval", "operator"] });
  const plain = { deadlineMs: 1_000, caller: { ...CALLER, skipApproval: false } };
  expect(readKeptBatch(JSON.stringify(plain)).caller.flags).toEqual([]);
});

test.each([[[]], [["skip_approval"]], [["approve", "manage_keys", "flag_of_somebody"]]])(
  "A batch of a key with the flags %j runs with these",
  (flags) => {
    const kept = { deadlineMs: 1_000, caller: { ...CALLER, flags, subject: "ada" } };
    expect(readKeptBatch(writeKeptBatch(kept))).toMatchObject(kept);
  },
);
