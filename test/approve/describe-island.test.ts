import { expect, test } from "vitest";

import type { Island, ParkedAction } from "../../src/contract/gate/confirmation.ts";
import { describeIsland } from "../../src/approve/describe-island.ts";

const action = (id: string, changes: Partial<ParkedAction> = {}): ParkedAction => ({
  id,
  tool: "drop",
  gated: true,
  needs: [],
  args: { kind: "call", input: { id } },
  timeoutMs: 1_000,
  select: null,
  ...changes,
});
const waiting = (id: string): ParkedAction =>
  action(id, { tool: "look", gated: false, needs: [0], args: { kind: "waiting", input: {} } });
const islandOf = (...actions: ParkedAction[]): Island => ({
  format: 1,
  actions,
  results: [],
  onError: "partial-success",
  deadlineMs: 1_000,
  maxTokens: null,
  requestedBy: "tester",
  argsHash: "",
  declarations: [],
});
const asked = { skipDenied: false };

test("describeIsland() says which tool with which arguments, and what else waits", () => {
  expect(describeIsland(islandOf(action("a")), asked)).toEqual([
    `'drop' with {"id":"a"} runs only after a person's yes.`,
  ]);
  expect(describeIsland(islandOf(action("a"), waiting("b")), asked)).toEqual([
    `'drop' with {"id":"a"} runs only after a person's yes. With it: 'b' (look).`,
    `'look' waits for a person's yes to 'a' (drop).`,
  ]);
});

test("describeIsland() shows the elements of a loop, without those that are wrong", () => {
  const error = { code: "INVALID_ARGS", retryable: false } as const;
  const loop = action("a", {
    args: { kind: "loop", elements: [{ input: { id: "1" } }, { error }, { input: { id: "2" } }] },
  });
  expect(describeIsland(islandOf(loop), asked)).toEqual([
    `'drop' with each of 2: [{"id":"1"},{"id":"2"}] runs only after a person's yes.`,
  ]);
});

test("describeIsland() tells who asked to skip it that this key may not", () => {
  const [message] = describeIsland(islandOf(action("a")), { skipDenied: true });
  expect(message).toBe(
    `'drop' with {"id":"a"} runs only after a person's yes. This key may not skip approval.`,
  );
});

test("describeIsland() stays one short visible sentence, whatever the arguments are", () => {
  const many = Array.from({ length: 49 }, (_, n) => waiting(`${n}${"x".repeat(60)}`));
  const evil = action("a", { args: { kind: "call", input: { id: `\u202e\u0000\n${"y".repeat(10_000)}` } } });
  for (const message of describeIsland(islandOf(evil, ...many), { skipDenied: true })) {
    expect(message.length).toBeLessThan(800);
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
  expect(describeIsland(islandOf(evil, ...many), asked)[0]).toContain("and 44 more");
});
