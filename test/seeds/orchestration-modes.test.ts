import * as z from "zod";
import { expect, test } from "vitest";

import { createCatalog } from "../support/create-catalog.ts";
import { defineTool, type Tool } from "../../src/core/catalog/define-tool.ts";
import { toolSchema } from "../../src/core/catalog/tool-schema.ts";
import { orchestrationSchema } from "../../src/core/contract/orchestration.ts";
import { declareTool } from "../support/sample-tools.ts";

/** Declare a tool under a contract given as the document gives it: as the JSON of a tool definition. */
function toolUnder(name: string, definition: string): Tool {
  const contract = (JSON.parse(definition) as { "x-orchestration": never })["x-orchestration"];
  const input = z.strictObject({ document_id: z.string().optional() });
  return defineTool(declareTool({ name, input, orchestration: contract }));
}

const underMode = (name: string, mode: string) => toolUnder(name, `{"x-orchestration": {"mode": "${mode}"}}`);

/** The document's own declarations, to the letter. */
const DEPENDENT = `{
"x-orchestration": {
"mode": "dependent",
"depends_on": [
{
"tool": "search_documents",
"required_fields": ["document_id"]
}
]
}
}`;
const BOUNDED = `{
"x-orchestration": {
"mode": "fan-out-bounded",
"max_concurrency": 5,
"backoff": { "strategy": "exponential", "initial_ms": 200 }
}
}`;

const SEARCH = underMode("search_documents", "parallel-safe");

test("'A tool definition should declare exactly one orchestration mode': these four, and no contract without one", () => {
  const { mode } = orchestrationSchema().def.shape;
  expect(mode.options).toEqual(["parallel-safe", "sequential-only", "fan-out-bounded", "dependent"]);
  expect(() => toolUnder("modeless", '{"x-orchestration": {}}')).toThrow(
    "Cannot define tool 'modeless': 'orchestration' is invalid: mode",
  );
});

test.each([
  ["dependent", "fetch_document", DEPENDENT],
  ["fan-out-bounded", "embed", BOUNDED],
  ["parallel-safe", "lookup", '{"x-orchestration": {"mode": "parallel-safe"}}'],
  ["sequential-only", "rerank", '{"x-orchestration": {"mode": "sequential-only"}}'],
])(
  "'under an x-orchestration extension': a %s contract travels as it was declared",
  (_, name, definition) => {
    const tool = createCatalog([SEARCH, toolUnder(name, definition)]).get(name)!;
    expect({ "x-orchestration": toolSchema(tool)["x-orchestration"] }).toMatchObject(
      JSON.parse(definition) as object,
    );
  },
);

test("'fan-out-bounded: parallel calls allowed up to a declared concurrency limit'", () => {
  expect(toolUnder("embed", BOUNDED).concurrency).toBe(5);
});

test("'sequential-only: the agent should serialize calls'", () => {
  expect(underMode("rerank", "sequential-only").concurrency).toBe(1);
});

test("'parallel-safe: may be invoked any number of times concurrently'", () => {
  expect(underMode("vector_search", "parallel-safe").concurrency).toBe(Number.POSITIVE_INFINITY);
});

test("'Multi-region weather lookup: max_concurrency: 10 and partial-success semantics'", () => {
  const tool = toolUnder(
    "get_weather",
    '{"x-orchestration": {"mode": "fan-out-bounded", "max_concurrency": 10, "on_error": "partial-success"}}',
  );
  expect(tool).toMatchObject({ concurrency: 10, orchestration: { on_error: "partial-success" } });
});

test("'Webhook fan-out from a workflow tool: fan-out-bounded with max_concurrency: 25'", () => {
  const definition = '{"x-orchestration": {"mode": "fan-out-bounded", "max_concurrency": 25}}';
  expect(toolUnder("dispatch_event", definition).concurrency).toBe(25);
});

test("'Unbounded fan-out': a bounded tool without a cap fails at start-up, naming the tool", () => {
  expect(() => underMode("embed", "fan-out-bounded")).toThrow(
    "Cannot define tool 'embed': mode 'fan-out-bounded' needs 'max_concurrency'",
  );
});

test("'Implicit dependencies': a dependent tool without depends_on fails at start-up, naming the tool", () => {
  expect(() => underMode("fetch_document", "dependent")).toThrow(
    "Cannot define tool 'fetch_document': mode 'dependent' needs 'depends_on'",
  );
});

test("a dependency on a tool that does not exist fails at start-up, naming both", () => {
  expect(() => createCatalog([toolUnder("fetch_document", DEPENDENT)])).toThrow(
    "'fetch_document' depends on the unknown tool 'search_documents'",
  );
});

test("dependencies in a circle, which no 'topological ordering' has, fail at start-up, naming the tools", () => {
  const back = DEPENDENT.replace("search_documents", "fetch_document");
  expect(() =>
    createCatalog([toolUnder("search_documents", back), toolUnder("fetch_document", DEPENDENT)]),
  ).toThrow("search_documents → fetch_document → search_documents");
});

test("a name that is used twice fails at start-up, naming the tool", () => {
  expect(() => createCatalog([SEARCH, underMode("search_documents", "parallel-safe")])).toThrow(
    "two tools are named 'search_documents'",
  );
});
