import { describe, expect, test } from "vitest";
import * as z from "zod";

import { makeApprovedPlan } from "../../../src/features/confirmations/make-approved-plan.ts";
import { makeRejection } from "../../../src/features/confirmations/write-rejection.ts";
import { createCatalog } from "../../support/create-catalog.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import type {
  BegunFlow,
  ParkedAction,
  ParkedGroup,
} from "../../../src/features/confirmations/parked-group.ts";
import { GROUP_FORMAT } from "../../../src/features/confirmations/confirmation.ts";
import type { WireEnvelope } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";
import { parkedAction } from "../../support/parked-samples.ts";

const send = contractOf("send", {
  isWrite: true,
  actions: ["create"],
  domain: "mail",
  input: z.strictObject({ to: z.string() }),
});
const move = contractOf("move", { isWrite: true, actions: ["update"], domain: "mail" });
const CATALOG = createCatalog([send, move]);
const CLAIM = { id: "question", by: "me" };

const actionOf = (id: string, more: Partial<ParkedAction> = {}) =>
  parkedAction(id, { tool: "move", ...more });
const groupOf = (actions: readonly ParkedAction[], more: Partial<ParkedGroup> = {}): ParkedGroup => ({
  format: GROUP_FORMAT,
  actions,
  results: [],
  onError: "partial-success",
  deadlineMs: 5_000,
  maxTokens: 300,
  requestedBy: "agent",
  argsHash: "",
  declarations: [],
  ...more,
});
const planOf = (...actions: ParkedAction[]) => makeApprovedPlan(groupOf(actions), CATALOG, CLAIM);

describe("makeApprovedPlan()", () => {
  test("runs what was shown with what was shown, and knows what it refers to", () => {
    const select = [["id"]];
    const callback = { url: "https://example.com/", secretName: "S" };
    const action = actionOf("a", {
      tool: "send",
      args: { kind: "call", input: { to: "x" } },
      timeoutMs: 700,
      select,
      callback,
      runAt: 9,
    });
    const asker = { key: "agent", runId: "run-1" };
    const group = groupOf([action], { results: [["earlier", { n: 1 }]], asker, onError: "fail-fast" });
    const plan = makeApprovedPlan(group, CATALOG, CLAIM);
    expect(plan).toMatchObject({
      onError: "fail-fast",
      deadlineMs: 5_000,
      maxTokens: 300,
      handles: [],
      demotes: true,
      sharesReads: true,
      given: new Map([["earlier", { n: 1 }]]),
      approved: {
        question: CLAIM.id,
        claim: { part: "confirmations", value: CLAIM },
        requestedBy: "agent",
        asker,
      },
    });
    expect(valueOf(plan.steps[0]!.task)).toMatchObject({
      tool: send,
      select,
      callback,
      runAt: 9,
      call: { input: { to: "x" }, args: { to: "x" }, timeoutMs: 700, callback, runAt: 9 },
    });
    expect(planOf(action).approved).not.toHaveProperty("asker");
  });

  test("keeps what needs another, and the order of writes of one domain", () => {
    const plan = planOf(actionOf("a"), actionOf("b"), actionOf("c", { needs: [0] }));
    expect(plan.steps.map(({ needs, after }) => ({ needs, after }))).toEqual([
      { needs: [], after: [] },
      { needs: [], after: [0] },
      { needs: [0], after: [1] },
    ]);
    expect(plan.steps.map(({ remaining }) => remaining)).toEqual([3, 2, 1]);
    expect(plan.steps[2]!.edges).toEqual([
      { from: 0, reason: "depends_on" },
      { from: 1, reason: "hazard: parked" },
    ]);
  });

  test("asks again for a gated action that was not shown with what it sends, and for what needs it", () => {
    const waiting = { kind: "waiting", input: { to: { $ref: "a#" } }, forEach: [1] } as const;
    const plan = planOf(
      actionOf("a"),
      actionOf("b", { needs: [0], args: waiting }),
      actionOf("c", { needs: [1], gated: false }),
      actionOf("d", { gated: false, args: waiting }),
    );
    expect(plan.steps.map(({ parking }) => parking)).toEqual([null, "gated", "waits", null]);
    expect(valueOf(plan.steps[1]!.task)).toMatchObject({ call: null, input: waiting.input, forEach: [1] });
    // An action that is asked about again holds nothing back.
    expect(plan.steps[3]!.after).toEqual([0]);
  });

  test("runs each element of a loop that was right, and fails the others as they were", () => {
    const wrong = makeFailure("INVALID_ARGS");
    const elements = [{ input: { to: "x" } }, { error: wrong }, { input: {} }];
    const plan = planOf(actionOf("a", { tool: "send", args: { kind: "loop", elements } }));
    const { calls, forEach } = valueOf(plan.steps[0]!.task);
    expect(forEach).toEqual([]);
    expect(calls!.map((call) => (call.ok ? call.value.args : call.error.code))).toEqual([
      { to: "x" },
      "INVALID_ARGS",
      "INVALID_ARGS",
    ]);
    expect(errorOf(calls![1]!)).toBe(wrong);
  });

  test("goes on with what a flow had done when it asked, and in a loop with what each element had done", () => {
    const begun: BegunFlow = {
      kind: "flow",
      actions: [actionOf("inner")],
      results: [],
      onError: "partial-success",
      declarations: [],
      over: [],
    };
    const over = { kind: "over", outcomeJson: "{}" } as const;
    const elements = [{ input: {} }, { input: {} }, { input: {} }];
    const plan = planOf(
      actionOf("a", { begun }),
      actionOf("b", {
        args: { kind: "loop", elements },
        begun: { kind: "loop", elements: [over, begun] },
      }),
      actionOf("c", { args: { kind: "loop", elements: [{ input: {} }] }, begun }),
      actionOf("d", { begun: { kind: "loop", elements: [begun] } }),
    );
    const tasks = plan.steps.map(({ task }) => valueOf(task));
    expect(tasks[0]!.call).toMatchObject({ begun });
    const begunOf = (at: number) => tasks[at]!.calls!.map((call) => valueOf(call).begun);
    expect(begunOf(1)).toEqual([over, begun, undefined]);
    // A state of the other kind than the arguments is of no version: no call goes on with it.
    expect(begunOf(2)).toEqual([undefined]);
    expect(tasks[3]!.call).not.toHaveProperty("begun");
  });

  test("fails what is not there any more, and what does not fit any more, in their places", () => {
    const plan = planOf(
      actionOf("gone", { tool: "gone" }),
      actionOf("unfit", { tool: "send", args: { kind: "call", input: { to: 7 } } }),
      actionOf("fits"),
    );
    expect(plan.steps.map(({ task }) => (task.ok ? "runs" : task.error.code))).toEqual([
      "UNKNOWN_TOOL",
      "INVALID_ARGS",
      "runs",
    ]);
    expect(plan.steps[0]!.toolName).toBe("gone");
  });

  test("says the version of the tools only where one of the actions' tools may be another by it", () => {
    const tool = { ...contractOf("own"), added: { json: "{}", fingerprint: "f" } };
    const catalog = CATALOG.extend([tool], 8);
    const versionOf = (...actions: ParkedAction[]) =>
      makeApprovedPlan(groupOf(actions), catalog, CLAIM).toolsVersion;
    expect(versionOf(actionOf("a"))).toBeUndefined();
    expect(versionOf(actionOf("a"), actionOf("b", { tool: "own" }))).toBe(8);
  });
});

test("makeRejection() says of every action that nothing of it ran, because a person said no", () => {
  const group = groupOf([actionOf("a"), actionOf("b", { gated: false, needs: [0] })]);
  const json = makeRejection(group, CATALOG, { claim: CLAIM, batchId: "batch-1" }).toJson();
  expect(JSON.parse(json) as WireEnvelope).toMatchObject({
    batch_id: "batch-1",
    results: [
      { id: "a", tool: "move", status: "error", error: { code: "CONFIRMATION_REJECTED", retryable: false } },
      { id: "b", status: "skipped", because: "a" },
    ],
    summary: { total: 2, ok: 0 },
    stats: { duration_ms: 0, max_parallelism: 0 },
  });
});
