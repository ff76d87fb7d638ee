import { env } from "cloudflare:workers";

import { createVolley } from "../../src/edge/create-volley.ts";
import { develop } from "../../src/edge/develop.ts";
import { EXAMPLE_TOOLS } from "./example-tools.ts";
import { createProbeTools } from "./probe-tools.ts";
import { hasStandIn, routeUpstream } from "./upstreams/route-upstream.ts";

const { PROBE_ORIGIN } = env as unknown as { readonly PROBE_ORIGIN: string };
const probeOrigin = new URL(PROBE_ORIGIN).origin;

/**
 * The tools of `src/worker.ts`, whatever it has, with stand-ins for every upstream of those that ship; and the probe and
 * example tools, where it has none of their name.
 */
const served = await develop({ ...env }, async () => {
  const { default: app } = await import("../../src/worker.ts");
  const { options } = app;
  const taken = new Set(options.tools.map(({ name }) => name));
  const more = [...createProbeTools(probeOrigin), ...EXAMPLE_TOOLS].filter(({ name }) => !taken.has(name));
  return createVolley({
    ...options,
    tools: [...options.tools, ...more],
    send: (url, init) => (hasStandIn(url) ? routeUpstream(new Request(url, init)) : null) ?? fetch(url, init),
    trustedOrigins: [probeOrigin],
    toolSecrets: JSON.stringify({ SANDBOX_SECRET: { tenants: ["sandbox-admin"], hosts: [probeOrigin] } }),
  });
});

export default served.app;
export const TenantGate = served.TenantGate;
export const ToolGate = served.ToolGate;
