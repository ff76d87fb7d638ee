import { expect, test } from "vitest";

import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { shapeAlone, shapeOutcomes } from "../../../src/core/answer/shape-outcomes.ts";
import { TestWorld } from "../../support/execute-batch.ts";

function success(data: unknown): Outcome {
  return { status: "success", data, json: JSON.stringify(data), meta: { attempts: 1 } };
}

const steps = Array.from({ length: 3 }, (_, at) => ({ toolName: `tool${at}` }));
const SMALL = success({ ok: true });
const LARGE = success({
  rows: Array.from({ length: 60 }, (_, n) => ({ n, text: `row number ${n} of the table` })),
});
const FAILED = { status: "error", error: makeFailure("TIMEOUT"), meta: {} } as const;

test("without a budget every outcome is as it was, and nothing is kept", async () => {
  const { ports, gate } = new TestWorld();
  const outcomes = [SMALL, LARGE, FAILED];
  expect(await shapeOutcomes(outcomes, null, { ports, gate, steps })).toBe(outcomes);
  expect(gate.kept.size).toBe(0);
});

test("what is cut says so and can be had whole by its handle", async () => {
  const { ports, gate } = new TestWorld();
  const [small, large, failed] = await shapeOutcomes([SMALL, LARGE, FAILED], 100, { ports, gate, steps });
  expect(small).toBe(SMALL);
  expect(failed).toBe(FAILED);
  expect(large!.meta.truncated).toMatchObject({ elements_dropped: expect.any(Number) });
  expect(large!.meta.handle).toMatch(/^r-/);
  expect(gate.kept.get(large!.meta.handle!)).toBe((LARGE as { json: string }).json);
});

test("references still see the whole of what is shown cut", async () => {
  const { ports, gate } = new TestWorld();
  const [large] = await shapeOutcomes([LARGE], 100, { ports, gate, steps });
  expect(large).toMatchObject({ status: "success", data: (LARGE as { data: unknown }).data });
});

test("a handle is a promise: none is given when the gate did not keep the result", async () => {
  const { ports, gate } = new TestWorld();
  gate.down = true;
  const [large] = await shapeOutcomes([LARGE], 100, { ports, gate, steps });
  expect(large!.meta.truncated).toBeDefined();
  expect(large!.meta.handle).toBeUndefined();
});

test("what was selected is what is cut, and what the handle stands for is the whole", async () => {
  const { ports, gate } = new TestWorld();
  const shown = { rows: Array.from({ length: 60 }, (_, n) => ({ text: `row number ${n} of the table` })) };
  const selected = { ...LARGE, shown: { data: shown, json: JSON.stringify(shown) } } as Outcome;
  const [cut] = await shapeOutcomes([selected], 100, { ports, gate, steps });
  expect(JSON.stringify((cut as { shown: { data: unknown } }).shown.data)).not.toContain('"n"');
  expect(gate.kept.get(cut!.meta.handle!)).toBe((LARGE as { json: string }).json);
});

test("nothing is kept of a result without a tool, nor of an outcome without data", async () => {
  const { ports, gate } = new TestWorld();
  const begun: Outcome = { status: "initiated", jobId: "j", meta: { keepsWhole: true } };
  const [large, job] = await shapeOutcomes([LARGE, begun], 100, {
    ports,
    gate,
    steps: [{ toolName: null }, { toolName: "job" }],
  });
  expect(large!.meta.truncated).toBeDefined();
  expect([large!.meta.handle, job!.meta.handle, gate.kept.size]).toEqual([undefined, undefined, 0]);
});

test("what ran of a loop is cut where it stands, whether the loop failed or is not known", () => {
  const { data, json } = LARGE as { data: unknown; json: string };
  for (const status of ["error", "unknown"] as const) {
    const loop: Outcome = { ...FAILED, status, partial: { data, json } };
    const cut = shapeAlone(loop, 100) as Extract<Outcome, { status: "error" }>;
    expect(cut).not.toHaveProperty("shown");
    expect(cut.partial!.json.length).toBeLessThan(json.length);
    expect(JSON.parse(cut.partial!.json)).toEqual(cut.partial!.data);
  }
  const success = shapeAlone(LARGE, 100);
  expect(success).not.toHaveProperty("partial");
  expect(success).toHaveProperty("shown");
});

test("an outcome that is shown alone may take the whole budget and gets no handle yet", () => {
  const alone = shapeAlone(LARGE, 100);
  expect(alone.meta.truncated).toBeDefined();
  expect(alone.meta.handle).toBeUndefined();
  expect(shapeAlone(SMALL, 100)).toBe(SMALL);
  expect(shapeAlone(LARGE, null)).toBe(LARGE);
});

test("what ran of a failed loop counts for the budget, is cut like any data and kept by its handle", async () => {
  const { ports, gate } = new TestWorld();
  const { data, json } = LARGE as { data: unknown; json: string };
  const loop: Outcome = { ...FAILED, partial: { data, json } };
  const [cut, other] = await shapeOutcomes([loop, LARGE], 100, { ports, gate, steps });
  expect(cut).toMatchObject({
    status: "error",
    meta: { truncated: { elements_dropped: expect.any(Number) } },
  });
  expect(other!.meta.truncated!.tokens_after).toBeLessThanOrEqual(50);
  expect(gate.kept.get(cut!.meta.handle!)).toBe(json);
});
