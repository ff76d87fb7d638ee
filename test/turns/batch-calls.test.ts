import { describe, expect, test } from "vitest";

import type { ModelCall } from "../../src/features/agent/dialect/dialect.ts";
import { batchCalls } from "../../src/turns/batch-calls.ts";
import { createCatalog } from "../support/create-catalog.ts";
import { makeFailure } from "../../src/core/contract/failure.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import { err, ok } from "../../src/core/kit/result.ts";
import { contractOf } from "../support/fake-actions.ts";

const CATALOG = createCatalog([
  contractOf("look"),
  contractOf("write", { isWrite: true, actions: ["create"] }),
]);

let ids = 0;
const call = (name: string, args: object = {}, closed = false): ModelCall => ({
  id: `call_${(ids += 1)}`,
  name,
  args: ok({ ...args }),
  closed,
  written: JSON.stringify(args),
});
const batch = (actions: readonly object[], fields: object = {}, closed = false): ModelCall =>
  call("execute_actions", { actions, ...fields }, closed);
const invoke = (tool_name: unknown, closed = true): ModelCall =>
  call("invoke_tool", { tool_name, parameters: {} }, closed);
const looks = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({ tool: "look", args: { n } }));

/** The ids of each batch, and of the calls that have a reply already. */
function read(...calls: readonly ModelCall[]) {
  const { batches, replies } = batchCalls(calls, { catalog: CATALOG }, { bodyBytes: 1_000, together: true });
  return {
    batches,
    ids: batches.map(({ batch: { entries } }) => entries.map(({ id }) => id)),
    parts: batches.map(({ parts }) =>
      parts.map(({ call: at, from, to, isBatch }) => [at, from, to, isBatch]),
    ),
    told: [...replies].map(([at, { json, failed }]) => [
      at,
      failed,
      (JSON.parse(json) as { error: { code: string } }).error.code,
    ]),
  };
}

describe("The calls of a turn", () => {
  test("are one batch, with ids of their own, and each knows its actions", () => {
    const { ids, parts, batches } = read(call("look"), batch(looks(2)), call("look"));
    expect(new Set(ids[0]).size).toBe(4);
    expect(parts).toEqual([
      [
        [0, 0, 1, false],
        [1, 1, 3, true],
        [2, 3, 4, false],
      ],
    ]);
    expect(batches[0]!.batch.entries.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  });

  test("are as many batches as there are that cannot be parts of one", () => {
    const apart: readonly object[] = [
      { on_error: "fail-fast" },
      { dry_run: true },
      { background: true },
      { skip_approval: true },
      { callback_url: "https://caller.example/events" },
      { tags: ["nightly"] },
    ];
    for (const fields of apart) {
      const alone = batch(looks(1), fields);
      expect(read(alone, call("look")).parts).toEqual([[[1, 0, 1, false]], [[0, 0, 1, true]]]);
      expect(read(alone, alone).parts).toEqual([[[0, 0, 1, true]], [[1, 0, 1, true]]]);
    }
    expect(read().batches).toEqual([]);
  });

  test.each([
    ["a reference", { args: { x: { $ref: "a#" } } }],
    ["an order", { depends_on: ["a"] }],
    ["a loop", { for_each: { $ref: "a#" }, args: { x: { $ref: "item#" } } }],
  ])("keep their ids where one of them has %s to an id of its own batch", (_, more) => {
    const own = (): ModelCall =>
      batch([
        { id: "a", tool: "look" },
        { id: "b", tool: "look", ...more },
      ]);
    expect(read(own()).ids).toEqual([["a", "b"]]);
    expect(read(own(), own()).ids).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    // None of its ids is another's here.
    expect(read(batch([{ id: "c", tool: "look" }]), own()).ids).toEqual([["c", "a", "b"]]);
  });

  test("that name the same id are told apart, with no id that another has", () => {
    const same = (): ModelCall =>
      batch([
        { id: "a", tool: "look" },
        { id: "a1", tool: "look" },
        { id: "a2", tool: "look" },
      ]);
    const { ids } = read(same(), same(), call("look"), batch([{ id: "a0", tool: "look" }]));
    expect(ids).toHaveLength(1);
    expect(new Set(ids[0]).size).toBe(8);
    expect(ids[0]!.slice(0, 3)).toEqual(["a", "a1", "a2"]);
  });

  test("have as many actions as one batch may; a call that would make it more is told, and smaller ones go on", () => {
    const most = LIMITS.actions;
    expect(read(batch(looks(most - 1)), call("look")).told).toEqual([]);
    expect(read(batch(looks(most - 1)), batch(looks(2)), call("look"), call("look")).told).toEqual(
      [
        [1, true, "INVALID_ACTION"],
        [3, true, "INVALID_ACTION"],
      ].map(([at, failed]) => [at, failed, expect.any(String)]),
    );
  });

  test("have the longest time that one of them asks for, and a call by itself asks for none", () => {
    const deadlineOf = (...calls: ModelCall[]): number => read(...calls).batches[0]!.batch.deadlineMs;
    expect(deadlineOf(batch(looks(1), { deadline_ms: 50 }), batch(looks(1), { deadline_ms: 70 }))).toBe(70);
    expect(deadlineOf(batch(looks(1), { deadline_ms: 50 }), call("look"))).toBe(LIMITS.maxDeadlineMs);
  });
});

describe("A call whose arguments", () => {
  test("cannot be read has that for a reply, or as its action's failure", () => {
    const failure = makeFailure("INVALID_ARGS", { hint: "No JSON." });
    const broken = (name: string): ModelCall => ({ ...call(name), args: err(failure) });
    expect(read(broken("execute_actions"), call("look"))).toMatchObject({
      told: [[0, true, "INVALID_ARGS"]],
      parts: [[[1, 0, 1, false]]],
    });
    expect(read(broken("look")).batches[0]!.batch.entries[0]!.action).toEqual(err(failure));
    expect(read(batch([{ tool: "look", typo: 1 }], { typo: 1 })).told).toHaveLength(1);
    expect(read({ ...call("x".repeat(500)) }).batches.length + read(call("x".repeat(500))).told.length).toBe(
      1,
    );
  });

  test.each<[string, ModelCall, boolean]>([
    ["a read", call("look", {}, true), true],
    ["a write", call("write", {}, true), false],
    ["an unknown tool", call("nothing", {}, true), false],
    ["a read behind an alias", invoke("look"), true],
    ["a write behind an alias", invoke("write"), false],
    ["an alias behind an alias", invoke("invoke_tool"), false],
    ["nothing behind an alias", invoke(undefined), false],
    ["a number behind an alias", invoke(7), false],
    ["reads in a batch", batch(looks(2), {}, true), true],
    ["a write in a batch", batch([...looks(1), { tool: "write" }], {}, true), false],
    ["an action that is none in a batch", batch([...looks(1), { tool: 5 }], {}, true), false],
  ])("were cut off runs only where it can change nothing: %s", (_, sent, runs) => {
    const { batches, told } = read(sent);
    const action = batches[0]?.batch.entries[0]!.action;
    expect(action?.ok ?? false).toBe(runs);
    if (action?.ok === false) expect(action.error.code).toBe("INVALID_ARGS");
    if (action === undefined) expect(told).toEqual([[0, true, "INVALID_ARGS"]]);
    expect(read({ ...sent, closed: false }).told).toEqual([]);
  });
});
