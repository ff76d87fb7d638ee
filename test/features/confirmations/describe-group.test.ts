import { expect, test } from "vitest";

import type { ParkedGroup, ParkedAction } from "../../../src/features/confirmations/parked-group.ts";
import { describeParkedGroup } from "../../../src/features/confirmations/describe-group.ts";
import { begunFlowOf as flowOf, parkedAction } from "../../support/parked-samples.ts";

const action = (id: string, changes: Partial<ParkedAction> = {}) =>
  parkedAction(id, { args: { kind: "call", input: { id } }, ...changes });
const waiting = (id: string): ParkedAction =>
  action(id, { tool: "look", gated: false, needs: [0], args: { kind: "waiting", input: {} } });
const groupOf = (...actions: ParkedAction[]): ParkedGroup => ({
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
const asked = { skipDenied: false, undecidable: false };

test("describeParkedGroup() says which tool with which arguments, and what else waits", () => {
  expect(describeParkedGroup(groupOf(action("a")), asked)).toEqual([
    `'drop' with {"id":"a"} runs only after a person's yes.`,
  ]);
  expect(describeParkedGroup(groupOf(action("a"), waiting("b")), asked)).toEqual([
    `'drop' with {"id":"a"} runs only after a person's yes. With it: 'b' (look).`,
    `'look' waits for a person's yes to 'a' (drop).`,
  ]);
});

test("describeParkedGroup() shows the elements of a loop, without those that are wrong", () => {
  const error = { code: "INVALID_ARGS", retryable: false } as const;
  const loop = action("a", {
    args: { kind: "loop", elements: [{ input: { id: "1" } }, { error }, { input: { id: "2" } }] },
  });
  expect(describeParkedGroup(groupOf(loop), asked)).toEqual([
    `'drop' with each of 2: [{"id":"1"},{"id":"2"}] runs only after a person's yes.`,
  ]);
});

test("describeParkedGroup() says of a flow that has begun which of its actions need the yes, and counts the ones beyond five", () => {
  const few = action("f", { tool: "tidy", begun: flowOf(action("a"), waiting("b"), action("c")) });
  const many = Array.from({ length: 7 }, (_, n) => action(String(n)));
  const loop = action("g", { tool: "tidy", begun: { kind: "loop", elements: [flowOf(...many)] } });
  expect(describeParkedGroup(groupOf(few), asked)).toEqual([
    `The flow 'tidy' has begun and goes on, with 'drop' with {"id":"a"}, 'drop' with {"id":"c"}, only after a person's yes.`,
  ]);
  const [message] = describeParkedGroup(groupOf(loop), asked);
  expect(message).toContain(`{"id":"3"}, 'drop' with {"id":"4"} and 2 more, only`);
  expect(message).not.toContain(`{"id":"5"}`);
});

test("describeParkedGroup() names five of those that wait with an action, and all where they are no more", () => {
  const names = (count: number) => {
    const others = Array.from({ length: count }, (_, n) => waiting(`w${n}`));
    return describeParkedGroup(groupOf(action("a"), ...others), asked)[0]!.split("With it: ")[1];
  };
  const five = "'w0' (look), 'w1' (look), 'w2' (look), 'w3' (look), 'w4' (look)";
  expect(names(2)).toBe("'w0' (look), 'w1' (look).");
  expect(names(5)).toBe(`${five}.`);
  expect(names(6)).toBe(`${five} and 1 more.`);
});

test("describeParkedGroup() tells who asked to skip it that this key may not", () => {
  const [message] = describeParkedGroup(groupOf(action("a")), { ...asked, skipDenied: true });
  expect(message).toBe(
    `'drop' with {"id":"a"} runs only after a person's yes. This key may not skip approval.`,
  );
});

test("describeParkedGroup() says where no key may decide", () => {
  const [message] = describeParkedGroup(groupOf(action("a")), { ...asked, undecidable: true });
  expect(message).toBe(
    `'drop' with {"id":"a"} runs only after a person's yes. No key of this tenant in VOLLEY_KEYS may decide; its operator has to give one the flag 'approve'.`,
  );
});

test("describeParkedGroup() stays one short visible sentence, whatever the arguments are", () => {
  const many = Array.from({ length: 49 }, (_, n) => waiting(`${n}${"x".repeat(60)}`));
  const evil = action("a", { args: { kind: "call", input: { id: `\u202e\u0000\n${"y".repeat(10_000)}` } } });
  for (const message of describeParkedGroup(groupOf(evil, ...many), {
    skipDenied: true,
    undecidable: true,
  })) {
    expect(message.length).toBeLessThan(800);
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
  expect(describeParkedGroup(groupOf(evil, ...many), asked)[0]).toContain("and 44 more");
});
