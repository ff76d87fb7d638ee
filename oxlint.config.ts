import { defineConfig } from "oxlint";

import { everywhere, exceptions, rulesOfFeatures, rulesOfLadder } from "./config/oxlint.rules.ts";

const GROUND = "core/kit core/kit/json core/contract core/contract/gate";
const CORE = `${GROUND} core/catalog`;
const RUN = `${CORE} core/plan core/gate/state core/egress core/answer core/observe core/gate core/run`;
const EDGE = `${RUN} core/run/execute`;
const EDGE_ROOMS =
  "cloudflare/platform cloudflare/durable cloudflare/gate-client cloudflare/http cloudflare/openapi cloudflare/routes cloudflare/page";
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
  turns: `${RUN} core/run/execute`,
  "tools/kit": CORE,
  packs: "core/kit core/kit/json",
  "tools/*": `${CORE} tools/kit`,
  tools: `${CORE} tools/kit tools/*`,
  "package/client": "core/kit core/contract core/contract/gate core/plan core/answer",
  "console/kit": `${CORE} core/plan core/answer package/client`,
  "console/parts": "core/kit/json console/kit",
  "console/editor": "core/kit console/kit console/parts",
  "console/run": "console/kit console/parts console/editor",
  "console/form console/keys": "core/kit/json console/kit console/parts",
  "console/jobs console/tools": "console/kit console/parts console/run console/form",
  "features/*/console": PAGES,
  console: `${PAGES} console/editor console/tools`,
  "cloudflare/platform": EDGE,
  "cloudflare/durable/tables": `${EDGE} cloudflare/platform`,
  "cloudflare/durable": `${EDGE} cloudflare/platform cloudflare/durable/tables`,
  "cloudflare/gate-client": `${EDGE} cloudflare/platform cloudflare/durable`,
  "cloudflare/http": `${EDGE} cloudflare/platform cloudflare/gate-client`,
  "cloudflare/page": EDGE,
  "cloudflare/openapi": `${EDGE} cloudflare/http`,
  "cloudflare/routes": `${EDGE} cloudflare/platform cloudflare/http cloudflare/openapi`,
  feature: `${EDGE} ${EDGE_ROOMS}`,
  "package/here":
    "core/kit core/kit/json core/contract core/catalog core/egress core/plan core/answer core/run package/client",
  "package/testing": "core/kit core/kit/json core/egress cloudflare/platform",
  package: `${EDGE} ${EDGE_ROOMS} feature tools tools/* package/client package/here package/testing`,
};

export default defineConfig({
  ...everywhere,
  overrides: [...rulesOfLadder(LADDER), ...rulesOfFeatures(), ...exceptions],
});
