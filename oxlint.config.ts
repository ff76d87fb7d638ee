import { defineConfig } from "oxlint";

import { everywhere, exceptions, rulesOfFeatures, rulesOfLadder } from "./config/oxlint.rules.ts";

const GROUND = "kit kit/json contract contract/gate";
const CORE = `${GROUND} catalog`;
const RUN = `${CORE} plan state egress answer observe gate run`;
const EDGE = `${RUN} catalog/declared catalog/mcp execute turns`;
const EDGE_ROOMS = "edge/platform edge/durable edge/gate-client edge/http edge/openapi edge/endpoints";
/** Rooms of `src`, and what each may look into besides itself, types included. Nothing names a room below its own. */
const LADDER: Readonly<Record<string, string>> = {
  kit: "",
  "kit/json": "kit",
  contract: "kit kit/json",
  "contract/gate": "kit kit/json contract",
  "catalog state": GROUND,
  plan: CORE,
  egress: `${CORE} plan state`,
  "answer observe": `${CORE} plan egress`,
  gate: `${CORE} plan state egress answer observe`,
  run: `${CORE} plan state egress answer gate observe`,
  execute: RUN,
  turns: `${RUN} execute`,
  "catalog/json-schema tools/kit": CORE,
  "catalog/declared": `${CORE} catalog/json-schema egress`,
  "catalog/mcp": `${CORE} catalog/declared`,
  packs: "kit kit/json",
  "tools/*": `${CORE} tools/kit`,
  tools: `${CORE} tools/kit tools/*`,
  "console/kit": `${CORE} plan answer`,
  "console/parts": "kit/json console/kit",
  "console/editor": "console/kit console/parts",
  "console/run": "console/kit console/parts console/editor",
  "console/form console/keys": "kit/json console/kit console/parts",
  "console/views": "console/kit console/parts console/run console/form console/keys",
  console: "console/kit console/parts console/editor console/run console/form console/keys console/views",
  "edge/platform": EDGE,
  "edge/durable/tables": `${EDGE} edge/platform`,
  "edge/durable": `${EDGE} edge/platform edge/durable/tables`,
  "edge/gate-client": `${EDGE} edge/platform edge/durable`,
  "edge/http": `${EDGE} edge/platform edge/gate-client`,
  "edge/openapi": `${EDGE} edge/http`,
  "edge/endpoints": `${EDGE} edge/platform edge/http edge/openapi`,
  "package/client": "kit contract contract/gate plan answer",
  "package/testing": "kit kit/json egress edge/platform",
  package: `${EDGE} ${EDGE_ROOMS} tools tools/* package/client package/testing`,
};

export default defineConfig({
  ...everywhere,
  overrides: [...rulesOfLadder(LADDER), ...rulesOfFeatures(), ...exceptions],
});
