import { describe, expect, test } from "vitest";

import { parseBatch } from "../../../src/core/contract/batch.ts";
import { makePlan } from "../../../src/core/plan/make-plan.ts";
import { resolveAliases } from "../../../src/core/catalog/alias.ts";
import { SAMPLE_CATALOG } from "../../support/sample-tools.ts";
import { valueOf } from "../../support/unwrap.ts";

const entriesOf = (...actions: unknown[]) => valueOf(parseBatch({ actions }, 0)).entries;
const planOf = (...actions: unknown[]) =>
  valueOf(makePlan(valueOf(parseBatch({ actions }, 0)), SAMPLE_CATALOG));

const invoke = (tool_name: string, parameters: object, fields = {}) => ({
  tool: "invoke_tool",
  args: { tool_name, parameters },
  ...fields,
});

describe("resolveAliases()", () => {
  test("leaves a batch without aliases untouched", () => {
    const entries = entriesOf({ tool: "get_order", args: { order_id: "1" } });
    expect(resolveAliases(entries)).toBe(entries);
  });

  test("makes the action that was meant of one that names it, with its id and every other field", () => {
    const fields = { id: "mine", timeout_ms: 7, depends_on: ["a0"], select: ["/x"] };
    const [, invoked] = resolveAliases(
      entriesOf({ tool: "x" }, invoke("get_order", { order_id: "1" }, fields)),
    );
    const [, written] = entriesOf({ tool: "x" }, { tool: "get_order", args: { order_id: "1" }, ...fields });

    expect(invoked).toEqual(written);
  });

  test("reads parameters that are null as left out", () => {
    const sent = { tool: "invoke_tool", args: { tool_name: "ping", parameters: null } };
    expect(resolveAliases(entriesOf(sent))).toMatchObject([
      { tool: "ping", action: { ok: true, value: { args: {} } } },
    ]);
  });

  test("keeps the alias's name where it names no tool", () => {
    const [entry] = resolveAliases(entriesOf({ tool: "invoke_tool", args: {} }));
    expect(entry).toMatchObject({
      tool: "invoke_tool",
      action: { ok: false, error: { code: "INVALID_ARGS" } },
    });
  });

  test("escapes a name that cannot be shown", () => {
    const [entry] = resolveAliases(entriesOf(invoke("get\u200border", {})));
    expect(entry!.tool).toBe("get\\u{200b}order");
  });
});

describe("a plan with aliases", () => {
  test("is the plan of the actions that were meant: hazards, contracts, references", () => {
    const meant = [
      { tool: "search_orders", args: { query: "tea" }, id: "found" },
      { tool: "get_order", args: {}, id: "one" },
      { tool: "delete_order", args: { order_id: { $ref: "one#/order_id" } }, id: "gone" },
    ];
    const invoked = meant.map(({ tool, args, id }) => invoke(tool, args, { id }));

    const { sent } = planOf(...invoked);
    expect(planOf(...invoked)).toEqual({ ...planOf(...meant), sent });
  });

  test("says which names there are when there is no such tool", () => {
    const { steps } = planOf(invoke("get_ordr", {}), { tool: "discover_tool" });
    expect(steps.map(({ task }) => (task.ok ? "" : task.error.hint))).toEqual([
      "No tool is named 'get_ordr'. Did you mean 'get_order'? Otherwise call discover_tools to find one.",
      "No tool is named 'discover_tool'. Did you mean 'discover_tools'? Otherwise call discover_tools to find one.",
    ]);
  });
});
