/**
 * Measure the cost of 500 added tools of a tenant to an isolate: reading them, planning with them, finding one.
 *
 *   node lab/bench/added-tools.ts
 */
import { createCatalog } from "../../test/support/create-catalog.ts";
import { discoverTools } from "../../src/features/discovery/discover-tools.ts";
import { parseBatch } from "../../src/core/contract/batch.ts";
import type { KeptTool } from "../../src/core/contract/gate/kept-tool.ts";
import { makePlan } from "../../src/core/plan/make-plan.ts";
import { toHeadJson } from "../../src/core/catalog/tool-head.ts";
import { createCompiler, ToolRegistry } from "../../src/features/added-tools/tool-registry.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { median } from "./statistics.ts";

const TOOLS = 500;
const ROUNDS = 50;
const ASKED = { detail: "summary", limit: 10 } as const;
const CALLER = {
  name: "bench",
  tenant: "bench",
  tools: ["*"],
  quota: { limit: 1, windowS: 60 },
  flags: [],
};

/** Tools of about 2 KB, as an import of a large API makes them. */
const kept = Array.from({ length: TOOLS }, (_, index): KeptTool => {
  const name = `shop_operation_${index}`;
  const properties = Object.fromEntries(
    Array.from({ length: 12 }, (__, at) => [
      `field_${at}`,
      {
        type: "string",
        description: `Field ${at} of operation ${index}, as the document describes it at length.`,
      },
    ]),
  );
  const declaration = {
    name,
    summary: `Do operation ${index} of the shop`,
    description: `Operation ${index}: what it does, what it answers and when to use it instead of another one.`,
    category: `group_${index % 20}`,
    actions: ["read"],
    is_write: false,
    input_schema: { type: "object", properties, required: ["field_0"] },
    http: { method: "GET", url: `https://api.example.com/operations/${index}` },
  };
  const json = JSON.stringify(declaration);
  return { name, version: index + 1, fingerprint: String(index), headJson: toHeadJson(declaration), json };
});
const names = kept.map(({ name }) => name);

const shipped = createCatalog(SHIPPED_TOOLS);
const registryOf = () => new ToolRegistry({ shipped, compile: createCompiler(new Map()), hasFlows: false });
const page = { version: TOOLS, complete: true, names, tools: kept };
const body = {
  actions: Array.from({ length: 50 }, (_, at) => ({ tool: names[at * 10], args: { field_0: "x" } })),
};
const unknown = { actions: Array.from({ length: 50 }, (_, at) => ({ tool: `nobody_${at}`, args: {} })) };
const planOf = (sent: object) => () => {
  const batch = parseBatch(sent, 10_000);
  if (!batch.ok) throw new Error(batch.error.hint);
  return makePlan(batch.value, catalog);
};

const registry = registryOf();
registry.take("bench", page);
const catalog = registry.catalogOf(CALLER)!;
let version = TOOLS;

report("read 500 tools", () => {
  const fresh = registryOf();
  fresh.take("bench", page);
  return fresh.catalogOf(CALLER);
});
report("read one that changed", () => {
  version += 1;
  const changed = { ...kept[0]!, version, fingerprint: String(version) };
  registry.take("bench", { version, complete: true, names, tools: [changed] });
  return registry.catalogOf(CALLER);
});
report("plan 50 actions of 50 of them", planOf(body));
report("plan 50 unknown names", planOf(unknown));
report("discover, the first time of a version", () =>
  discoverTools({ ...ASKED, query: "operation of the shop" }, shipped.extend(catalog.tools.slice(-TOOLS), 1)),
);
report("discover", () => discoverTools({ ...ASKED, query: "operation 77 of the shop" }, catalog));
report("discover what few have", () => discoverTools({ ...ASKED, query: "weather in a city" }, catalog));

function report(what: string, work: () => unknown): void {
  for (let warm = 0; warm < 10; warm += 1) work();
  const times = Array.from({ length: ROUNDS }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  console.log(`${what}: ${median(times).toFixed(2)} ms`);
}
