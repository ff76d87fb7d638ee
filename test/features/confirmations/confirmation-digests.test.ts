import { expect, test } from "vitest";

import { hashArgs, hashDeclaration } from "../../../src/features/confirmations/confirmation-digests.ts";
import type { BegunFlow, ParkedAction } from "../../../src/features/confirmations/parked-group.ts";
import { contractOf } from "../../support/fake-actions.ts";

/** The text itself, so that a test sees what a digest covers. */
const same = (text: string): Promise<string> => Promise.resolve(text);

const ACTION: ParkedAction = {
  id: "mail",
  tool: "send_email",
  gated: true,
  needs: [0],
  args: { kind: "call", input: { to: "a@example.com" } },
  timeoutMs: 1_000,
  select: null,
};

test.each([
  ["another id", { id: "other" }],
  ["another tool", { tool: "delete_email" }],
  ["what is asked for and what only waits", { gated: false }],
  ["another order", { needs: [] }],
  ["other arguments", { args: { kind: "call", input: { to: "b@example.com" } } }],
  ["arguments that wait", { args: { kind: "waiting", input: { to: "a@example.com" } } }],
  ["another address for its event", { callback: { url: "https://example.com/", secretName: "S" } }],
  ["another time", { runAt: 1_800_000_000_000 }],
] as const)("hashArgs() tells %s", async (_, change) => {
  const before = await hashArgs([ACTION], same);
  expect(await hashArgs([{ ...ACTION, ...change }], same)).not.toBe(before);
});

test("hashArgs() is the same however the keys of the arguments are ordered, and covers every action in its order", async () => {
  const args = (input: object) => ({ ...ACTION, args: { kind: "call", input } }) as ParkedAction;
  expect(await hashArgs([args({ a: 1, b: 2 })], same)).toBe(await hashArgs([args({ b: 2, a: 1 })], same));
  const [one, two] = [args({ n: 1 }), args({ n: 2 })];
  expect(await hashArgs([one, two], same)).not.toBe(await hashArgs([two, one], same));
  expect(await hashArgs([one, two], same)).not.toBe(await hashArgs([one], same));
});

test("hashArgs() tells what is asked about inside of a flow that has begun, and in which element of a loop", async () => {
  const flowOf = (to: string): BegunFlow => ({
    kind: "flow",
    actions: [{ ...ACTION, args: { kind: "call", input: { to } } }],
    results: [],
    onError: "partial-success",
    declarations: [],
    over: [],
  });
  const over = { kind: "over", outcomeJson: "{}" } as const;
  const [a, b] = [flowOf("a"), flowOf("b")];
  const begun = [
    undefined,
    a,
    b,
    { kind: "loop", elements: [a, over] },
    { kind: "loop", elements: [over, a] },
  ] as const;
  const hashes = await Promise.all(
    begun.map((one) => hashArgs([{ ...ACTION, ...(one !== undefined && { begun: one }) }], same)),
  );
  expect(new Set(hashes).size).toBe(begun.length);
  const nothing = await hashArgs([{ ...ACTION, begun: { kind: "loop", elements: [over] } }], same);
  expect(nothing).toBe(hashes[0]);
  expect(nothing).not.toContain("inside");
});

test("hashDeclaration() tells what a tool declares, and of a tenant's own where it sends what", async () => {
  const tool = contractOf("send", { isWrite: true });
  const before = await hashDeclaration(tool, same);
  expect(before).toContain("send");
  const other = contractOf("send", { isWrite: true, actions: ["delete"] });
  expect(await hashDeclaration(other, same)).not.toBe(before);
  const added = { ...tool, added: { json: "{}", fingerprint: "its own" } };
  expect(await hashDeclaration(added, same)).toBe("its own");
});
