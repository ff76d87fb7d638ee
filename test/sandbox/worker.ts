import { env } from "cloudflare:workers";

import { createVolley } from "../../src/edge/create-volley.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { EXAMPLE_TOOLS } from "./example-tools.ts";
import { createProbeTools } from "./probe-tools.ts";
import { hasStandIn, routeUpstream } from "./upstreams/route-upstream.ts";

const { PROBE_ORIGIN: probeOrigin } = env as unknown as { readonly PROBE_ORIGIN: string };

/** Volley as it ships, with stand-ins for every upstream, the probe tools and the example tools. */
const volley = createVolley({
  tools: [...SHIPPED_TOOLS, ...createProbeTools(probeOrigin), ...EXAMPLE_TOOLS],
  send: (url, init) => (hasStandIn(url) ? routeUpstream(new Request(url, init)) : null) ?? fetch(url, init),
  trustedOrigins: [probeOrigin],
});

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
