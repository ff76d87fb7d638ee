import { env } from "cloudflare:workers";

import { createVolley } from "../../src/edge/create-volley.ts";
import { develop } from "../../src/edge/develop.ts";
import { PACK_TOOLS } from "../../src/tools/pack-tools.ts";
import { WORKSPACE_TOOLS } from "../../src/tools/workspace-tools.ts";
import { EXAMPLE_TOOLS } from "./example-tools.ts";
import { createProbeTools } from "./probe-tools.ts";
import { hasStandIn, routeUpstream } from "./upstreams/route-upstream.ts";

const { PROBE_ORIGIN, WORKSPACE } = env as unknown as Readonly<Record<string, string>>;
const probeOrigin = new URL(PROBE_ORIGIN!).origin;

/**
 * The tools of `src/worker.ts`, whatever it has, with stand-ins for every upstream of those that ship; what comes with Volley
 * besides; and the probe and example tools, where there are none of their name.
 */
const served = await develop({ ...env }, async () => {
  const { default: app } = await import("../../src/worker.ts");
  const { options } = app;
  const probes = [...createProbeTools(probeOrigin), ...EXAMPLE_TOOLS];
  // Four tools of the workspace have the names of stand-ins, which tests of other things rely on.
  const stoodFor = new Set(WORKSPACE === "on" ? [] : probes.map(({ name }) => name));
  const workspace = WORKSPACE_TOOLS.filter(({ name }) => !stoodFor.has(name));
  const shipped = [...options.tools, ...PACK_TOOLS, ...workspace];
  const taken = new Set(shipped.map(({ name }) => name));
  const more = probes.filter(({ name }) => !taken.has(name));
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
export const Workspace = served.Workspace;
