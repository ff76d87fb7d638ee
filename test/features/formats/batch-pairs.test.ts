import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { describeBatchTool } from "../../../src/features/discovery/batch-tool.ts";
import { createCatalog } from "../../support/create-catalog.ts";
import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import { type JsonSchema, toolSchema } from "../../../src/core/catalog/tool-schema.ts";
import { TOOL_FORMATS, type ToolFormat, toToolList } from "../../../src/features/discovery/tool-list.ts";
import { OPT_IN_TOOLS } from "../../../src/tools/opt-in-tools.ts";
import { SHIPPED_TOOLS } from "../../../src/tools/shipped-tools.ts";
import { EXAMPLE_TOOLS } from "../../sandbox/example-tools.ts";
import { createProbeTools } from "../../sandbox/probe-tools.ts";
import { jsonArbitrary } from "../../support/json-arbitrary.ts";
import { trial } from "../../support/trial.ts";

/** A dependent tool has arguments that need not be sent, which its own schema does not say. */
const tools = [
  ...SHIPPED_TOOLS,
  ...Object.values(OPT_IN_TOOLS).flat(),
  ...createProbeTools("https://probe.sandbox.test"),
  ...EXAMPLE_TOOLS,
].filter(({ orchestration }) => orchestration.mode !== "dependent");
const described = [describeBatchTool(createCatalog(tools))];

const own = new Map(tools.map((tool) => [tool, new Validator(toolSchema(tool), "2020-12")]));

/** Whether the schema of `execute_actions` in a format takes an action. */
function actionsIn(format: ToolFormat): (action: object) => boolean {
  const [listed] = toToolList(described, format) as Record<string, unknown>[];
  const [declared] = (listed!["functionDeclarations"] ?? [listed!["function"] ?? listed]) as object[];
  const { input_schema, inputSchema, parameters } = declared as Record<string, JsonSchema>;
  const validator = new Validator((input_schema ?? inputSchema ?? parameters)!, "2020-12");
  return (action) => validator.validate({ actions: [action] }).valid;
}

type Args = Readonly<Record<string, unknown>>;

const argsFor = (tool: Tool): fc.Arbitrary<Args> =>
  jsonArbitrary(toolSchema(tool), () => undefined) as fc.Arbitrary<Args>;
const anyTool = fc.constantFrom(...tools);
const anyValue = fc.oneof(fc.constantFrom("", "x", 0, 1.5, -1, true, [], ["x"], {}), fc.jsonValue());

/** Arguments as a tool takes them, as another does, or with one that is wrong, missing or unknown. */
const pair = anyTool.chain((tool) =>
  fc.record({
    tool: fc.constant(tool),
    args: fc.oneof(
      argsFor(tool),
      anyTool.chain(argsFor),
      fc
        .record({ args: argsFor(tool), name: fc.nat(), value: fc.option(anyValue, { nil: undefined }) })
        .map(({ args, name, value }) => {
          const names = [...Object.keys(toolSchema(tool)["properties"] as object), "unknown"];
          return JSON.parse(JSON.stringify({ ...args, [names[name % names.length]!]: value })) as Args;
        }),
    ),
  }),
);

describe.each(TOOL_FORMATS)("execute_actions in %s", (format) => {
  const takes = actionsIn(format);

  trial(
    "takes of every tool the arguments that its own schema takes, and no others where the format can say so",
    () => {
      const seen = { right: 0, wrong: 0 };
      fc.assert(
        fc.property(pair, ({ tool, args }) => {
          const isRight = own.get(tool)!.validate(args).valid;
          seen[isRight ? "right" : "wrong"] += 1;
          const isTaken = takes({ tool: tool.name, args });
          // Gemini's subset cannot say everything; what it is told must not keep it from anything right.
          expect(format === "gemini" ? isTaken || !isRight : isTaken === isRight).toBe(true);
        }),
        { numRuns: 300 },
      );
      expect(Math.min(seen.right, seen.wrong)).toBeGreaterThan(30);
    },
  );

  trial("takes a reference in place of any argument, and of all at once", () => {
    const REF = { $ref: "a#/b" };
    for (const tool of tools) {
      const names = Object.keys(toolSchema(tool)["properties"] as object);
      const args = Object.fromEntries(names.map((name) => [name, REF]));
      expect(takes({ tool: tool.name, args, for_each: REF, select: ["/a"] }), tool.name).toBe(true);
    }
    fc.assert(
      fc.property(
        anyTool.chain((tool) => fc.record({ tool: fc.constant(tool), args: argsFor(tool), at: fc.nat() })),
        ({ tool, args, at }) => {
          fc.pre(own.get(tool)!.validate(args).valid && Object.keys(args).length > 0);
          const names = Object.keys(args);
          const name = names[at % names.length]!;
          expect(takes({ tool: tool.name, args: { ...args, [name]: REF } })).toBe(true);
        },
      ),
    );
  });

  test("takes no tool that is not there, no arguments of another tool and no unknown field", () => {
    expect(takes({ tool: "probe-echo", args: { n: 1 } })).toBe(true);
    expect(takes({ tool: "no-such-tool", args: { n: 1 } })).toBe(false);
    expect(takes({ tool: "search_documents", args: { n: 1 } })).toBe(false);
    expect(takes({ args: { n: 1 } })).toBe(false);
    expect(takes({ tool: "probe-echo", args: { n: 1 }, ids: "a" })).toBe(format === "gemini");
  });
});
