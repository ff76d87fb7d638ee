import * as z from "zod";
import { describe, expect, test } from "vitest";

import type { Tool, ToolDeclaration } from "../../../../src/core/catalog/define-tool.ts";
import { parseBatch } from "../../../../src/core/contract/batch.ts";
import { executeFlow } from "../../../../src/features/flows/run/execute-flow.ts";
import { type FlowRun, planFlowRun } from "../../../../src/features/flows/run/plan-flow.ts";
import { TestWorld, type WireEnvelope } from "../../../support/execute-batch.ts";
import { toRunnable } from "../../../../src/features/flows/declaration/flow-tool.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { errorOf, valueOf } from "../../../support/unwrap.ts";

const double = contractOf("double", { run: async (args) => ({ twice: 2 * (args as { n: number }).n }) });
const broken = contractOf("broken", { run: () => Promise.reject(new Error("boom")) });
const remove = contractOf("remove", { isWrite: true, actions: ["delete"], run: async (args) => args });

function flowOf(
  name: string,
  actions: readonly object[],
  answer?: unknown,
  declared: Partial<ToolDeclaration> = {},
): Tool {
  const tool = contractOf(name, { input: z.strictObject({ n: z.number().optional() }), ...declared });
  return {
    ...tool,
    inner: toRunnable({ batch: valueOf(parseBatch({ actions }, 1_000)), answer, tools: ["*"] }),
  };
}

const FLOW = flowOf("twice", [{ id: "once", tool: "double", args: { n: { $ref: "input#/n" } } }], {
  is: { $ref: "once#/twice" },
});

async function run(flow: Tool, asked: Partial<FlowRun> = {}, world = new TestWorld()) {
  const whole = {
    name: flow.name,
    input: { n: 4 },
    maxTokens: null,
    dryRun: false,
    skipApproval: false,
    ...asked,
  };
  return world.clock.runUntil(executeFlow(whole, world.execution([double, broken, remove, flow])));
}

const answerTo = async (
  ...asked: Parameters<typeof run>
): Promise<WireEnvelope & { answer?: unknown; answer_error?: { code: string } }> =>
  JSON.parse(valueOf(await run(...asked)).json) as WireEnvelope;

describe("A flow run by itself", () => {
  test("answers the envelope of its batch, and what it says is its answer", async () => {
    const { results, answer } = await answerTo(FLOW);
    expect(results).toMatchObject([{ id: "once", status: "success", data: { twice: 8 } }]);
    expect(answer).toEqual({ is: 8 });
  });

  test("says why there is no answer where what it needs has failed; the envelope is whole", async () => {
    const said = await answerTo(
      flowOf(
        "bad",
        [
          { id: "b", tool: "broken" },
          { tool: "double", args: { n: 1 } },
        ],
        { $ref: "b#/x" },
      ),
    );
    expect(said.results.map(({ status }) => status)).toEqual(["error", "success"]);
    expect(said.answer).toBeUndefined();
    expect(said.answer_error?.code).toBe("DEPENDENCY_FAILED");
  });

  test("has no answer where it says none", async () => {
    expect(await answerTo(flowOf("plain", [{ tool: "double", args: { n: 1 } }]))).not.toHaveProperty(
      "answer",
    );
  });

  test("refuses an input that does not fit, by its place in the body, and runs nothing", async () => {
    const world = new TestWorld();
    const { refusal } = errorOf(await run(FLOW, { input: { n: "four" } }, world));
    expect(refusal).toMatchObject({ code: "INVALID_REQUEST", issue: { path: "/input/n" } });
    expect(world.gate.requests).toEqual([]);
  });

  test("is broken where a tool of it is gone: nothing of it runs", async () => {
    const world = new TestWorld();
    const gone = flowOf("gone", [{ tool: "double", args: { n: 1 } }, { tool: "nowhere" }]);
    const { refusal } = errorOf(await run(gone, {}, world));
    expect(refusal).toMatchObject({ code: "FLOW_BROKEN", hint: expect.stringContaining("'a1'") as string });
    expect(world.gate.requests).toEqual([]);
  });

  test("is as unknown as any other name where the key has none of it, or it is a tool that is no flow", async () => {
    for (const name of ["nothing", "double"])
      expect(errorOf(await run(FLOW, { name })).refusal.code).toBe("NOT_FOUND");
  });

  test("plans and runs nothing in a dry run", async () => {
    const { plan } = JSON.parse(valueOf(await run(FLOW, { dryRun: true })).json) as {
      plan: { waves: string[][] };
    };
    expect(plan.waves).toEqual([["once"]]);
  });

  test("parks what needs a person's yes, with what it was called with", async () => {
    const world = new TestWorld();
    const actions = [{ id: "r", tool: "remove", args: { n: { $ref: "input#/n" } } }];
    const careful = flowOf("careful", actions, { $ref: "r#" }, { isWrite: true, actions: ["delete"] });
    const { results } = await answerTo(careful, {}, world);
    expect(results[0]!.status).toBe("pending_confirmation");
    const [group] = [...world.gate.parked.values()];
    expect(group!.actions[0]!.args).toEqual({ kind: "call", input: { n: 4 } });
  });
});

describe("planFlowRun()", () => {
  const planned = (flow: Tool, asked: Partial<FlowRun> = {}) =>
    planFlowRun(
      { name: flow.name, input: {}, maxTokens: null, dryRun: false, skipApproval: false, ...asked },
      new TestWorld().execution([double, flow]),
    );

  test("gives a run the time that was asked for, or else the flow's own", () => {
    expect(valueOf(planned(FLOW)).plan.deadlineMs).toBe(15_000);
    expect(valueOf(planned(FLOW, { deadlineMs: 700 })).plan.deadlineMs).toBe(700);
    expect(valueOf(planned(FLOW, { maxTokens: 900 })).plan.maxTokens).toBe(900);
  });

  test("refuses a number that would not be the same upstream, by its place", () => {
    const exact = JSON.parse("820982911946154508", (_, value: unknown) =>
      typeof value === "number" ? JSON.rawJSON("820982911946154508") : value,
    ) as unknown;
    const refused = errorOf(planned(FLOW, { input: { n: exact } }));
    expect(refused).toMatchObject({ code: "INVALID_REQUEST", issue: { path: "/input/n" } });
    expect(refused.hint).toContain("/input/n");
  });

  test("refuses what does not fit with the place in its words too", () => {
    const refused = errorOf(planned(FLOW, { input: { n: "four" } }));
    expect(refused.hint).toMatch(/^\/input\/n must be a number/);
  });

  test("knows no flow under the name of a tool", () => {
    expect(errorOf(planned(FLOW, { name: "double" })).code).toBe("NOT_FOUND");
  });
});
