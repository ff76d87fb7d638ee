import { defineConfig } from "oxlint";

import { everywhere, exceptions, rulesOfFeatures, rulesOfLadder } from "./config/oxlint.rules.ts";

const GROUND = "core/kit core/kit/json core/contract core/contract/gate";
const CORE = `${GROUND} core/catalog`;
const RUN = `${CORE} core/plan core/gate/state core/egress core/answer core/observe core/gate core/run`;
const EDGE = `${RUN} core/run/execute core/run/turns`;
const EDGE_ROOMS =
  "core/edge/platform core/edge/durable core/edge/gate-client core/edge/http core/edge/openapi core/edge/endpoints core/edge/page";
const PAGES = "console/kit console/parts console/run console/form console/keys console/jobs";
/** Rooms of `src`, and what each may look into besides itself, types included. Nothing names a room below its own. */
const LADDER: Readonly<Record<string, string>> = {
  "core/kit": "",
  "core/kit/json": "core/kit",
  "core/contract": "core/kit core/kit/json",
  "core/contract/gate": "core/kit core/kit/json core/contract",
  "core/catalog core/gate/state": GROUND,
  "core/plan": CORE,
  "core/egress": `${CORE} core/plan core/gate/state`,
  "core/answer core/observe": `${CORE} core/plan core/egress`,
  "core/gate": `${CORE} core/plan core/gate/state core/egress core/answer core/observe`,
  "core/run": `${CORE} core/plan core/gate/state core/egress core/answer core/gate core/observe`,
  "core/run/execute": RUN,
  "core/run/turns": `${RUN} core/run/execute`,
  "tools/kit": CORE,
  packs: "core/kit core/kit/json",
  "tools/*": `${CORE} tools/kit`,
  tools: `${CORE} tools/kit tools/*`,
  "console/kit": `${CORE} core/plan core/answer`,
  "console/parts": "core/kit/json console/kit",
  "console/editor": "console/kit console/parts",
  "console/run": "console/kit console/parts console/editor",
  "console/form console/keys": "core/kit/json console/kit console/parts",
  "console/jobs console/tools": "console/kit console/parts console/run console/form",
  "features/*/console": PAGES,
  console: `${PAGES} console/editor console/tools`,
  "core/edge/platform": EDGE,
  "core/edge/durable/tables": `${EDGE} core/edge/platform`,
  "core/edge/durable": `${EDGE} core/edge/platform core/edge/durable/tables`,
  "core/edge/gate-client": `${EDGE} core/edge/platform core/edge/durable`,
  "core/edge/http": `${EDGE} core/edge/platform core/edge/gate-client`,
  "core/edge/page": EDGE,
  "core/edge/openapi": `${EDGE} core/edge/http`,
  "core/edge/endpoints": `${EDGE} core/edge/platform core/edge/http core/edge/openapi`,
  "package/client": "core/kit core/contract core/contract/gate core/plan core/answer",
  "package/testing": "core/kit core/kit/json core/egress core/edge/platform",
  package: `${EDGE} ${EDGE_ROOMS} tools tools/* package/client package/testing`,
};

export default defineConfig({
  ...everywhere,
  overrides: [...rulesOfLadder(LADDER), ...rulesOfFeatures(), ...exceptions],
});
