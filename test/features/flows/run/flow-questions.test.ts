import { describe, expect, test } from "vitest";
import * as z from "zod";

import type { Tool } from "../../../../src/core/catalog/define-tool.ts";
import { parseBatch } from "../../../../src/core/contract/batch.ts";
import type { ParkedGroup } from "../../../../src/features/confirmations/parked-group.ts";
import { listAsked } from "../../../../src/features/confirmations/confirmation.ts";
import { hashArgs } from "../../../../src/features/confirmations/confirmation-digests.ts";
import { makeRejection } from "../../../../src/features/confirmations/write-rejection.ts";
import { createCatalog } from "../../../support/create-catalog.ts";
import { executeApproved } from "../../../../src/features/confirmations/execute-approved.ts";
import { TestWorld, type WireEnvelope } from "../../../support/execute-batch.ts";
import { toRunnable } from "../../../../src/features/flows/declaration/flow-tool.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { valueOf } from "../../../support/unwrap.ts";

/* A flow as an action of a batch: what it asks after a person's yes to the call of it. */

/** A batch of tools that remember every call they got, and what was asked of it so far. */
class Story {
  readonly world = new TestWorld();
  readonly seen: string[] = [];
  readonly tools: readonly Tool[];

  constructor(flows: readonly Tool[]) {
    const input = z.looseObject({});
    const run = (name: string) => async (args: unknown) => {
      this.seen.push(`${name} ${JSON.stringify(args)}`);
      if (JSON.stringify(args).includes("bad") && name !== "save") throw new Error("boom");
      return { from: name, ids: ["x1", "x2"] };
    };
    this.tools = [
      contractOf("look", { input, run: run("look") }),
      contractOf("save", { input, isWrite: true, actions: ["update"], run: run("save") }),
      contractOf("drop", {
        input: z.looseObject({ id: z.string() }),
        isWrite: true,
        actions: ["delete"],
        run: run("drop"),
      }),
      ...flows,
    ];
  }

  async ask(actions: readonly object[], batch: object = {}): Promise<WireEnvelope> {
    return this.world.run(this.tools, { actions, ...batch });
  }

  /** The questions that were asked, in their order. */
  get questions(): [string, ParkedGroup][] {
    return [...this.world.gate.parked];
  }

  /** Say yes to the last question. */
  async approve(): Promise<WireEnvelope> {
    const [id, group] = this.questions.at(-1)!;
    const approved = executeApproved(group, { id, by: "ann" }, this.world.execution(this.tools));
    const answer = valueOf(await this.world.clock.runUntil(approved));
    await this.world.drain();
    return JSON.parse(answer.json) as WireEnvelope;
  }
}

function flowOf(name: string, actions: readonly object[], answer?: unknown, batch: object = {}): Tool {
  return {
    ...contractOf(name, { isWrite: true }),
    input: z.looseObject({}),
    confirm: true,
    inner: toRunnable({ batch: valueOf(parseBatch({ actions, ...batch }, 1_000)), answer, tools: ["*"] }),
  };
}

/** Its last deletion takes what an action of the flow has found. */
const CLEAN = [
  { id: "found", tool: "look", args: { q: { $ref: "input#/q" } } },
  { id: "kept", tool: "save", args: { q: { $ref: "input#/q" } } },
  { id: "gone", tool: "drop", args: { id: { $ref: "found#/ids/1" } } },
];
const clean = flowOf("clean", CLEAN, { of: { $ref: "kept#/from" }, by: { $ref: "gone#/from" } });
const BEFORE = ['look {"q":"a"}', 'save {"q":"a"}'];

const statuses = ({ results }: WireEnvelope): Record<string, string> =>
  Object.fromEntries(results.map(({ id, status }) => [id, status]));

describe("A flow that was approved", () => {
  test("T50 asks again about an action whose arguments its own results give, and then goes on, once", async () => {
    const story = new Story([clean]);
    const asked = await story.ask([
      { id: "f", tool: "clean", args: { q: "a" } },
      { id: "after", tool: "save", args: { of: { $ref: "f#/by" } } },
    ]);
    expect(statuses(asked)).toEqual({ f: "pending_confirmation", after: "pending_confirmation" });
    expect(story.seen).toEqual([]);

    const begun = await story.approve();
    expect(story.seen).toEqual(BEFORE);
    expect(statuses(begun)).toEqual({ f: "pending_confirmation", after: "pending_confirmation" });
    const [id, group] = story.questions[1]!;
    expect(begun.results[0]!.confirmation).toMatchObject({
      id,
      message: `The flow 'clean' has begun and goes on, with 'drop' with {"id":"x2"}, only after a person's yes. With it: 'after' (save).`,
    });
    expect(listAsked(group.actions)).toMatchObject([
      { id: "f/gone", tool: "drop", gated: true, args: { kind: "call", input: { id: "x2" } }, waitsFor: [] },
      { id: "f", tool: "clean", gated: false, waitsFor: ["f/gone"] },
      { id: "after", tool: "save", gated: false, waitsFor: ["f"] },
    ]);
    expect(group.declarations.map(([tool]) => tool).sort()).toEqual(["clean", "drop", "save"]);

    const ended = await story.approve();
    expect(statuses(ended)).toEqual({ f: "success", after: "success" });
    expect(ended.results[0]!.data).toEqual({ of: "save", by: "drop" });
    expect(story.seen).toEqual([...BEFORE, 'drop {"id":"x2"}', 'save {"of":"drop"}']);
    expect(story.questions).toHaveLength(2);
  });

  test("that fails after the yes says what took effect before it asked and since", async () => {
    const last = { id: "last", tool: "look", args: { q: "bad" }, depends_on: ["gone"] };
    const story = new Story([flowOf("late", [...CLEAN, last])]);
    await story.ask([{ id: "f", tool: "late", args: { q: "a" } }]);
    await story.approve();
    const { results } = await story.approve();
    expect(results[0]!.error!.hint).toMatch(/ 'kept', 'gone' took effect: a second run repeats them\.$/);
  });

  test("T50 asks where an action waits for the same one by depends_on too", async () => {
    const both = CLEAN.map((one) => (one.id === "gone" ? { ...one, depends_on: ["found"] } : one));
    const story = new Story([flowOf("both", both)]);
    await story.ask([{ id: "f", tool: "both", args: { q: "a" } }]);
    expect(statuses(await story.approve())).toEqual({ f: "pending_confirmation" });
    expect(story.seen).toEqual(BEFORE);
  });

  test("T50 asks about a loop over its own results with every element", async () => {
    const each = {
      id: "gone",
      tool: "drop",
      for_each: { $ref: "found#/ids" },
      args: { id: { $ref: "item#" } },
    };
    const story = new Story([flowOf("sweep", [CLEAN[0]!, each])]);
    await story.ask([{ id: "f", tool: "sweep", args: { q: "a" } }]);
    await story.approve();
    const [, group] = story.questions[1]!;
    expect(listAsked(group.actions)[0]).toMatchObject({
      args: { kind: "loop", elements: [{ input: { id: "x1" } }, { input: { id: "x2" } }] },
    });
    expect(statuses(await story.approve())).toEqual({ f: "success" });
    expect(story.seen).toEqual(['look {"q":"a"}', 'drop {"id":"x1"}', 'drop {"id":"x2"}']);
  });

  test("asks nothing more where its actions take nothing but what was shown", async () => {
    const shown = flowOf("shown", [
      CLEAN[0]!,
      { id: "gone", tool: "drop", args: { id: { $ref: "input#/q" } }, depends_on: ["found"] },
    ]);
    const story = new Story([shown]);
    await story.ask([{ id: "f", tool: "shown", args: { q: "a" } }]);
    expect(statuses(await story.approve())).toEqual({ f: "success" });
    expect(story.seen).toEqual(['look {"q":"a"}', 'drop {"id":"a"}']);
  });

  test("asks nothing where the caller may skip approval and does", async () => {
    const story = new Story([clean]);
    const { caller } = story.world.execution([]);
    const { results } = await story.world.run(
      story.tools,
      { actions: [{ id: "f", tool: "clean", args: { q: "a" } }], skip_approval: true },
      { caller: { ...caller, flags: ["skip_approval"] } },
    );
    expect(results[0]).toMatchObject({ status: "success", data: { by: "drop" } });
    expect(story.questions).toEqual([]);
  });

  test("T50 asks a third time where the second yes gives the arguments of the next", async () => {
    const actions = [
      CLEAN[0]!,
      { id: "one", tool: "drop", args: { id: { $ref: "found#/ids/0" } } },
      { id: "two", tool: "drop", args: { id: { $ref: "one#/from" } } },
    ];
    const answer = {
      first: { $ref: "found#/from" },
      second: { $ref: "one#/from" },
      last: { $ref: "two#/from" },
    };
    const chain = flowOf("chain", actions, answer);
    const story = new Story([chain]);
    await story.ask([{ id: "f", tool: "chain", args: { q: "a" } }]);
    await story.approve();
    expect(statuses(await story.approve())).toEqual({ f: "pending_confirmation" });
    expect(story.seen).toEqual(['look {"q":"a"}', 'drop {"id":"x1"}']);
    expect((await story.approve()).results[0]).toMatchObject({
      status: "success",
      data: { first: "look", second: "drop", last: "drop" },
    });
    expect(story.seen.at(-1)).toBe('drop {"id":"drop"}');
  });

  test("asks for its place alone: a sibling of its domain runs and is answered", async () => {
    const story = new Story([clean]);
    await story.ask([
      { id: "f", tool: "clean", args: { q: "a" } },
      { id: "d", tool: "drop", args: { id: "1" } },
      { id: "both", tool: "look", depends_on: ["f", "d"] },
    ]);
    const begun = await story.approve();
    expect(statuses(begun)).toEqual({
      f: "pending_confirmation",
      d: "success",
      both: "pending_confirmation",
    });
    const ended = await story.approve();
    expect(statuses(ended)).toEqual({ f: "success", both: "success" });
    expect(story.seen.filter((one) => one.startsWith("drop"))).toEqual([
      'drop {"id":"1"}',
      'drop {"id":"x2"}',
    ]);
  });

  test("lets a write that came after it wait for the others that it comes after", async () => {
    const story = new Story([clean]);
    const sleeps = (name: string, ms: number, declared: Parameters<typeof contractOf>[1], fails = false) =>
      contractOf(name, {
        ...declared,
        run: async (_, { time }) => {
          await time.sleep(ms);
          story.seen.push(`${name} ends`);
          if (fails) throw new Error("boom");
          return { ended: true };
        },
      });
    const write = { isWrite: true, actions: ["update"] };
    const tools = [
      ...story.tools,
      sleeps("fails", 50, { domain: "elsewhere" }, true),
      sleeps("slow", 100, write),
      sleeps("last", 0, write),
    ];
    const actions = [
      { id: "r", tool: "fails", depends_on: ["gate"] },
      { id: "gate", tool: "drop", args: { id: "1" } },
      { id: "f", tool: "clean", args: { q: "a" }, depends_on: ["gate"] },
      { id: "after", tool: "save", depends_on: ["f", "r"] },
      { id: "d", tool: "slow", depends_on: ["gate"] },
      { id: "x", tool: "last", depends_on: ["gate"] },
    ];
    await story.world.run(tools, { actions });
    const [id, group] = story.questions[0]!;
    const approved = executeApproved(group, { id, by: "ann" }, story.world.execution(tools));
    const { json } = valueOf(await story.world.clock.runUntil(approved));
    expect(statuses(JSON.parse(json) as WireEnvelope)).toMatchObject({
      f: "pending_confirmation",
      after: "skipped",
      x: "success",
    });
    expect(story.seen.slice(-3)).toEqual(["fails ends", "slow ends", "last ends"]);
  });

  test("T18 is asked about with a hash of what is asked inside of it", async () => {
    const story = new Story([clean]);
    await story.ask([{ id: "f", tool: "clean", args: { q: "a" } }]);
    await story.approve();
    const { actions, argsHash } = story.questions[1]![1];
    const { sha256 } = story.world.ports;
    expect(await hashArgs(actions, sha256)).toBe(argsHash);
    const other = JSON.parse(JSON.stringify(actions).replace('"x2"', '"x3"')) as typeof actions;
    expect(await hashArgs(other, sha256)).not.toBe(argsHash);
  });

  test("T50 goes on where each element of a loop over it was, once all of them are decided", async () => {
    const story = new Story([clean]);
    const loop = { id: "f", tool: "clean", for_each: ["a", "b"], args: { q: { $ref: "item#" } } };
    await story.ask([loop]);
    expect(statuses(await story.approve())).toEqual({ f: "pending_confirmation" });
    const before = [...BEFORE, 'look {"q":"b"}', 'save {"q":"b"}'];
    expect(story.seen).toEqual(before);
    const [, group] = story.questions[1]!;
    expect(listAsked(group.actions).map(({ id }) => id)).toEqual(["f/0/gone", "f/1/gone", "f"]);
    const ended = await story.approve();
    expect(ended.results[0]!.data).toMatchObject([
      { status: "success", data: { of: "save", by: "drop" } },
      { status: "success", data: { of: "save", by: "drop" } },
    ]);
    expect(story.seen).toEqual([...before, 'drop {"id":"x2"}', 'drop {"id":"x2"}']);
  });

  test("repeats no element of a loop that was over when another one asked", async () => {
    const story = new Story([{ ...clean, onError: "partial-success" }]);
    const loop = { id: "f", tool: "clean", for_each: ["a", "bad"], args: { q: { $ref: "item#" } } };
    await story.ask([loop]);
    await story.approve();
    const before = [...BEFORE, 'look {"q":"bad"}', 'save {"q":"bad"}'];
    expect(story.seen).toEqual(before);
    const [result] = (await story.approve()).results;
    expect(result!.data).toMatchObject([
      { status: "success", data: { by: "drop" } },
      { status: "error", error: { code: "DEPENDENCY_FAILED" } },
    ]);
    expect(story.seen).toEqual([...before, 'drop {"id":"x2"}']);
  });

  test("fails, and says that what it had done stays, where its question cannot be recorded", async () => {
    const story = new Story([clean]);
    await story.ask([
      { id: "f", tool: "clean", args: { q: "a" } },
      { id: "other", tool: "look" },
    ]);
    story.world.gate.roomForGroups = 0;
    const { results } = await story.approve();
    expect(results[0]!.error).toMatchObject({ code: "OVERLOADED", retryable: false });
    expect(results[0]!.error!.hint).toMatch(/had begun.*stays/);
    expect(story.questions).toHaveLength(1);
  });

  test("is kept as a question when a failure elsewhere ends the batch: it has begun", async () => {
    const story = new Story([clean]);
    await story.ask(
      [
        { id: "f", tool: "clean", args: { q: "a" } },
        { id: "d", tool: "drop", args: { id: "bad" } },
        { id: "after", tool: "save", depends_on: ["f", "d"] },
      ],
      { on_error: "fail-fast" },
    );
    expect(statuses(await story.approve())).toEqual({
      f: "pending_confirmation",
      d: "error",
      after: "skipped",
    });
    expect(statuses(await story.approve())).toEqual({ f: "success" });
  });

  test("is not shared where it asks: two reads of one flow are two questions", async () => {
    const peek: Tool = {
      ...flowOf("peek", [CLEAN[0]!, { id: "seen", tool: "secret", args: { id: { $ref: "found#/ids/0" } } }]),
      isWrite: false,
    };
    const secret = contractOf("secret", { input: z.looseObject({}), run: async () => ({ seen: true }) });
    const story = new Story([peek, { ...secret, confirm: true }]);
    await story.ask([
      { id: "a", tool: "peek", args: { q: "a" } },
      { id: "b", tool: "peek", args: { q: "a" } },
      { id: "both", tool: "look", depends_on: ["a", "b"] },
    ]);
    const begun = await story.approve();
    expect(begun.results.map(({ status }) => status)).toEqual(Array(3).fill("pending_confirmation"));
    expect(new Set(Object.values(statuses(await story.approve())))).toEqual(new Set(["success"]));
  });

  test("says after a no that what it had done stays, and runs nothing more", async () => {
    const story = new Story([clean]);
    await story.ask([
      { id: "f", tool: "clean", args: { q: "a" } },
      { id: "after", tool: "save", args: { of: { $ref: "f#/by" } } },
    ]);
    await story.approve();
    const [id, group] = story.questions.at(-1)!;
    const json = makeRejection(group, createCatalog(story.tools), {
      claim: { id, by: "ann" },
      batchId: "b",
    }).toJson();
    const { results } = JSON.parse(json) as WireEnvelope;
    expect(results[0]!.error).toMatchObject({ code: "CONFIRMATION_REJECTED", retryable: false });
    expect(results[0]!.error!.hint).toMatch(/had begun.*stays/);
    expect(results[1]).toMatchObject({ status: "skipped", because: "f" });
    expect(story.seen).toEqual(BEFORE);
  });
});
