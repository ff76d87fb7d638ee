import { posix } from "node:path";

import { defineConfig, type OxlintOverride } from "oxlint";

import { coreRules, everywhere, exceptions, noPlatform } from "./oxlint.rules.ts";

const CORE = "kit kit/json contract contract/gate catalog";
const EDGE = `${CORE} catalog/declared catalog/mcp catalog/flow clock shell plan state egress hooks answer observe gate approve run flows executor formats formats/openapi registry agent agent/dialect keys`;
const EDGE_ROOMS =
  "edge/platform edge/durable edge/gate-client edge/http edge/triggers edge/mcp edge/openapi edge/manage edge/endpoints";
const TOOL = "kit kit/json contract contract/gate catalog";
/** Every room of `src` and what it may look into besides itself, types included. Nothing names a room below its own. */
const LADDER: Readonly<Record<string, string>> = {
  kit: "",
  "kit/json": "kit",
  contract: "kit kit/json",
  "contract/gate": "kit kit/json contract",
  shell: "kit",
  clock: "kit kit/json contract contract/gate",
  catalog: "kit kit/json contract contract/gate",
  plan: `${CORE} shell`,
  state: "kit kit/json contract contract/gate",
  egress: `${CORE} plan state`,
  hooks: "kit kit/json contract contract/gate egress",
  observe: `${CORE} plan egress`,
  answer: `${CORE} plan egress`,
  gate: `${CORE} plan state egress answer observe`,
  approve: `${CORE} plan state egress answer gate`,
  run: `${CORE} plan state egress answer gate approve observe`,
  flows: `${CORE} catalog/json-schema catalog/declared catalog/flow plan state egress answer gate approve run`,
  executor: `${CORE} plan state egress answer gate approve run flows`,
  "catalog/json-schema": CORE,
  "catalog/declared": `${CORE} catalog/json-schema egress`,
  "catalog/mcp": `${CORE} catalog/declared`,
  "catalog/flow": `${CORE} catalog/json-schema catalog/declared plan clock hooks`,
  formats: CORE,
  "formats/openapi": `${CORE} catalog/declared formats`,
  keys: "kit kit/json contract contract/gate",
  registry: `${CORE} catalog/declared catalog/mcp catalog/flow clock`,
  packs: "kit kit/json",
  "tools/*": `${TOOL} tools/kit`,
  "tools/kit": TOOL,
  tools: `${TOOL} tools/kit tools/*`,
  "agent/dialect": `${CORE} formats`,
  agent: `${CORE} plan state egress answer observe gate approve run executor formats agent/dialect`,
  "console/kit": `${CORE} plan answer`,
  "console/parts": "console/kit",
  "console/editor": "console/kit console/parts",
  "console/run": "console/kit console/parts console/editor",
  "console/form": "console/kit console/parts",
  "console/keys": "console/kit console/parts",
  "console/views": "console/kit console/parts console/run console/form console/keys",
  console: "console/kit console/parts console/editor console/run console/form console/keys console/views",
  "edge/platform": EDGE,
  "edge/durable/tables": `${EDGE} edge/platform`,
  "edge/durable": `${EDGE} edge/platform edge/durable/tables`,
  "edge/gate-client": `${EDGE} edge/platform edge/durable`,
  "edge/http": `${EDGE} edge/platform edge/gate-client`,
  "edge/triggers": `${EDGE} edge/platform edge/http`,
  "edge/mcp": `${EDGE} edge/platform edge/http`,
  "edge/openapi": `${EDGE} edge/http`,
  "edge/manage": `${EDGE} edge/platform edge/http edge/mcp edge/openapi`,
  "edge/endpoints": `${EDGE} edge/platform edge/http edge/mcp edge/openapi edge/manage`,
  "package/client": "kit contract contract/gate plan answer",
  "package/testing": "kit kit/json egress edge/platform",
  package: `${EDGE} ${EDGE_ROOMS} tools tools/* package/client package/testing`,
};

/** What an import of `to` looks like in a file of `from`; the executor stands beside the rooms. */
function wayFrom(from: string, to: string): string {
  const way = posix.relative(from === "executor" ? "" : from, to);
  return `^${(way.startsWith(".") ? way : `./${way}`).replaceAll(".", "\\.").replace("*", "[\\w-]+")}(/[^/]+)?\\.tsx?$`;
}

function ladderOf([room, allowed]: [string, string]): OxlintOverride {
  const refused = [...Object.keys(LADDER), "worker"].filter(
    (to) => !` ${allowed} ${room} `.includes(` ${to} `),
  );
  const message = `Not from ${room}: see ARCHITECTURE.md, "Who may import whom".`;
  const patterns = refused.map((to) => ({ regex: wayFrom(room, to), message }));
  const hasPlatform = /^(?:edge|package|console)/.test(room);
  const imports = { patterns: hasPlatform ? patterns : [...patterns, noPlatform] };
  const files = [room === "executor" ? "src/executor.ts" : `src/${room}/*.{ts,tsx}`];
  return {
    files,
    rules: { ...(!hasPlatform && coreRules), "eslint/no-restricted-imports": ["error", imports] },
  };
}

export default defineConfig({
  ...everywhere,
  overrides: [...Object.entries(LADDER).map(ladderOf), ...exceptions],
});
