import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { parseBatch } from "../../../src/core/contract/batch.ts";
import { findRepeats, findSameReads, readKey, sharedKey } from "../../../src/core/plan/same-reads.ts";
import { makePlan } from "../../../src/core/plan/make-plan.ts";
import type { Plan } from "../../../src/core/plan/step.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { ok } from "../../../src/core/kit/result.ts";
import { valueOf } from "../../support/unwrap.ts";
import { trial } from "../../support/trial.ts";

const catalog = createCatalog([
  contractOf("near", { domain: "store" }),
  contractOf("far", { domain: "elsewhere" }),
  contractOf("put", { domain: "store", isWrite: true }),
  contractOf("post", { domain: "elsewhere", isWrite: true, execution: "fire-and-forget" }),
]);

const planOf = (actions: readonly object[]): Plan =>
  valueOf(makePlan(valueOf(parseBatch({ actions }, 1_000)), catalog));
const sameOf = (actions: readonly object[]) => [...findSameReads(planOf(actions), () => true)];

test("later reads that ask the same are answered with the first", () => {
  const near = { tool: "near", args: { n: 1 } };
  const same = sameOf([near, { tool: "far", args: { n: 1 } }, near, { tool: "near", args: { n: 2 } }, near]);
  expect(same).toEqual([
    [2, 0],
    [4, 0],
  ]);
});

test("a sync write of the domain means that nothing is certain, wherever it stands", () => {
  const near = { tool: "near", args: { n: 1 } };
  expect(sameOf([near, near, { tool: "put" }])).toEqual([]);
});

test("a background write happens later and changes nothing", () => {
  const far = { tool: "far", args: { n: 1 } };
  expect(sameOf([far, { tool: "post" }, far])).toEqual([[2, 0]]);
});

test("what the caller ordered after a write is nobody's twin, whatever the domains", () => {
  const near = (more: object = {}) => ({ tool: "near", args: { n: 1 }, ...more });
  expect(
    sameOf([
      near(),
      { id: "post", tool: "post" },
      near({ id: "b", depends_on: ["post"] }),
      near({ depends_on: ["b"] }),
      near(),
    ]),
  ).toEqual([[4, 0]]);
});

test("what refers to another action, a loop, another timeout and a write are no same", () => {
  const loop = { tool: "near", for_each: [1, 1], args: {} };
  const referring = { tool: "near", args: { $ref: "a#" } };
  expect(
    sameOf([
      { id: "a", tool: "near", args: { n: 1 } },
      { tool: "near", args: { n: 1 }, timeout_ms: 5 },
      referring,
      referring,
      loop,
      loop,
    ]),
  ).toEqual([]);
  expect(sameOf([{ tool: "put" }, { tool: "put" }])).toEqual([]);
});

test("only tools that are asked about are looked at", () => {
  const near = { tool: "near", args: { n: 1 } };
  expect([...findSameReads(planOf([near, near]), () => false)]).toEqual([]);
});

test("one with an idempotency key is no action's twin: it may have its result already", () => {
  const near = { tool: "near", args: { n: 1 } };
  const keyed = { ...near, idempotency_key: "k" };
  expect(sameOf([keyed, near, { ...near, idempotency_key: "other" }])).toEqual([]);
  expect(sameOf([keyed, near, near])).toEqual([[2, 1]]);
});

test("what waits for a person is no action's twin, and a write of another domain is in no action's way", () => {
  const remove = contractOf("remove", { isWrite: true, actions: ["delete"], domain: "trash" });
  const own = createCatalog([contractOf("near", { domain: "store" }), remove]);
  const near = (more: object = {}) => ({ tool: "near", args: { n: 1 }, ...more });
  const plan = valueOf(
    makePlan(
      valueOf(
        parseBatch(
          { actions: [{ id: "r", tool: "remove" }, near({ depends_on: ["r"] }), near(), near()] },
          0,
        ),
      ),
      own,
    ),
  );
  expect([...findSameReads(plan, () => true)]).toEqual([[3, 2]]);
  expect([...findSameReads({ ...plan, sharesReads: false }, () => true)]).toEqual([]);
  const put = planOf([near(), { tool: "put", args: {} }, { tool: "far" }, { tool: "far" }]);
  expect([...findSameReads(put, () => true)]).toEqual([[3, 2]]);
});

test("two tools of one name are two when one replaced the other, and what is no plain JSON is told apart by what was sent", () => {
  const tool = contractOf("near");
  const call = { tool, input: { n: 1 }, args: { n: 1 }, timeoutMs: 5 };
  const added = (fingerprint: string) => ({
    ...call,
    tool: { ...tool, added: { json: "{}", fingerprint } },
  });
  expect(new Set([call, added("f"), added("g")].map(readKey)).size).toBe(3);
  const at = (input: object) =>
    readKey({ ...call, input: input as typeof call.input, args: { at: new Date(0) } });
  expect(at({ at: "1970" })).toBe(at({ at: "1970" }));
  expect(at({ at: "1970" })).not.toBe(at({ at: "1971" }));
  expect(at({ n: 1 })).not.toBe(readKey(call));
});

describe("findRepeats()", () => {
  const repeatsOf = (...actions: readonly object[]) => {
    const found = findRepeats(planOf(actions));
    return found && { open: [...found.open].map(({ name }) => name), keys: found.keys.size };
  };
  const near = (n: number, more: object = {}) => ({ tool: "near", args: { n }, ...more });

  test("finds nothing where no read can be asked twice, which most batches are", () => {
    expect(repeatsOf(near(1))).toBeNull();
    expect(repeatsOf(near(1), near(2), { tool: "far" })).toBeNull();
    expect(repeatsOf({ tool: "put" }, { tool: "put" })).toBeNull();
    expect(repeatsOf(near(1), near(1, { timeout_ms: 5 }))).toBeNull();
    expect(findRepeats({ ...planOf([near(1), near(1)]), sharesReads: false })).toBeNull();
  });

  test("finds the calls that are certain to be asked again, each once", () => {
    expect(repeatsOf(near(1), near(1), near(1), near(2), { tool: "far" })).toEqual({ open: [], keys: 1 });
    expect(repeatsOf(near(1), near(1), near(2), near(2))).toEqual({ open: [], keys: 2 });
  });

  trial("finds what a key of each call would show, whatever their arguments are", () => {
    const plan = planOf([near(1), near(2), near(3)]);
    const some = [
      {},
      { n: 1 },
      { n: 1, m: 2 },
      { m: 2, n: 1 },
      { n: "1" },
      { n: [1] },
      { n: null },
      { n: -0 },
    ];
    const other = [{ n: 0 }, { n: { m: 1 } }, { m: 1 }, [1], new Date(0), "text", null, { n: true }];
    const all: readonly unknown[] = [...some, ...other];
    const withArgs = (given: readonly unknown[]): Plan => ({
      ...plan,
      steps: plan.steps.map((step, at) => {
        const task = valueOf(step.task);
        return { ...step, task: ok({ ...task, call: { ...task.call!, args: given[at] } }) };
      }),
    });
    for (const one of all)
      for (const two of all)
        for (const three of all) {
          const asked = withArgs([one, two, three]);
          const keys = asked.steps.map(({ task }) => sharedKey(valueOf(task).call!));
          const again = new Set(keys.filter((key, at) => keys.indexOf(key) !== at));
          expect(findRepeats(asked)?.keys ?? new Set()).toEqual(again);
        }
  });

  test("leaves open what only references and loops will show, for the tools that are asked more than once", () => {
    const referring = { tool: "near", args: { $ref: "a#" } };
    expect(repeatsOf({ id: "a", ...near(1) }, referring, near(1))).toEqual({ open: ["near"], keys: 0 });
    expect(repeatsOf({ tool: "near", for_each: [1, 2], args: { n: { $ref: "item#" } } })).toEqual({
      open: ["near"],
      keys: 0,
    });
    expect(repeatsOf({ id: "a", tool: "far" }, { tool: "near", args: { $ref: "a#" } })).toBeNull();
    expect(
      repeatsOf({ id: "a", tool: "far" }, { tool: "near", args: { $ref: "a#" } }, { tool: "far" }),
    ).toEqual({
      open: [],
      keys: 1,
    });
  });
});
