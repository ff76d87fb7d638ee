import { beforeEach, describe, expect, test } from "vitest";

import type { Declaration } from "../../../../src/features/added-tools/declared/declaration.ts";
import { parseDeclaration } from "../../../../src/features/added-tools/declared/parse-declaration.ts";
import { toTool } from "../../../../src/features/added-tools/declared/to-tool.ts";
import { executeApproved } from "../../../../src/features/confirmations/execute-approved.ts";
import { TestWorld, type WireEnvelope } from "../../../support/execute-batch.ts";
import { RULES } from "../../../support/sample-declarations.ts";
import { valueOf } from "../../../support/unwrap.ts";

const sent: unknown[] = [];
beforeEach(() => void (sent.length = 0));

function declare(changes: Partial<Declaration>) {
  const declaration: Declaration = {
    name: "refund",
    summary: "Refund",
    description: "Refund.",
    category: "money",
    actions: ["refund"],
    is_write: true,
    input_schema: {
      type: "object",
      properties: {
        amount: { type: "integer", default: 500 },
        to: { type: "object", properties: { country: { type: "string", default: "KP" } } },
      },
      additionalProperties: false,
    },
    mcp: { url: "https://mcp.example.com/", tool: "refund", fingerprint: "f" },
    ...changes,
  };
  return toTool(valueOf(parseDeclaration(declaration, RULES)), {
    secrets: null,
    callMcp: async (_, args) => ({ sent: sent.push(args) }),
  });
}
const over = (when: Record<string, object>): Partial<Declaration> => ({
  orchestration: { mode: "sequential-only", confirm: { when } },
});
const gated = declare(over({ "/amount": { gte: 100 } }));
const abroad = declare(over({ "/to/country": { eq: "KP" } }));
const without = declare(over({ "/amount": { exists: false } }));
const free = declare({});

describe("T57 the condition of a tool that is data sees its schema's defaults", () => {
  test.each<[what: string, tool: typeof gated, args: object, asked: unknown, sent: unknown]>([
    ["an argument that is left out", gated, {}, { amount: 500 }, undefined],
    ["null in its place", gated, { amount: null }, { amount: 500 }, undefined],
    ["one that is given", gated, { amount: 5 }, undefined, { amount: 5 }],
    ["one inside an object", abroad, { amount: 5, to: {} }, { amount: 5, to: { country: "KP" } }, undefined],
    ["none where its object is not there", abroad, { amount: 5 }, undefined, { amount: 5 }],
    ["one that is never missing", without, {}, undefined, { amount: 500 }],
    ["none in a tool without a condition", free, {}, undefined, {}],
  ])("%s", async (_, tool, args, asked, ran) => {
    const world = new TestWorld();
    const { results } = await world.run([tool], { actions: [{ tool: "refund", args }] });
    expect(results[0]!.status).toBe(asked === undefined ? "success" : "pending_confirmation");
    expect(sent).toEqual(ran === undefined ? [] : [ran]);
    expect([...world.gate.parked.values()].flatMap((group) => group.actions.map((one) => one.args))).toEqual(
      asked === undefined ? [] : [{ kind: "call", input: asked }],
    );
  });

  test("and what was asked about is what is sent", async () => {
    const world = new TestWorld();
    await world.run([gated], { actions: [{ tool: "refund" }] });
    const [[id, group]] = [...world.gate.parked] as [[string, never]];
    const answer = await world.clock.runUntil(
      executeApproved(group, { id, by: "ann" }, world.execution([gated])),
    );
    if (!answer.ok) throw new Error(answer.error.refusal.hint);
    expect((JSON.parse(answer.value.json) as WireEnvelope).results[0]!.status).toBe("success");
    expect(sent).toEqual([{ amount: 500 }]);
  });

  test("also when it is planned, and when a reference is waited for", async () => {
    const answer = await new TestWorld().execute([gated], {
      dry_run: true,
      actions: [
        { id: "a", tool: "refund" },
        { id: "b", tool: "refund", args: { amount: 1 } },
        { id: "c", tool: "refund", args: { to: { $ref: "b#/to" } } },
      ],
    });
    if (!answer.ok) throw new Error(answer.error.refusal.hint);
    expect(JSON.parse(answer.value.json)).toMatchObject({ plan: { confirmations: ["a", "c"] }, errors: [] });
  });
});
