import { env } from "cloudflare:workers";

import { createVolley } from "../../src/edge/create-volley.ts";
import { develop } from "../../src/edge/develop.ts";
import { PACK_TOOLS } from "../../src/tools/pack-tools.ts";
import { EXAMPLE_TOOLS } from "./example-tools.ts";
import { createProbeTools } from "./probe-tools.ts";
import { hasStandIn, routeUpstream } from "./upstreams/route-upstream.ts";

const { PROBE_ORIGIN } = env as unknown as { readonly PROBE_ORIGIN: string };
const probeOrigin = new URL(PROBE_ORIGIN).origin;

/**
 * The tools of `src/worker.ts`, whatever it has, with stand-ins for every upstream of those that ship; what comes with Volley
 * besides; and the probe and example tools, where there are none of their name.
 */
const served = await develop({ ...env }, async () => {
  const { default: app } = await import("../../src/worker.ts");
  const { options } = app;
  const shipped = [...options.tools, ...PACK_TOOLS];
  const taken = new Set(shipped.map(({ name }) => name));
  const more = [...createProbeTools(probeOrigin), ...EXAMPLE_TOOLS].filter(({ name }) => !taken.has(name));
  return createVolley({
    ...options,
    tools: [...shipped, ...more],
    send: (url, init) => (hasStandIn(url) ? routeUpstream(new Request(url, init)) : null) ?? fetch(url, init),
    trustedOrigins: [probeOrigin],
  });
});

export default served.app;
export const TenantGate = served.TenantGate;
export const ToolGate = served.ToolGate;
