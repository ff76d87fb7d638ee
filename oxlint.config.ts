import { defineConfig } from "oxlint";

import { everywhere, exceptions, rulesOfLadder } from "./oxlint.rules.ts";

const GROUND = "kit kit/json contract contract/gate";
const CORE = `${GROUND} catalog`;
const EDGE = `${CORE} catalog/declared catalog/mcp catalog/flow clock shell plan state egress hooks answer observe gate approve run flows executor formats formats/openapi registry agent agent/dialect keys`;
const EDGE_ROOMS =
  "edge/platform edge/durable edge/gate-client edge/http edge/triggers edge/mcp edge/openapi edge/manage edge/endpoints";
/** Rooms of `src`, and what each may look into besides itself, types included. Nothing names a room below its own. */
const LADDER: Readonly<Record<string, string>> = {
  kit: "",
  "kit/json": "kit",
  contract: "kit kit/json",
  "contract/gate": "kit kit/json contract",
  shell: "kit",
  "catalog clock keys state": GROUND,
  plan: `${CORE} shell`,
  egress: `${CORE} plan state`,
  hooks: `${GROUND} egress`,
  "answer observe": `${CORE} plan egress`,
  gate: `${CORE} plan state egress answer observe`,
  approve: `${CORE} plan state egress answer gate`,
  run: `${CORE} plan state egress answer gate approve observe`,
  flows: `${CORE} catalog/json-schema catalog/declared catalog/flow plan state egress answer gate approve run`,
  executor: `${CORE} plan state egress answer gate approve run flows`,
  "catalog/json-schema formats tools/kit": CORE,
  "catalog/declared": `${CORE} catalog/json-schema egress`,
  "catalog/mcp": `${CORE} catalog/declared`,
  "catalog/flow": `${CORE} catalog/json-schema catalog/declared plan clock hooks`,
  "formats/openapi": `${CORE} catalog/declared formats`,
  registry: `${CORE} catalog/declared catalog/mcp catalog/flow clock`,
  packs: "kit kit/json",
  "tools/*": `${CORE} tools/kit`,
  tools: `${CORE} tools/kit tools/*`,
  "agent/dialect": `${CORE} formats`,
  agent: `${CORE} plan state egress answer observe gate approve run executor formats agent/dialect`,
  "console/kit": `${CORE} plan answer`,
  "console/parts": "console/kit",
  "console/editor": "console/kit console/parts",
  "console/run": "console/kit console/parts console/editor",
  "console/form console/keys": "console/kit console/parts",
  "console/views": "console/kit console/parts console/run console/form console/keys",
  console: "console/kit console/parts console/editor console/run console/form console/keys console/views",
  "edge/platform": EDGE,
  "edge/durable/tables": `${EDGE} edge/platform`,
  "edge/durable": `${EDGE} edge/platform edge/durable/tables`,
  "edge/gate-client": `${EDGE} edge/platform edge/durable`,
  "edge/http": `${EDGE} edge/platform edge/gate-client`,
  "edge/triggers edge/mcp": `${EDGE} edge/platform edge/http`,
  "edge/openapi": `${EDGE} edge/http`,
  "edge/manage": `${EDGE} edge/platform edge/http edge/mcp edge/openapi`,
  "edge/endpoints": `${EDGE} edge/platform edge/http edge/mcp edge/openapi edge/manage`,
  "package/client": "kit contract contract/gate plan answer",
  "package/testing": "kit kit/json egress edge/platform",
  package: `${EDGE} ${EDGE_ROOMS} tools tools/* package/client package/testing`,
};

export default defineConfig({ ...everywhere, overrides: [...rulesOfLadder(LADDER), ...exceptions] });
