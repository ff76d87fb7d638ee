import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import { parseBatch } from "../../../src/core/contract/batch.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { findCycle } from "../../../src/core/kit/layers.ts";
import { makePlan } from "../../../src/core/plan/make-plan.ts";
import type { Plan } from "../../../src/core/plan/step.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { parseBatchText } from "../../support/parse-batch-text.ts";
import { declareTool, SAMPLE_CATALOG, searchOrders, sendReceipt } from "../../support/sample-tools.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";
import { trial } from "../../support/trial.ts";

interface Asked {
  readonly tool?: unknown;
  readonly args?: unknown;
  readonly id?: string;
  readonly depends_on?: readonly string[];
  readonly timeout_ms?: number;
}

/** A call that is always right, so that a test says only what it is about. */
const receipt = (id: string, ...depends_on: string[]): Asked => ({ tool: "send-receipt", id, depends_on });

const planOf = (actions: readonly Asked[], catalog = SAMPLE_CATALOG) =>
  makePlan(valueOf(parseBatch({ actions }, 0)), catalog);

function stepsOf(actions: readonly Asked[], catalog = SAMPLE_CATALOG): Plan["steps"] {
  return valueOf(planOf(actions, catalog)).steps;
}

test("makePlan() knows a call whose templates and literals refer to nothing", () => {
  const query = { $template: "boots" };
  const [known, wrong] = stepsOf([
    { tool: "search_orders", args: { query } },
    { tool: "search_orders", args: { query: { $literal: { $ref: "a0#" } } } },
  ]);
  expect(valueOf(known!.task).call).toMatchObject({
    input: { query: "boots" },
    args: { query: "boots", limit: 10 },
  });
  expect(errorOf(wrong!.task).code).toBe("INVALID_ARGS");
});

test("makePlan() gives every action one step, in the order asked", () => {
  const steps = stepsOf([receipt("b"), { tool: "nothing" }, receipt("a")]);
  expect(steps.map(({ index, id, toolName }) => [index, id, toolName])).toEqual([
    [0, "b", "send-receipt"],
    [1, "a1", "nothing"],
    [2, "a", "send-receipt"],
  ]);
});

test("makePlan() keeps what the batch says about failures and time", () => {
  const batch = parseBatch({ actions: [receipt("a")], on_error: "fail-fast", deadline_ms: 99 }, 0);
  expect(valueOf(makePlan(valueOf(batch), SAMPLE_CATALOG))).toMatchObject({
    onError: "fail-fast",
    deadlineMs: 99,
  });
});

test("makePlan() keeps both what was sent and what the schema made of it", () => {
  const [step] = stepsOf([{ tool: "search_orders", args: { query: "boots" } }]);
  expect(valueOf(step!.task).call).toEqual({
    tool: searchOrders,
    input: { query: "boots" },
    args: { query: "boots", limit: 10 },
    timeoutMs: 5_000,
  });
});

test.each([
  [undefined, 5_000],
  [200, 200],
  [60_000, 5_000],
])("makePlan() lets timeout_ms %s shorten the tool's 5 s, never lengthen them", (timeout_ms, timeoutMs) => {
  const asked = {
    tool: "search_orders",
    args: { query: "q" },
    ...(timeout_ms !== undefined && { timeout_ms }),
  };
  expect(valueOf(stepsOf([asked])[0]!.task).timeoutMs).toBe(timeoutMs);
});

test("makePlan() turns depends_on into edges, whatever the positions, each once", () => {
  const steps = stepsOf([receipt("a", "c", "b", "c"), receipt("b"), receipt("c", "b")]);
  expect(steps.map(({ needs }) => needs)).toEqual([[2, 1], [], [1]]);
});

test("makePlan() keeps an edge to an action that will fail, so that what depends on it does not run", () => {
  const steps = stepsOf([{ tool: "nothing", id: "a" }, receipt("b", "a"), { id: "c" }, receipt("d", "c")]);
  expect(steps.map(({ needs }) => needs)).toEqual([[], [0], [], [2]]);
});

test("makePlan() leaves siblings as they are when an action's arguments do not fit", () => {
  const [bad, good] = stepsOf([{ tool: "search_orders", args: { qeury: "x" } }, receipt("good")]);
  expect(errorOf(bad!.task)).toMatchObject({
    code: "INVALID_ARGS",
    hint: expect.stringContaining("Did you mean 'query' instead of 'qeury'?"),
  });
  expect(valueOf(good!.task).tool).toBe(sendReceipt);
});

test("makePlan() passes on why an action was not well formed", () => {
  expect(errorOf(stepsOf([{ tool: 5 }])[0]!.task).code).toBe("INVALID_ACTION");
});

test.each([
  [
    "serch_orders",
    "No tool is named 'serch_orders'. Did you mean 'search_orders'? Otherwise call discover_tools to find one.",
  ],
  ["order", "Did you mean 'get_order' or 'delete_order' or 'search_orders'?"],
  ["zzzzzz", "No tool is named 'zzzzzz'; call discover_tools to find one."],
  ["GET_ORDER", "Did you mean 'get_order'"],
  ["execute_actions", "is called by itself, never as an action or through another tool."],
])("makePlan() does not know the tool '%s' and names the nearest", (tool, hint) => {
  expect(errorOf(stepsOf([{ tool }])[0]!.task)).toEqual({
    code: "UNKNOWN_TOOL",
    retryable: false,
    hint: expect.stringContaining(hint),
  });
});

test.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then"])(
  "T06 makePlan() does not find a tool named '%s' on a prototype",
  (tool) => {
    const [bad, good] = stepsOf([{ tool }, receipt("good")]);
    expect(errorOf(bad!.task).code).toBe("UNKNOWN_TOOL");
    expect(good!.task.ok).toBe(true);
  },
);

test("makePlan() finds a tool named toString when there is one", () => {
  const tool = defineTool(declareTool({ name: "toString" }));
  const [step] = stepsOf([{ tool: "toString", args: { page: "x" } }], createCatalog([tool]));
  expect(valueOf(step!.task).tool).toBe(tool);
});

test.each([
  ["NUL", "get_order\0", "get_order\\u{0}"],
  ["a right-to-left override", "\u202Eredro_teg", "\\u{202e}redro_teg"],
  ["a zero-width space", "get_\u200Border", "get_\\u{200b}order"],
])("makePlan() does not take a name with %s for the tool, and shows it escaped", (_, tool, shown) => {
  const [step] = stepsOf([{ tool, args: { order_id: "1" } }]);
  expect(step!.toolName).toBe(shown);
  expect(errorOf(step!.task)).toMatchObject({
    code: "UNKNOWN_TOOL",
    hint: expect.stringContaining(`'${shown}'`),
  });
});

test("T02 makePlan() cannot tell a forbidden tool from one that does not exist", () => {
  const catalog = SAMPLE_CATALOG.restrictTo(["email"]);
  const [forbidden] = stepsOf([{ tool: "delete_order", args: { order_id: "1" } }], catalog);
  const [unknown] = stepsOf([{ tool: "remove_order", args: { order_id: "1" } }], catalog);
  expect(JSON.stringify(forbidden).replaceAll("delete_order", "remove_order")).toBe(JSON.stringify(unknown));
});

test("makePlan() refuses an id that is not there and names the nearest ones", () => {
  const actions = [receipt("shops"), receipt("recalls"), receipt("mail", "shop", "recalls")];
  const [shops, , mail] = stepsOf(actions);
  expect(errorOf(mail!.task)).toEqual({
    code: "BAD_REFERENCE",
    retryable: false,
    hint: "depends_on names 'shop', which no action of this batch has as its id; there is 'shops'.",
    issues: [
      { path: "/depends_on/0", expected: "a reference to what is there", received: 'the string "shop"' },
    ],
  });
  expect(mail!.needs).toEqual([]);
  expect(shops!.task.ok).toBe(true);
});

test("makePlan() names the first five ids when none is near", () => {
  const others = ["one", "two", "three", "four", "five", "six"].map((id) => receipt(id));
  expect(errorOf(stepsOf([...others, receipt("mail", "zzzzzzzz")])[6]!.task).hint).toContain(
    "there is 'one', 'two', 'three', 'four', 'five'.",
  );
});

test("makePlan() never suggests that an action depend on itself", () => {
  const [, second] = stepsOf([receipt("b1"), receipt("b2", "b3")]);
  expect(errorOf(second!.task).hint).toContain("there is 'b1'.");
  const [only] = stepsOf([receipt("b2", "b3")]);
  expect(errorOf(only!.task).hint).toContain("there is no other action.");
});

test("makePlan() escapes and cuts an id that is not there", () => {
  const [hidden, long] = stepsOf([receipt("a", "\u202Ea\0"), receipt("b", "x".repeat(5_000))]);
  expect(errorOf(hidden!.task).hint).toContain("'\\u{202e}a\\u{0}'");
  expect(errorOf(long!.task).hint!.length).toBeLessThan(250);
});

test.each(["__proto__", "constructor", "toString"])("makePlan() finds no id '%s' on a prototype", (id) => {
  expect(errorOf(stepsOf([receipt("a", id)])[0]!.task).code).toBe("BAD_REFERENCE");
});

test.each([
  ["an action that waits for itself", [receipt("a", "a")], "a → a"],
  ["two that wait for each other", [receipt("a", "b"), receipt("b", "a")], "a → b → a"],
  [
    "three in a circle",
    [receipt("a", "b"), receipt("b", "c"), receipt("c", "a"), receipt("d")],
    "a → b → c → a",
  ],
  [
    "a circle of default ids",
    [
      { tool: "x", depends_on: ["a1"] },
      { tool: "x", depends_on: ["a0"] },
    ],
    "a0 → a1 → a0",
  ],
])("makePlan() refuses %s whole and spells it out", (_, actions, cycle) => {
  expect(errorOf(planOf(actions))).toEqual({
    code: "INVALID_BATCH",
    hint: `The actions wait for each other: ${cycle}. Take one of these references or depends_on out.`,
  });
});

test("makePlan() plans a batch as hostile as text can make it, one step per action", () => {
  const text = `{"actions": [
    null, {"tool": "__proto__"}, {"tool": "send-receipt", "args": {"__proto__": {"admin": true}}},
    {"tool": "send-receipt", "depends_on": ["a0", "a9"]}, {"tool": "send-receipt", "args": {"n": 1e400}},
    {"tool": "send-receipt"}
  ]}`;
  const { steps } = valueOf(makePlan(valueOf(parseBatchText(text)), SAMPLE_CATALOG));
  expect(steps.map(({ task }) => (task.ok ? "ok" : task.error.code))).toEqual([
    "INVALID_ACTION",
    "UNKNOWN_TOOL",
    "INVALID_ARGS",
    "BAD_REFERENCE",
    "INVALID_ARGS",
    "ok",
  ]);
});

test("makePlan() accepts exactly the batches in which every action can have its turn", () => {
  const needs = fc
    .integer({ min: 1, max: 8 })
    .chain((size) =>
      fc.array(fc.uniqueArray(fc.nat(size - 1), { maxLength: 2 }), { minLength: size, maxLength: size }),
    );
  fc.assert(
    fc.property(needs, (needs) => {
      const actions = needs.map((needed, index) => receipt(`n${index}`, ...needed.map((at) => `n${at}`)));
      const plan = planOf(actions);
      expect(plan.ok).toBe(findCycle(needs) === null);
      if (plan.ok) expect(plan.value.steps.map((step) => step.needs)).toEqual(needs);
    }),
  );
});

trial("makePlan() never throws, and every edge of a plan leads to one of its steps", () => {
  const ids = fc.constantFrom("a0", "a1", "a2", "x", "y", "none");
  const action = fc.record(
    {
      tool: fc.constantFrom("send-receipt", "search_orders", "get_order", "toString", ""),
      args: fc.oneof(
        fc.record({ query: fc.string(), order_id: fc.string() }, { requiredKeys: [] }),
        fc.jsonValue(),
      ),
      id: ids,
      depends_on: fc.array(ids, { maxLength: 3 }),
    },
    { requiredKeys: ["tool"] },
  );
  fc.assert(
    fc.property(fc.array(action, { minLength: 1, maxLength: LIMITS.actions }), (actions) => {
      const batch = parseBatch({ actions }, 0);
      fc.pre(batch.ok);
      const plan = makePlan(batch.value, SAMPLE_CATALOG);
      fc.pre(plan.ok);
      expect(plan.value.steps.map(({ index }) => index)).toEqual(actions.map((_, index) => index));
      for (const { needs } of plan.value.steps) {
        for (const at of needs) expect(plan.value.steps[at]).toBeDefined();
        expect(new Set(needs).size).toBe(needs.length);
      }
    }),
  );
});

test("makePlan() lets references name what is given, which is there before anything runs", () => {
  const given = new Map([["input", { query: "boots" }]]);
  const actions = [
    { tool: "search_orders", args: { query: { $ref: "input#/query" } } },
    { tool: "search_orders", args: { query: { $template: "{{input#/query}} {{inptu#/query}}" } } },
  ];
  const [first, wrong] = valueOf(
    makePlan(valueOf(parseBatch({ actions }, 0)), SAMPLE_CATALOG, { given }),
  ).steps;
  expect(first!.needs).toEqual([]);
  expect(valueOf(first!.task).call).toBeNull();
  expect(errorOf(wrong!.task)).toMatchObject({
    code: "BAD_REFERENCE",
    hint: expect.stringContaining("'input'") as string,
  });
  // Without it the same reference leads nowhere.
  expect(errorOf(stepsOf(actions)[0]!.task).code).toBe("BAD_REFERENCE");
});

describe("makePlan() asks a person first", () => {
  const catalog = createCatalog([
    contractOf("remove", { isWrite: true, actions: ["delete"] }),
    contractOf("look"),
  ]);
  const actions = [{ id: "r", tool: "remove" }, { tool: "look", depends_on: ["r"] }, { tool: "look" }];

  test.each([
    ["wherever nothing else is said", false, undefined, ["gated", "waits", null], false],
    ["where only the caller's key may skip that", false, true, ["gated", "waits", null], false],
    [
      "where the caller asks to skip that and may not, and says so",
      true,
      false,
      ["gated", "waits", null],
      true,
    ],
    [
      "where the caller asks to and nothing says whether it may",
      true,
      undefined,
      ["gated", "waits", null],
      true,
    ],
    ["not where it asks to and may", true, true, [null, null, null], false],
  ])("%s", (_, skip_approval, maySkipApproval, parking, skipDenied) => {
    const batch = valueOf(parseBatch({ actions, skip_approval }, 0));
    const plan = valueOf(makePlan(batch, catalog, maySkipApproval === undefined ? {} : { maySkipApproval }));
    expect(plan.steps.map((step) => step.parking)).toEqual(
      parking.map((one) => (one === "waits" ? expect.not.stringContaining("gated") : one)),
    );
    expect(plan.steps[1]!.parking === null).toBe(parking[1] === null);
    expect(plan.skipDenied).toBe(skipDenied);
  });
});

describe("makePlan() takes what earlier batches kept", () => {
  const handle = (n: number): string => `r-00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const using = (...handles: readonly number[]): Asked => ({
    tool: "search_orders",
    args: { query: { $template: handles.map((n) => `{{${handle(n)}#}}`).join(" ") } },
  });
  const upTo = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);
  const codes = (...actions: readonly Asked[]) =>
    stepsOf(actions).map(({ task }) => (task.ok ? "ok" : task.error.code));

  test("and marks the steps that have to wait for it", () => {
    const plan = valueOf(
      planOf([using(1), { tool: "search_orders", args: { query: "boots" } }, using(1, 2)]),
    );
    expect(plan.steps.map(({ recalls }) => recalls)).toEqual([true, undefined, true]);
    expect(plan.handles).toEqual([handle(1), handle(2)]);
    expect(valueOf(planOf([receipt("a")])).handles).toEqual([]);
  });

  test(`of ${LIMITS.handles} results at most, each counted once; an action that would make it more fails alone`, () => {
    const most = LIMITS.handles;
    expect(codes(using(...upTo(0, most)))).toEqual(["ok"]);
    expect(codes(using(...upTo(0, most), 0, 1))).toEqual(["ok"]);
    expect(codes(using(...upTo(0, most + 1)))).toEqual(["BAD_REFERENCE"]);
    expect(codes(using(...upTo(0, 9)), using(...upTo(5, 15)), using(15, 16), using(0, 15))).toEqual([
      "ok",
      "ok",
      "BAD_REFERENCE",
      "ok",
    ]);
    const plan = valueOf(planOf([using(...upTo(0, most)), using(most)]));
    expect(plan.steps[1]).toMatchObject({ edges: [] });
    expect([plan.handles.length, plan.steps[1]!.recalls]).toEqual([most, undefined]);
  });
});

test("makePlan() says of which version its tools are where one of them may change", () => {
  const catalog = createCatalog([contractOf("shipped")]).extend(
    [{ ...contractOf("added"), added: { json: "{}", fingerprint: "f" } }],
    7,
  );
  const versionOf = (...tools: readonly string[]) =>
    valueOf(planOf([...tools.map((tool) => ({ tool })), { id: "" }], catalog)).toolsVersion;
  expect([versionOf("shipped"), versionOf("shipped", "added"), versionOf("unknown")]).toEqual([
    undefined,
    7,
    7,
  ]);
});

test("makePlan() names every place of a write at which text only looks like a reference, and takes what is given for one", () => {
  const given = new Map([["input", { name: "Ann" }]]);
  const actions = [
    {
      id: "tell",
      tool: "tell",
      args: { a: "{{input.name}}", b: "{{other.name}}", c: "$input.name", d: "{{nobody.name}}" },
    },
    { id: "other", tool: "tell", args: { a: "fine" } },
  ];
  const catalog = createCatalog([contractOf("tell", { isWrite: true, actions: ["create"] })]);
  const plan = makePlan(valueOf(parseBatch({ actions }, 0)), catalog, { given });
  const failure = errorOf(valueOf(plan).steps[0]!.task);
  expect(failure.issues!.map(({ path }) => path)).toEqual(["/args/a", "/args/b", "/args/c"]);
  expect(failure.hint).toContain("So it is at /args/b, /args/c.");
  const one = makePlan(
    valueOf(parseBatch({ actions: [{ ...actions[0]!, args: { a: "{{input.name}}" } }] }, 0)),
    catalog,
    { given },
  );
  expect(errorOf(valueOf(one).steps[0]!.task).hint).not.toContain("So it is");
  // Where nothing has that name, it is text.
  const alone = makePlan(valueOf(parseBatch({ actions: actions.slice(1) }, 0)), catalog);
  expect(valueOf(alone).steps[0]!.task.ok).toBe(true);
  const text = [
    { tool: "tell", args: { a: "{{nobody.name}}" } },
    { tool: "tell", args: {} },
  ];
  expect(valueOf(makePlan(valueOf(parseBatch({ actions: text }, 0)), catalog)).steps[0]!.task.ok).toBe(true);
});

test("makePlan() finds the tool behind an alias, whatever stands beside it", () => {
  const steps = stepsOf([
    receipt("a"),
    { tool: "invoke_tool", args: { tool_name: "search_orders", parameters: { query: "boots" } } },
    { tool: "nothing" },
  ]);
  expect(steps.map(({ toolName }) => toolName)).toEqual(["send-receipt", "search_orders", "nothing"]);
  expect(steps.map(({ task }) => task.ok)).toEqual([true, true, false]);
});
