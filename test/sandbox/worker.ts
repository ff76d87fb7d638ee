import { env } from "cloudflare:workers";

import { createVolley } from "../../src/edge/create-volley.ts";
import { develop } from "../../src/edge/develop.ts";
import { OPT_IN_TOOLS } from "../../src/tools/opt-in-tools.ts";
import { PACK_TOOLS } from "../../src/tools/pack-tools.ts";
import { EXAMPLE_TOOLS } from "./example-tools.ts";
import { createFiller } from "./fill-database.ts";
import { createProbeTools } from "./probe-tools.ts";
import { EXAMPLES_HOST } from "./upstreams/examples.ts";
import { PAGE_HOSTS } from "./upstreams/pages.ts";
import { hasStandIn, routeUpstream } from "./upstreams/route-upstream.ts";

const { PROBE_ORIGIN } = env as unknown as { readonly PROBE_ORIGIN: string };
const probeOrigin = new URL(PROBE_ORIGIN).origin;
const fill = createFiller(env);

/**
 * The tools of `src/worker.ts`, whatever it has, with stand-ins for every upstream of those that ship; and those that need a
 * binding, the probe and the example tools, where it has none of their name.
 */
const served = await develop({ ...env }, async () => {
  const { default: app } = await import("../../src/worker.ts");
  const { options } = app;
  const taken = new Set(options.tools.map(({ name }) => name));
  const own = [
    ...Object.values(OPT_IN_TOOLS).flat(),
    ...PACK_TOOLS,
    ...createProbeTools(probeOrigin),
    ...EXAMPLE_TOOLS,
  ];
  const more = own.filter(({ name }) => !taken.has(name));
  return createVolley({
    ...options,
    tools: [...options.tools, ...more].map(fill),
    send: (url, init) => (hasStandIn(url) ? routeUpstream(new Request(url, init)) : null) ?? fetch(url, init),
    // Names that nobody can have, which a caller may only name here.
    trustedOrigins: [probeOrigin, ...[EXAMPLES_HOST, ...PAGE_HOSTS].map((host) => `https://${host}`)],
    toolSecrets: JSON.stringify({ SANDBOX_SECRET: { tenants: ["sandbox-admin"], hosts: [probeOrigin] } }),
  });
});

export default served.app;
export const TenantGate = served.TenantGate;
export const ToolGate = served.ToolGate;
