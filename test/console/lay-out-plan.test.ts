import { describe, expect, test } from "vitest";

import type { WirePlan } from "../../src/console/kit/wire.ts";
import { layOutPlan, NODE } from "../../src/console/run/lay-out-plan.ts";
import { nameActions } from "../../src/console/run/name-actions.ts";
import { sayPlan } from "../../src/console/run/say-run.ts";

function planOf(plan: Partial<WirePlan["plan"]>, errors: WirePlan["errors"] = []): WirePlan {
  const none = {
    waves: [],
    edges: [],
    caps: {},
    confirmations: [],
    estimated_tokens: 0,
    estimated_speedup: 1,
  };
  return { dry_run: true, plan: { ...none, ...plan }, errors };
}

const wrong = (id: string, index: number): WirePlan["errors"][number] => ({
  index,
  id,
  tool: null,
  error: { code: "INVALID_ACTION", message: "", retryable: false },
});

describe("layOutPlan()", () => {
  test("stands every action once, later waves further right, and none on another", () => {
    const waves = [["a", "b"], ["c", "d"], ["e"]];
    const edges = [
      { from: "a", to: "c", reason: "reference" },
      { from: "a", to: "e", reason: "contract" },
      { from: "b", to: "d", reason: "hazard: mail" },
      { from: "d", to: "e", reason: "depends_on" },
    ];
    const drawing = layOutPlan(
      planOf({ waves, edges }),
      nameActions("abcde".split("").map((id) => ({ id, tool: id }))),
    );
    expect(drawing.nodes.map(({ id }) => id).toSorted()).toEqual(["a", "b", "c", "d", "e"]);
    const at = new Map(drawing.nodes.map((node) => [node.id, node]));
    expect(at.get("a")!.x).toBe(at.get("b")!.x);
    expect(at.get("c")!.x).toBeGreaterThan(at.get("a")!.x);
    expect(at.get("e")!.x).toBeGreaterThan(at.get("c")!.x);
    expect(drawing.edges.map(({ kind }) => kind)).toEqual(["reference", "contract", "hazard", "depends_on"]);
    expect(drawing.bands.map(({ label }) => label)).toEqual(["Step 1", "Step 2", "Step 3"]);
    // The room beside the editor at 1440: no node is cut off.
    expect(drawing.width).toBeLessThanOrEqual(576);
  });

  test("gives a line that passes a wave a lane in which no action stands", () => {
    const waves = [["a"], ["b", "c", "d"], ["e"]];
    const edges = [
      ...["b", "c", "d"].map((to) => ({ from: "a", to, reason: "reference" })),
      { from: "a", to: "e", reason: "reference" },
      { from: "c", to: "e", reason: "reference" },
    ];
    const { nodes, edges: lines } = layOutPlan(planOf({ waves, edges }), []);
    const passing = lines.find(({ from, to }) => from === "a" && to === "e")!;
    const level = Number(/ ([\d.]+) H/.exec(passing.path)![1]);
    for (const { id, y } of nodes)
      if (["b", "c", "d"].includes(id)) expect(level < y || level > y + NODE.height).toBe(true);
  });

  test("puts fifty actions of one wave into columns of ten", () => {
    const ids = Array.from({ length: 50 }, (_, at) => `a${at}`);
    const { nodes, height, bands } = layOutPlan(planOf({ waves: [ids] }), []);
    expect(new Set(nodes.map(({ x }) => x)).size).toBe(5);
    expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(50);
    expect(bands).toHaveLength(1);
    expect(height).toBeLessThan(700);
  });

  test("shows what is wrong and what needs it, though neither runs", () => {
    const plan = planOf({ waves: [["ok"]], edges: [{ from: "bad", to: "needs", reason: "reference" }] }, [
      wrong("bad", 0),
    ]);
    const { nodes } = layOutPlan(
      plan,
      nameActions([{ id: "bad" }, { id: "needs", tool: "t" }, { id: "ok", tool: "t" }]),
    );
    const states = Object.fromEntries(nodes.map(({ id, state, wave }) => [id, [state, wave]]));
    expect(states).toEqual({ bad: ["wrong", null], needs: ["blocked", null], ok: ["runs", 0] });
  });

  test("draws nothing for an answer that holds nothing", () => {
    expect(layOutPlan(planOf({}), [])).toMatchObject({ nodes: [], edges: [], bands: [] });
  });
});

describe("nameActions()", () => {
  test("names actions as the API does, whatever was written", () => {
    expect(nameActions([{ tool: "a" }, { id: "x", name: "b" }, 7, null, { tool: 1 }])).toEqual([
      { id: "a0", tool: "a" },
      { id: "x", tool: "b" },
      { id: "a2", tool: null },
      { id: "a3", tool: null },
      { id: "a4", tool: null },
    ]);
    expect(nameActions("x")).toEqual([]);
  });
});

describe("sayPlan()", () => {
  test("is a sentence a person likes", () => {
    const plan = planOf({
      waves: [["a", "b"], ["c"]],
      confirmations: ["c"],
      estimated_speedup: 1.5,
      estimated_tokens: 1200,
    });
    expect(sayPlan(plan)).toBe(
      "3 actions in 2 steps, about 1.5 times as fast as one by one, about 1,200 tokens of results. 1 action waits for approval.",
    );
    expect(sayPlan(planOf({}, [wrong("a", 0)]))).toBe("Nothing will run. 1 action is wrong.");
  });
});
