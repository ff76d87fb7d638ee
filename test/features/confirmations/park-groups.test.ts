import { describe, expect, test } from "vitest";

import { createGroupParking, type GroupOptions } from "../../../src/features/confirmations/park-groups.ts";
import type { ParkedStep } from "../../../src/core/plan/parked-step.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { BegunFlow } from "../../../src/features/confirmations/parked-group.ts";
import * as LIMITS from "../../../src/features/confirmations/limits.ts";
import { err, ok } from "../../../src/core/kit/result.ts";
import type { DataOf } from "../../../src/core/plan/references.ts";
import type { Plan } from "../../../src/core/plan/step.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf, planOf } from "../../support/fake-actions.ts";
import { PARKED_UNTIL } from "../../support/fake-gate.ts";
import { valueOf } from "../../support/unwrap.ts";

const REMOVE = contractOf("remove", { isWrite: true, actions: ["delete"] });
const MOVE = contractOf("move", { isWrite: true, actions: ["update"] });
const PLAN = planOf([
  { id: "a", tool: REMOVE, gated: true },
  { id: "b", tool: MOVE, needs: ["a"] },
  { id: "c", tool: REMOVE, gated: true },
]);
const ASKER = { key: "agent", runId: "run-1" };

function parkedOf(
  plan: Plan,
  changes: Readonly<Record<string, { task?: object } & Partial<Pick<ParkedStep, "prepared" | "begun">>>> = {},
) {
  return plan.steps.map((step): ParkedStep => {
    const { task, ...more } = changes[step.id] ?? {};
    return { step, task: { ...valueOf(step.task), ...task }, prepared: null, ...more };
  });
}

/** Park all of a plan; what was recorded, and what each step came to. */
async function park(
  plan: Plan,
  {
    changes,
    dataOf = () => undefined,
    world = new TestWorld(),
    ...options
  }: Partial<GroupOptions> & {
    changes?: Parameters<typeof parkedOf>[1];
    dataOf?: DataOf;
    world?: TestWorld;
  } = {},
) {
  const { ports, gate } = world;
  const origin = { tenant: "acme", key: "agent", requestId: "r-1" };
  const parking = createGroupParking(plan, {
    asker: ASKER,
    origin,
    ports,
    gate,
    catalog: world.execution([]).catalog,
    requestUrl: "https://volley.example.com/v1/execute_actions",
    ...options,
  });
  const outcomes = await parking(parkedOf(plan, changes), dataOf);
  return { groups: [...gate.parked.values()], outcomes, world };
}

describe("createGroupParking()", () => {
  test("records one question for what hangs together, with hashes of its arguments and of each tool's declaration", async () => {
    const { groups, outcomes, world } = await park(PLAN);
    expect(
      groups.map(({ actions }) => actions.map(({ id, gated, needs }) => ({ id, gated, needs }))),
    ).toEqual([
      [
        { id: "a", gated: true, needs: [] },
        { id: "b", gated: false, needs: [0] },
      ],
      [{ id: "c", gated: true, needs: [] }],
    ]);
    const [first] = groups;
    expect(first).toMatchObject({ requestedBy: "agent", asker: ASKER, onError: "partial-success" });
    expect(first!.argsHash).toMatch(/^[0-9a-f]{64}$/);
    expect(first!.declarations).toEqual([
      ["remove", expect.stringMatching(/^[0-9a-f]{64}$/)],
      ["move", expect.stringMatching(/^[0-9a-f]{64}$/)],
    ]);
    expect(first!.declarations[0]![1]).not.toBe(first!.declarations[1]![1]);
    expect(groups[1]!.declarations).toEqual([first!.declarations[0]]);
    const [id] = world.gate.parked.keys();
    expect(outcomes.get(1)).toMatchObject({
      status: "pending_confirmation",
      confirmation: {
        id,
        expiresAt: PARKED_UNTIL,
        url: expect.stringContaining("https://volley.example.com/"),
      },
    });
  });

  test("keeps what will be sent, each element of a loop, and what is not known yet", async () => {
    const failure = makeFailure("INVALID_ARGS");
    const call = { tool: REMOVE, input: { n: 1 }, args: {}, timeoutMs: 1 };
    const callback = { url: "https://example.com/", secretName: "S" };
    const { groups } = await park(PLAN, {
      changes: {
        a: { prepared: { kind: "loop", calls: [ok(call), err(failure)] }, task: { callback, runAt: 9 } },
        b: { task: { call: null, input: { of: { $ref: "a#" } }, forEach: [1] } },
        c: { prepared: { kind: "call", call } },
      },
    });
    const [a, b] = groups[0]!.actions;
    expect(a).toMatchObject({ callback, runAt: 9 });
    expect(a!.args).toMatchObject({
      kind: "loop",
      elements: [{ input: { n: 1 } }, { error: { code: "INVALID_ARGS" } }],
    });
    expect(b!.args).toEqual({ kind: "waiting", input: { of: { $ref: "a#" } }, forEach: [1] });
    expect(b).not.toHaveProperty("runAt");
    expect(groups[1]!.actions[0]!.args).toEqual({ kind: "call", input: { n: 1 } });
  });

  test("keeps of other results the parts that the waiting actions refer to, and nothing of its own group", async () => {
    const asked: string[] = [];
    const dataOf: DataOf = (id) => {
      asked.push(id);
      if (id === "gone") return undefined;
      if (id === "failed") return { refused: makeFailure("DEPENDENCY_FAILED") };
      return { data: { n: 1, secret: "not referred to" } };
    };
    const input = {
      own: { $ref: "a#/x" },
      read: [{ $ref: "read#/n" }, { $ref: "gone#" }, { $ref: "failed#" }],
      each: { $ref: "item#" },
    };
    const { groups } = await park(PLAN, { dataOf, changes: { b: { task: { call: null, input } } } });
    expect(groups[0]!.results).toEqual([["read", { n: 1 }]]);
    expect(groups[1]!.results).toEqual([]);
    expect(asked.toSorted()).toEqual(["failed", "gone", "read"]);
  });

  test("shows what refers to nothing with its arguments, though it waits, and looks for no references in what will be sent", async () => {
    const input = { quoted: { $ref: "read#/n" } };
    const { groups } = await park(PLAN, {
      dataOf: () => ({ data: { n: 1 } }),
      changes: { b: { task: { call: { tool: MOVE, input, args: {}, timeoutMs: 1 } } } },
    });
    expect(groups[0]!.actions[1]!.args).toEqual({ kind: "call", input });
    expect(groups[0]!.results).toEqual([]);
  });

  test("asks for a flow that has begun, and keeps what its own actions' tools declare", async () => {
    const begun: BegunFlow = {
      kind: "flow",
      actions: [],
      results: [],
      onError: "partial-success",
      declarations: [["inner", "hash of inner"]],
      over: [],
    };
    const plan = planOf([{ id: "a", tool: MOVE }]);
    const { groups } = await park(plan, { changes: { a: { begun } } });
    expect(groups[0]!.actions[0]).toMatchObject({ gated: true, begun });
    expect(groups[0]!.declarations.map(([tool]) => tool)).toEqual(["move", "inner"]);
  });

  test("records a question of exactly as many bytes as there may be, and asks no gate for a larger one alone", async () => {
    const plan = planOf([{ id: "a", tool: REMOVE, gated: true }]);
    const parkText = (text: string, world = new TestWorld()) =>
      park(plan, { world, changes: { a: { task: { call: null, input: { text } } } } });
    const world = new TestWorld();
    await parkText("", world);
    const room = LIMITS.confirmationBytes - JSON.stringify([...world.gate.parked.values()][0]).length;
    expect((await parkText("x".repeat(room))).groups).toHaveLength(1);
    expect((await parkText("x".repeat(room + 1))).groups).toHaveLength(0);
    expect((await parkText(`ü${"x".repeat(room - 2)}`)).groups).toHaveLength(1);
    let asked = 0;
    world.gate.confirmations.park = async () => {
      asked += 1;
      return [];
    };
    await parkText(`ü${"x".repeat(room - 1)}`, world);
    expect(asked).toBe(0);
  });

  test("asks in the name of the first asker where a question follows from a yes", async () => {
    const approved = {
      question: "before",
      claim: { part: "confirmations", value: { id: "before", by: "me" } },
      requestedBy: "first",
      asker: { key: "first", runId: "r" },
    };
    const { groups } = await park({ ...PLAN, approved });
    expect(groups[0]).toMatchObject({ requestedBy: "first", asker: { key: "first" } });
    const { asker: _, ...former } = approved;
    const { groups: later } = await park({ ...PLAN, approved: former });
    expect(later[0]!.requestedBy).toBe("first");
    expect(later[0]).not.toHaveProperty("asker");
  });

  test("fails what could not be recorded: the gate is down, full, or the question too large", async () => {
    const codesOf = ({ outcomes }: Awaited<ReturnType<typeof park>>) =>
      [...outcomes.values()].map((outcome) => ("error" in outcome ? outcome.error.code : outcome.status));
    const down = new TestWorld();
    down.gate.down = true;
    const unreachable = await park(PLAN, { world: down });
    expect(codesOf(unreachable)).toEqual(["OVERLOADED", "DEPENDENCY_FAILED", "OVERLOADED"]);
    const full = new TestWorld();
    full.gate.roomForGroups = 1;
    const one = await park(PLAN, { world: full });
    expect(codesOf(one)).toEqual(["pending_confirmation", "pending_confirmation", "OVERLOADED"]);
    const hintOf = (outcome: unknown) => (outcome as { error: { hint: string } }).error.hint;
    expect(hintOf(unreachable.outcomes.get(2))).toContain("could not be recorded");
    expect(hintOf(one.outcomes.get(2))).toContain("wait for a person already");

    const input = { text: "ü".repeat(LIMITS.confirmationBytes / 2) };
    const large = await park(PLAN, { changes: { c: { task: { call: null, input } } } });
    expect(codesOf(large)).toEqual(["pending_confirmation", "pending_confirmation", "CONFIRMATION_INVALID"]);
    expect(large.groups).toHaveLength(1);
  });

  test("says to a person that the caller may not skip it, and that no key may decide", async () => {
    const messageOf = async (...asked: Parameters<typeof park>) => {
      const outcome = (await park(...asked)).outcomes.get(2)!;
      return outcome.status === "pending_confirmation" ? outcome.confirmation.message : "";
    };
    const usual = await messageOf(PLAN);
    expect(await messageOf({ ...PLAN, skipDenied: true })).not.toBe(usual);
    expect(await messageOf(PLAN, { undecidable: true })).not.toBe(usual);
    expect(await messageOf(PLAN, { undecidable: false })).toBe(usual);
  });

  test("T57 refuses an action whose accounts cannot be looked up: no person is asked, and nothing is recorded", async () => {
    const accounts = { awaited: async () => {}, usedBy: () => Promise.reject(new Error("away")) };
    const { groups, outcomes } = await park(PLAN, { accounts });
    expect(groups).toEqual([]);
    expect(outcomes.get(0)).toMatchObject({
      status: "error",
      error: { code: "OVERLOADED", retryable: true, hint: expect.stringContaining("could not be looked up") },
    });
    expect(outcomes.get(1)).toMatchObject({ status: "skipped" });
  });
});
