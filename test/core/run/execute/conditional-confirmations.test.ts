import { describe, expect, test } from "vitest";
import * as z from "zod";

import type { Tool } from "../../../../src/core/catalog/define-tool.ts";
import { effectiveContract } from "../../../../src/core/catalog/tool-schema.ts";
import { executeApproved } from "../../../../src/features/confirmations/execute-approved.ts";
import { createCatalog } from "../../../support/create-catalog.ts";
import { TestWorld, type WireEnvelope } from "../../../support/execute-batch.ts";
import { contractOf } from "../../../support/fake-actions.ts";

const seen: string[] = [];
const said =
  (name: string) =>
  async (args: unknown): Promise<unknown> => {
    seen.push(`${name} ${JSON.stringify(args)}`);
    return { args, small: 5, large: 500, amounts: [1, 1_000] };
  };
const look = contractOf("look", { run: said("look") });
const pay = contractOf("pay", {
  input: z.strictObject({ amount: z.number().optional() }),
  isWrite: true,
  actions: ["pay"],
  orchestration: { mode: "sequential-only", confirm: { when: { "/amount": { gte: 100 } } } },
  run: said("pay"),
});
const order = contractOf("order", {
  isWrite: true,
  actions: ["send"],
  execution: "fire-and-forget",
  orchestration: { mode: "parallel-safe", confirm: { when: { "/amount": { gte: 100 } } } },
  run: said("order"),
});
const refund = contractOf("refund", {
  input: z.strictObject({
    amount: z.number().default(500),
    for: z.coerce.number().optional(),
    at: z
      .string()
      .transform((text) => new Date(text))
      .optional(),
  }),
  isWrite: true,
  actions: ["pay"],
  orchestration: { mode: "sequential-only", confirm: { when: { "/amount": { gte: 100 } } } },
  run: said("refund"),
});
const charge = contractOf("charge", {
  input: z.strictObject({ amount: z.coerce.number() }),
  isWrite: true,
  actions: ["pay"],
  orchestration: { mode: "sequential-only", confirm: { when: { "/amount": { gte: 100 } } } },
  run: said("charge"),
});
const absent = contractOf("absent", {
  input: z.strictObject({ amount: z.number().default(5), note: z.string().optional() }),
  isWrite: true,
  actions: ["pay"],
  orchestration: { mode: "sequential-only", confirm: { when: { "/amount": { exists: false } } } },
  run: said("absent"),
});
const renamed = contractOf("renamed", {
  input: z.pipe(
    z.strictObject({ amount: z.number().default(500) }),
    z.transform(({ amount }) => ({ cents: amount * 100 })),
  ),
  isWrite: true,
  actions: ["pay"],
  orchestration: { mode: "sequential-only", confirm: { when: { "/amount": { gte: 100 } } } },
  run: said("renamed"),
});
const save = contractOf("save", { isWrite: true, actions: ["save"], run: said("save") });
const TOOLS: readonly Tool[] = [look, pay, order, refund, charge, absent, renamed, save];

async function run(...actions: object[]) {
  seen.length = 0;
  const world = new TestWorld();
  const envelope = await world.run(TOOLS, { actions });
  return { world, envelope };
}
const statuses = ({ results }: WireEnvelope): string[] => results.map(({ status }) => status);

describe("a tool that asks under a condition", () => {
  test("asks for arguments that fit it, and runs with others or where the value is missing", async () => {
    const { envelope } = await run(
      { tool: "pay", args: { amount: 100 } },
      { tool: "pay", args: { amount: 99 } },
      { tool: "pay" },
    );
    expect(statuses(envelope)).toEqual(["pending_confirmation", "success", "success"]);
    expect(seen).toEqual(['pay {"amount":99}', "pay {}"]);
  });

  test("asks by what references stand for, once that is known", async () => {
    const { envelope, world } = await run(
      { id: "a", tool: "look" },
      { id: "large", tool: "pay", args: { amount: { $ref: "a#/large" } } },
      { id: "small", tool: "pay", args: { amount: { $ref: "a#/small" } } },
      { id: "after", tool: "save", args: { of: { $ref: "large#" } } },
    );
    expect(statuses(envelope)).toEqual([
      "success",
      "pending_confirmation",
      "success",
      "pending_confirmation",
    ]);
    const [group] = [...world.gate.parked.values()];
    expect(group!.actions.map(({ id, gated, args }) => ({ id, gated, args }))).toEqual([
      { id: "large", gated: true, args: { kind: "call", input: { amount: 500 } } },
      { id: "after", gated: false, args: { kind: "waiting", input: { of: { $ref: "large#" } } } },
    ]);
  });

  test("T57 sees the arguments that the tool will get: a default and what a text is read as", async () => {
    const { envelope, world } = await run(
      { id: "a", tool: "look" },
      { id: "left", tool: "refund" },
      { id: "null", tool: "refund", args: { amount: null } },
      { id: "given", tool: "refund", args: { amount: 5 } },
      { id: "later", tool: "refund", args: { for: { $ref: "a#/small" } } },
      { id: "text", tool: "charge", args: { amount: "500" } },
      { id: "there", tool: "absent" },
      { id: "other", tool: "renamed", args: { amount: 100 } },
    );
    const asked = envelope.results.filter(({ status }) => status === "pending_confirmation");
    expect(asked.map(({ id }) => id)).toEqual(["left", "null", "later", "text", "other"]);
    expect(seen).toEqual(["look {}", 'refund {"amount":5}', 'absent {"amount":5}']);
    // A person is asked about what is sent.
    const inputs = [...world.gate.parked.values()].flatMap(({ actions }) =>
      actions.map(({ id, args }) => [id, "input" in args && args.input]),
    );
    expect(Object.fromEntries(inputs)).toEqual({
      left: { amount: 500 },
      null: { amount: 500 },
      later: { amount: 500, for: 5 },
      text: { amount: 500 },
      other: { amount: 100 },
    });
  });

  test("T57 shows a value that JSON does not say as it was sent", async () => {
    const { world } = await run({ tool: "refund", args: { at: "2026-01-02" } });
    const [group] = [...world.gate.parked.values()];
    expect(group!.actions[0]!.args).toEqual({ kind: "call", input: { at: "2026-01-02" } });
  });

  test("T57 is planned with a default too", async () => {
    const answer = await new TestWorld().execute(TOOLS, {
      dry_run: true,
      actions: [
        { id: "left", tool: "refund" },
        { id: "given", tool: "refund", args: { amount: 5 } },
      ],
    });
    if (!answer.ok) throw new Error(answer.error.refusal.hint);
    expect(JSON.parse(answer.value.json)).toMatchObject({ plan: { confirmations: ["left"] } });
  });

  test("holds back no other write of its domain while it waits", async () => {
    const { envelope } = await run(
      { id: "a", tool: "look" },
      { id: "large", tool: "pay", args: { amount: { $ref: "a#/large" } } },
      { id: "next", tool: "save" },
    );
    expect(statuses(envelope)).toEqual(["success", "pending_confirmation", "success"]);
    expect(seen).toEqual(["look {}", "save {}"]);
  });

  test("asks about a whole loop where one element fits", async () => {
    const { envelope } = await run(
      { id: "a", tool: "look" },
      { id: "each", tool: "pay", args: { amount: { $ref: "item#" } }, for_each: { $ref: "a#/amounts" } },
    );
    expect(statuses(envelope)).toEqual(["success", "pending_confirmation"]);
    expect(seen).toEqual(["look {}"]);
  });

  test("records no job of a background call that asks", async () => {
    const { envelope, world } = await run(
      { tool: "order", args: { amount: 100 } },
      { tool: "order", args: { amount: 1 } },
    );
    expect(statuses(envelope)).toEqual(["pending_confirmation", "initiated"]);
    expect(world.gate.requests.flatMap(({ jobs }) => jobs).map(({ index }) => index)).toEqual([1]);
  });

  test("that waited for another question asks by its own condition after the yes to that one", async () => {
    for (const [value, status] of [
      ["large", "pending_confirmation"],
      ["small", "success"],
    ]) {
      const { world } = await run(
        { id: "first", tool: "pay", args: { amount: 100 } },
        { id: "then", tool: "pay", args: { amount: { $ref: `first#/${value}` } } },
      );
      const [[id, group]] = [...world.gate.parked] as [[string, never]];
      const answer = await world.clock.runUntil(
        executeApproved(group, { id, by: "ann" }, world.execution(TOOLS)),
      );
      if (!answer.ok) throw new Error(answer.error.refusal.hint);
      expect(statuses(JSON.parse(answer.value.json) as WireEnvelope)).toEqual(["success", status]);
    }
  });

  test("is planned with the actions that may ask, and runs none of it", async () => {
    seen.length = 0;
    const world = new TestWorld();
    const answer = await world.execute(TOOLS, {
      dry_run: true,
      actions: [
        { id: "a", tool: "look" },
        { id: "may", tool: "pay", args: { amount: { $ref: "a#/small" } } },
        { id: "does", tool: "pay", args: { amount: 100 } },
        { id: "never", tool: "pay", args: { amount: 1 } },
      ],
    });
    if (!answer.ok) throw new Error(answer.error.refusal.hint);
    expect(JSON.parse(answer.value.json)).toMatchObject({ plan: { confirmations: ["may", "does"] } });
    expect(seen).toEqual([]);
  });

  test("says its condition in its effective contract", () => {
    expect(effectiveContract(pay).confirm).toEqual({ when: { "/amount": { gte: 100 } } });
  });

  test("with a condition that cannot be read fails at the start and is named", () => {
    const wrong = contractOf("wrong", {
      orchestration: { mode: "parallel-safe", confirm: { when: { amount: { gte: 100 } } } },
    });
    expect(() => createCatalog([wrong])).toThrow(
      /'wrong'.*\/orchestration\/confirm\/when\/amount.*JSON pointer/,
    );
  });

  test("with a condition on no argument of its own fails at the start, because it would never ask", () => {
    const declared = (pointer: string) =>
      contractOf("wrong", {
        input: z.strictObject({ amount: z.number().optional() }),
        orchestration: { mode: "parallel-safe", confirm: { when: { [pointer]: { gte: 100 } } } },
      });
    expect(() => createCatalog([declared("/amout")])).toThrow(
      "Cannot define tool 'wrong': /orchestration/confirm/when asks for /amout, and there is no argument 'amout'",
    );
    for (const pointer of ["", "/amount", "/amount/of"])
      expect(() => createCatalog([declared(pointer)])).not.toThrow();
  });
});
