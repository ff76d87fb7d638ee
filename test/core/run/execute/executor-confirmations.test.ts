import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";

import type { Tool } from "../../../../src/core/catalog/define-tool.ts";
import type { ParkedGroup } from "../../../../src/features/confirmations/parked-group.ts";
import { executeApproved } from "../../../../src/features/confirmations/execute-approved.ts";
import { TestWorld, type WireEnvelope, type WireResult } from "../../../support/execute-batch.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { PARKED_UNTIL } from "../../../support/fake-gate.ts";
import { valueOf } from "../../../support/unwrap.ts";
import { samples } from "../../../support/samples.ts";
import { trial } from "../../../support/trial.ts";

const BATCHES = samples(300);

/** Tools that remember every call they got, as `tool n`. */
class Calls {
  readonly seen: string[] = [];
  readonly tools: readonly Tool[];

  constructor() {
    const run =
      (name: string) =>
      async (args: unknown): Promise<unknown> => {
        this.seen.push(`${name} ${JSON.stringify(args)}`);
        return { from: name, args, list: [{ id: "x1" }, { id: "x2" }] };
      };
    const input = z.looseObject({});
    this.tools = [
      contractOf("look", { input, run: run("look") }),
      contractOf("save", { input, isWrite: true, actions: ["update"], run: run("save") }),
      contractOf("drop", {
        input: z.looseObject({ id: z.string().optional() }),
        isWrite: true,
        actions: ["delete"],
        run: run("drop"),
      }),
      contractOf("mail", {
        input,
        isWrite: true,
        actions: ["send"],
        execution: "fire-and-forget",
        run: run("mail"),
      }),
      contractOf("purge", {
        input,
        isWrite: true,
        actions: ["delete"],
        execution: "fire-and-forget",
        run: run("purge"),
      }),
    ];
  }
}

const byId = ({ results }: WireEnvelope): Record<string, string> =>
  Object.fromEntries(results.map(({ id, status }) => [id, status]));
const resultOf = ({ results }: WireEnvelope, id: string): WireResult => results.find((one) => one.id === id)!;

async function approveAll(world: TestWorld, tools: readonly Tool[]): Promise<WireEnvelope[]> {
  const envelopes: WireEnvelope[] = [];
  for (const [id, group] of world.gate.parked) {
    const answer = await world.clock.runUntil(
      executeApproved(group, { id, by: "ann" }, world.execution(tools)),
    );
    if (!answer.ok) throw new Error(answer.error.refusal.hint);
    envelopes.push(JSON.parse(answer.value.json) as WireEnvelope);
    await world.drain();
  }
  return envelopes;
}

describe("execute()", () => {
  test("parks a gated action with what needs it, in one call to the gate, and runs the rest", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const envelope = await world.run(calls.tools, {
      actions: [
        { id: "a", tool: "look" },
        { id: "d", tool: "drop", args: { id: { $ref: "a#/list/0/id" } } },
        { id: "m", tool: "mail", args: { about: { $ref: "d#/from" } } },
        { id: "z", tool: "look", args: { n: 1 } },
      ],
    });
    expect(byId(envelope)).toEqual({
      a: "success",
      d: "pending_confirmation",
      m: "pending_confirmation",
      z: "success",
    });
    expect(calls.seen).toEqual(["look {}", 'look {"n":1}']);
    const [id, group] = [...world.gate.parked][0]!;
    expect(resultOf(envelope, "d").confirmation).toEqual({
      id,
      expires_at: new Date(PARKED_UNTIL).toISOString(),
      message: `'drop' with {"id":"x1"} runs only after a person's yes. With it: 'm' (mail).`,
      url: `/console#/confirmations/${id}`,
    });
    expect(world.gate.parked.size).toBe(1);
    // The looked up value of the gated action is in its arguments; the waiting one refers to nothing else.
    expect(group.results).toEqual([]);
    expect(envelope.summary).toMatchObject({ ok: 2, pending_confirmation: 2, error: 0, skipped: 0 });
    expect(world.gate.requests).toHaveLength(1);
  });

  test("gives a question's page at the origin that the request was sent to, and nothing else of its address", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const answer = await world.execute(
      calls.tools,
      { actions: [{ id: "d", tool: "drop" }] },
      {
        hooks: {
          ...world.execution([]).hooks,
          requestUrl: "https://tools.example.com:8443/v1/execute_actions?token=secret",
        },
      },
    );
    if (!answer.ok) throw new Error(answer.error.refusal.hint);
    const [id] = [...world.gate.parked.keys()];
    const { confirmation } = resultOf(JSON.parse(answer.value.json) as WireEnvelope, "d");
    expect(confirmation?.url).toBe(`https://tools.example.com:8443/console#/confirmations/${id}`);
  });

  test("T50 asks again, with the arguments as they are by then, where they come from after the yes", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const asked = await world.run(calls.tools, {
      actions: [
        { id: "first", tool: "drop", args: { id: "1" } },
        { id: "second", tool: "drop", args: { id: { $ref: "first#/list/1/id" } } },
        { id: "last", tool: "save", args: { of: { $ref: "second#/from" } } },
      ],
    });
    expect(new Set(Object.values(byId(asked)))).toEqual(new Set(["pending_confirmation"]));
    const [[firstId, first]] = [...world.gate.parked] as [[string, ParkedGroup]];
    expect(first.actions[1]!.args).toMatchObject({ kind: "waiting" });

    const approve = (id: string, group: ParkedGroup) =>
      world.clock.runUntil(
        executeApproved(
          group,
          { id, by: "ann" },
          world.execution(calls.tools, { caller: { ...world.execution(calls.tools).caller, name: "ann" } }),
        ),
      );
    const once = valueOf(await approve(firstId, first));
    const envelope = JSON.parse(once.json) as WireEnvelope;
    expect(byId(envelope)).toEqual({
      first: "success",
      second: "pending_confirmation",
      last: "pending_confirmation",
    });
    expect(calls.seen).toEqual(['drop {"id":"1"}']);
    const [[secondId, second]] = [...world.gate.parked].slice(1) as [[string, ParkedGroup]];
    expect(resultOf(envelope, "second").confirmation).toMatchObject({
      id: secondId,
      message: `'drop' with {"id":"x2"} runs only after a person's yes. With it: 'last' (save).`,
    });
    expect(second.actions.map(({ id, args }) => [id, args.kind])).toEqual([
      ["second", "call"],
      ["last", "waiting"],
    ]);
    expect(second.requestedBy).toBe(first.requestedBy);

    const twice = JSON.parse(valueOf(await approve(secondId, second)).json) as WireEnvelope;
    expect(byId(twice)).toEqual({ second: "success", last: "success" });
    expect(calls.seen).toEqual(['drop {"id":"1"}', 'drop {"id":"x2"}', 'save {"of":"drop"}']);
    expect(world.gate.parked.size).toBe(2);
  });

  test("T50 shows a gated action that comes after another one with its arguments, as far as they are known, and asks once", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    await world.run(calls.tools, {
      actions: [
        { id: "a", tool: "look" },
        { id: "first", tool: "drop", args: { id: "1" } },
        { id: "second", tool: "drop", args: { id: { $ref: "a#/list/0/id" } }, depends_on: ["first"] },
        {
          id: "each",
          tool: "drop",
          for_each: { $ref: "a#/list" },
          args: { id: { $ref: "item#/id" } },
          depends_on: ["first"],
        },
        { id: "third", tool: "drop", args: { id: "3" }, depends_on: ["second"] },
      ],
    });
    const [group] = [...world.gate.parked.values()];
    expect(group!.actions.map(({ id, args }) => [id, args.kind])).toEqual([
      ["first", "call"],
      ["second", "call"],
      ["each", "loop"],
      ["third", "call"],
    ]);
    const [envelope] = await approveAll(world, calls.tools);
    expect(new Set(Object.values(byId(envelope!)))).toEqual(new Set(["success"]));
    expect(world.gate.parked.size).toBe(1);
    expect(calls.seen).toHaveLength(6);
  });

  test("makes one question of gated actions that share a dependent, and one each of the others", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const envelope = await world.run(calls.tools, {
      actions: [
        { id: "d1", tool: "drop" },
        { id: "d2", tool: "drop" },
        { id: "d3", tool: "drop" },
        { id: "both", tool: "look", depends_on: ["d1", "d3"] },
      ],
    });
    const ids = envelope.results.map(({ confirmation }) => confirmation!.id);
    expect(ids[0]).toBe(ids[2]);
    expect(ids[0]).toBe(ids[3]);
    expect(ids[1]).not.toBe(ids[0]);
    expect(world.gate.parked.size).toBe(2);
  });

  test("skips a gated action whose dependency failed, asks no question of it, and asks about its sibling alone", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const envelope = await world.run(calls.tools, {
      actions: [
        { id: "bad", tool: "nope" },
        { id: "d1", tool: "drop", depends_on: ["bad"] },
        { id: "d2", tool: "drop" },
        { id: "both", tool: "look", depends_on: ["d1", "d2"] },
      ],
    });
    expect(byId(envelope)).toEqual({
      bad: "error",
      d1: "skipped",
      d2: "pending_confirmation",
      both: "skipped",
    });
    expect([...world.gate.parked.values()].map(({ actions }) => actions.map(({ id }) => id))).toEqual([
      ["d2"],
    ]);
  });

  test("skips what waits for a person and for something that fails", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const broken = contractOf("broken", { run: () => Promise.reject(new Error("no")) });
    const envelope = await world.run([...calls.tools, broken], {
      actions: [
        { id: "d", tool: "drop" },
        { id: "b", tool: "broken" },
        { id: "w", tool: "look", depends_on: ["d", "b"] },
        { id: "v", tool: "look", depends_on: ["w"] },
      ],
    });
    expect(byId(envelope)).toEqual({ d: "pending_confirmation", b: "error", w: "skipped", v: "skipped" });
    expect(resultOf(envelope, "v").because).toBe("b");
  });

  test("under fail-fast asks no question once something has failed", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const broken = contractOf("broken", { run: () => Promise.reject(new Error("no")) });
    const envelope = await world.run([...calls.tools, broken], {
      on_error: "fail-fast",
      actions: [
        { id: "d", tool: "drop" },
        { id: "w", tool: "look", depends_on: ["d"] },
        { id: "b", tool: "broken" },
      ],
    });
    expect(byId(envelope)).toEqual({ d: "skipped", w: "skipped", b: "error" });
    expect(resultOf(envelope, "d").error!.code).toBe("ABORTED");
    expect(world.gate.parked.size).toBe(0);
  });

  test("holds no step back with a parked write, nor with a write that waits for one", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const envelope = await world.run(calls.tools, {
      actions: [
        { id: "d", tool: "drop" },
        { id: "w", tool: "save", depends_on: ["d"] },
        { id: "r", tool: "look" },
        { id: "s", tool: "save" },
      ],
    });
    expect(byId(envelope)).toMatchObject({ r: "success", s: "success", w: "pending_confirmation" });
  });

  test("records no background job of a gated tool, and draws from no limit for it", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const limited = contractOf("limited", {
      isWrite: true,
      actions: ["delete"],
      orchestration: { mode: "parallel-safe", rate_limit: { limit: 1, window_s: 60, scope: "tenant" } },
    });
    await world.run([...calls.tools, limited], {
      actions: [
        { id: "p", tool: "purge" },
        { id: "l", tool: "limited" },
        { id: "after", tool: "mail", depends_on: ["p"] },
      ],
    });
    expect(world.gate.requests).toMatchObject([{ jobs: [], draws: [] }]);
    const [first] = await approveAll(world, [...calls.tools, limited]);
    expect(byId(first!)).toEqual({ p: "initiated", after: "initiated" });
    expect(world.gate.requests[1]).toMatchObject({ quota: { limit: 100 }, jobs: [{ index: 0 }] });
    expect(calls.seen.toSorted()).toEqual(["mail {}", "purge {}"]);
  });

  test("keeps where the event about a parked job goes, as the key that asked has it signed", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    world.secrets.set("VOLLEY_WEBHOOK_SECRET", `whsec_${btoa("s".repeat(32))}`);
    const url = "https://hooks.example.com/done";
    await world.run(calls.tools, {
      actions: [
        { id: "p", tool: "purge", callback_url: url },
        { id: "m", tool: "mail", callback_url: url, depends_on: ["p"] },
      ],
    });
    await approveAll(world, calls.tools);
    const recorded = world.gate.requests.flatMap(({ jobs }) =>
      jobs.map(({ spec }) => [spec.tool, spec.callback?.url]),
    );
    expect(recorded).toEqual([
      ["purge", url],
      ["mail", url],
    ]);
  });

  test("parks a loop as one action, with its elements looked up", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const envelope = await world.run(calls.tools, {
      actions: [
        { id: "a", tool: "look" },
        {
          id: "d",
          tool: "drop",
          for_each: { $ref: "a#/list" },
          args: { id: { $ref: "item#/id" } },
        },
        { id: "none", tool: "drop", for_each: [] },
        { id: "wrong", tool: "drop", for_each: [1], args: { id: { $ref: "item#" } } },
      ],
    });
    expect(byId(envelope)).toMatchObject({ d: "pending_confirmation", none: "success", wrong: "error" });
    expect(resultOf(envelope, "d").confirmation!.message).toBe(
      `'drop' with each of 2: [{"id":"x1"},{"id":"x2"}] runs only after a person's yes.`,
    );
    const [approved] = await approveAll(world, calls.tools);
    expect(calls.seen.slice(1)).toEqual(['drop {"id":"x1"}', 'drop {"id":"x2"}']);
    expect(approved!.results[0]!.data).toMatchObject([{ index: 0, status: "success" }, { index: 1 }]);
  });

  test("keeps of earlier results only what the waiting actions refer to, and answers references from it", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    await world.run(calls.tools, {
      actions: [
        { id: "a", tool: "look", args: { big: "b".repeat(1_000) } },
        { id: "d", tool: "drop" },
        {
          id: "w",
          tool: "look",
          depends_on: ["d"],
          args: { one: { $ref: "a#/list/1/id" }, text: { $template: "<{{a#/from}} {{d#/from}}>" } },
        },
        {
          id: "each",
          tool: "look",
          depends_on: ["d"],
          for_each: { $ref: "a#/list" },
          args: { e: { $ref: "item#" } },
        },
      ],
    });
    const [group] = [...world.gate.parked.values()];
    expect(group!.results).toEqual([["a", { list: [{ id: "x1" }, { id: "x2" }], from: "look" }]]);
    calls.seen.length = 0;
    await approveAll(world, calls.tools);
    expect(calls.seen.toSorted()).toEqual([
      "drop {}",
      'look {"e":{"id":"x1"}}',
      'look {"e":{"id":"x2"}}',
      'look {"one":"x2","text":"<look drop>"}',
    ]);
  });

  test("never reads what was looked up for a reference of its own", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const evil = contractOf("evil", { run: async () => ({ id: { $ref: "a#/secret" }, t: { $literal: 1 } }) });
    await world.run([...calls.tools, evil], {
      actions: [
        { id: "e", tool: "evil" },
        { id: "d", tool: "drop", args: { note: { $ref: "e#/id" }, t: { $ref: "e#/t" } } },
      ],
    });
    await approveAll(world, calls.tools);
    expect(calls.seen).toEqual(['drop {"note":{"$ref":"a#/secret"},"t":{"$literal":1}}']);
  });

  test("fails a group that cannot be recorded, and keeps what its siblings found", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const actions = [
      { id: "d", tool: "drop" },
      { id: "w", tool: "look", depends_on: ["d"] },
      { id: "v", tool: "look", depends_on: ["w"] },
      { id: "z", tool: "look" },
    ];
    world.gate.roomForGroups = 0;
    const full = await world.run(calls.tools, { actions });
    expect(byId(full)).toEqual({ d: "error", w: "skipped", v: "skipped", z: "success" });
    expect(resultOf(full, "d").error).toMatchObject({
      code: "OVERLOADED",
      hint: expect.stringMatching(/200/),
    });
    expect(resultOf(full, "v").because).toBe("d");

    world.gate.confirmations.park = () => Promise.reject(new Error("down"));
    const down = await world.run(calls.tools, { actions });
    expect(byId(down)).toEqual(byId(full));
    expect(resultOf(down, "d").error).toMatchObject({ code: "OVERLOADED", retryable: true });
  });

  test("fails a group that takes too much, and only that", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const huge = contractOf("huge", { run: async () => ({ all: "h".repeat(300_000) }) });
    const envelope = await world.run([...calls.tools, huge], {
      actions: [
        { id: "h", tool: "huge" },
        { id: "d", tool: "drop" },
        { id: "w", tool: "look", depends_on: ["d"], args: { x: { $ref: "h#/all" } } },
        { id: "d2", tool: "drop" },
      ],
    });
    expect(byId(envelope)).toEqual({ h: "success", d: "error", w: "skipped", d2: "pending_confirmation" });
    expect(resultOf(envelope, "d").error).toMatchObject({
      code: "CONFIRMATION_INVALID",
      hint: expect.stringMatching(/262144 bytes/),
    });
    expect(world.gate.parked.size).toBe(1);
  });

  test("parks nothing for a caller that has gone away", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const slow = contractOf("slow", {
      run: () => new Promise((resolve) => void world.clock.after(50, () => resolve(1))),
    });
    world.clock.after(10, () => world.gone.abort());
    const envelope = await world.run([...calls.tools, slow], {
      actions: [
        { id: "d", tool: "drop" },
        { id: "s", tool: "slow" },
      ],
    });
    expect(resultOf(envelope, "d").error!.code).toBe("CANCELLED");
    expect(world.gate.parked.size).toBe(0);
  });

  test("asks a person even when the deadline passed for the others", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const slow = contractOf("slow", { run: () => new Promise(() => {}) });
    const envelope = await world.run([...calls.tools, slow], {
      deadline_ms: 100,
      actions: [
        { id: "d", tool: "drop" },
        { id: "s", tool: "slow" },
        { id: "late", tool: "drop", depends_on: ["s"] },
        { id: "w", tool: "look", depends_on: ["d"] },
        { id: "both", tool: "look", depends_on: ["d", "s"] },
      ],
    });
    expect(byId(envelope)).toEqual({
      d: "pending_confirmation",
      s: "initiated",
      late: "error",
      w: "pending_confirmation",
      both: "error",
    });
    expect(resultOf(envelope, "both").error!.code).toBe("DEADLINE_EXCEEDED");
    const [group] = [...world.gate.parked.values()];
    expect(group!.actions.map(({ id }) => id)).toEqual(["d", "w"]);
  });

  test("tells a parked result once, when it is recorded", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const told: string[] = [];
    await world.run(
      calls.tools,
      {
        actions: [
          { id: "d", tool: "drop" },
          { id: "a", tool: "look" },
        ],
      },
      { listener: { onOutcome: ({ id }) => told.push(id) } },
    );
    expect(told).toEqual(["a", "d"]);
  });

  test("hides what would not be seen in the sentence that a person reads", async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    const { results } = await world.run(calls.tools, {
      actions: [{ tool: "drop", args: { id: `safe\u202Eelif${"x".repeat(500)}` } }],
    });
    const { message } = results[0]!.confirmation!;
    expect(message).toContain(String.raw`safe\u{202e}elif`);
    expect(message.length).toBeLessThan(400);
  });
});

describe("executeApproved()", () => {
  const park = async () => {
    const [world, calls] = [new TestWorld(), new Calls()];
    await world.run(calls.tools, { actions: [{ id: "d", tool: "drop" }] });
    const [id, group] = [...world.gate.parked][0]!;
    const approve = () =>
      world.clock.runUntil(executeApproved(group, { id, by: "ann" }, world.execution(calls.tools)));
    return { world, calls, id, approve };
  };

  test("reports its end, so that it can be told from one that broke off", async () => {
    const { world, id, approve } = await park();
    expect((await approve()).ok).toBe(true);
    await world.drain();
    expect(world.gate.concluded).toEqual([id]);
  });

  test.each([
    ["running", "CONFIRMATION_INVALID"],
    ["done", "CONFIRMATION_INVALID"],
    ["rejected", "CONFIRMATION_INVALID"],
    ["expired", "CONFIRMATION_INVALID"],
    ["unknown", "NOT_FOUND"],
  ] as const)("runs nothing of a confirmation that is %s", async (found, code) => {
    const { world, calls, approve } = await park();
    world.gate.claimRefusedWith = found;
    expect(await approve()).toMatchObject({ ok: false, error: { refusal: { code }, quota: null } });
    expect([calls.seen, world.gate.concluded]).toEqual([[], []]);
  });

  test("runs nothing while it is not known that the claim is held, not even what may run uncounted", async () => {
    const { world, calls, approve } = await park();
    world.gate.admitClaimed = () => Promise.reject(new Error("down"));
    expect(await approve()).toMatchObject({ ok: false, error: { refusal: { code: "UNAVAILABLE" } } });
    expect(calls.seen).toEqual([]);
  });

  test("runs nothing when the approver's quota is used up", async () => {
    const { world, calls, approve } = await park();
    world.gate.quotaAllowed = false;
    expect(await approve()).toMatchObject({ ok: false, error: { refusal: { code: "QUOTA_EXCEEDED" } } });
    expect(calls.seen).toEqual([]);
  });
});

trial(
  `in ${BATCHES} random batches: who is parked, that each is answered once, and that all of it runs once in the end`,
  async () => {
    const action = fc.record({
      tool: fc.constantFrom("look", "save", "drop", "mail"),
      needs: fc.array(fc.nat(), { maxLength: 3 }),
      refers: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 15 }), async (picks) => {
        const [world, calls] = [new TestWorld(), new Calls()];
        const needs = picks.map((pick, at) => [...new Set(at === 0 ? [] : pick.needs.map((n) => n % at))]);
        const actions = picks.map(({ tool, refers }, at) => {
          const source = needs[at]!.find((needed) => picks[needed]!.tool !== "mail");
          const refer = refers && source !== undefined ? { ref: { $ref: `s${source}#/args/me` } } : {};
          return {
            id: `s${at}`,
            tool,
            args: { me: at, ...refer },
            depends_on: needs[at]!.map((n) => `s${n}`),
          };
        });
        const waits: boolean[] = [];
        for (const [at, { tool }] of picks.entries())
          waits.push(tool === "drop" || needs[at]!.some((needed) => waits[needed]));

        const first = await world.run(calls.tools, { actions });
        await world.drain();
        expect(first.results.map(({ id }) => id)).toEqual(actions.map(({ id }) => id));
        for (const [at, { status }] of first.results.entries())
          expect(status === "pending_confirmation").toBe(waits[at]);
        const ran = calls.seen.length;
        expect(ran).toBe(waits.filter((parked) => !parked).length);

        const approved = await approveAll(world, calls.tools);
        // An approval may ask again, for what it has made known; that is decided as well, and then everything has run.
        const again = approved
          .flatMap(({ results }) => results)
          .filter(({ status }) => status !== "pending_confirmation");
        expect(again.map(({ id }) => id).toSorted()).toEqual(
          actions.flatMap(({ id }, at) => (waits[at] ? [id] : [])).toSorted(),
        );
        for (const { status } of again) expect(["success", "initiated"]).toContain(status);
        const order = (a: number, b: number): number => a - b;
        expect(calls.seen.map((call) => Number(/"me":(\d+)/.exec(call)![1])).toSorted(order)).toEqual(
          actions.map((_, at) => at),
        );
        // References see the same whether they are looked up now or later.
        for (const [at, { args }] of actions.entries()) {
          const source = (args as { ref?: { $ref: string } }).ref?.$ref;
          if (source === undefined) continue;
          const call = calls.seen.find((seen) => seen.includes(`"me":${at},`))!;
          expect(call).toContain(`"ref":${/^s(\d+)#/.exec(source)![1]}`);
        }
      }),
      { numRuns: BATCHES },
    );
  },
);
