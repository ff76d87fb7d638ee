import { env } from "cloudflare:workers";

import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { develop } from "../../src/cloudflare/develop.ts";
import { connections } from "../../src/features/connections/index.ts";
import { workspace } from "../../src/features/workspace/index.ts";
import { OPT_IN_TOOLS } from "../../src/tools/opt-in-tools.ts";
import { PACK_TOOLS } from "../../src/tools/pack-tools.ts";
import { WORKSPACE_TOOLS } from "../../src/tools/workspace-tools.ts";
import { EXAMPLE_TOOLS } from "./example-tools.ts";
import { createFiller } from "./fill-database.ts";
import { createProbeTools } from "./probe-tools.ts";
import { withModel } from "./serve-model.ts";
import { withSignInPages } from "./sign-in-pages.ts";
import { EXAMPLES_HOST } from "./upstreams/examples.ts";
import { PAGE_HOSTS } from "./upstreams/pages.ts";
import { PROGRAMS_HOST } from "./upstreams/programs.ts";
import { hasStandIn, routeUpstream } from "./upstreams/route-upstream.ts";

const { PROBE_ORIGIN, WORKSPACE, CONFIRM_CONNECTIONS } = env as unknown as Readonly<Record<string, string>>;
const probeOrigin = new URL(PROBE_ORIGIN!).origin;
const fill = createFiller(env);

/**
 * The tools of `src/worker.ts`, whatever it has, with stand-ins for every upstream of those that ship; and those that need a
 * binding, the probe and the example tools, if it has none of their name.
 */
const served = await develop(env, async () => {
  const { default: app } = await import("../../src/worker.ts");
  const { options } = app;
  const probes = [...createProbeTools(probeOrigin), ...EXAMPLE_TOOLS];
  // Four tools of the workspace have the names of probes, which tests of other things rely on: the first in the list has the
  // name.
  const named = WORKSPACE === "on" ? [...WORKSPACE_TOOLS, ...probes] : [...probes, ...WORKSPACE_TOOLS];
  const taken = new Set<string>();
  const tools = [...options.tools, ...Object.values(OPT_IN_TOOLS).flat(), ...PACK_TOOLS, ...named].filter(
    ({ name }) => !taken.has(name) && taken.add(name),
  );
  const { app: sandbox, ...objects } = createVolley({
    ...options,
    tools: tools.map(fill),
    features: [
      ...options.features!.filter(({ name }) => name !== "connections"),
      connections({ confirmsItself: CONFIRM_CONNECTIONS !== "on" }),
      workspace(),
    ],
    send: (url, init) => (hasStandIn(url) ? routeUpstream(new Request(url, init)) : null) ?? fetch(url, init),
    // Reserved names, which a caller may only name here.
    trustedOrigins: [
      probeOrigin,
      ...[EXAMPLES_HOST, PROGRAMS_HOST, ...PAGE_HOSTS].map((host) => `https://${host}`),
    ],
    toolSecrets: JSON.stringify({ SANDBOX_SECRET: { tenants: ["sandbox-admin"], hosts: [probeOrigin] } }),
  });
  return { default: { ...sandbox, fetch: withModel(withSignInPages(sandbox.fetch)) }, ...objects };
});

export default served.default;
export const TenantGate = served.TenantGate;
export const ToolGate = served.ToolGate;
export const KeyShard = served.KeyShard;
export const RunLog = served.RunLog;
export const OperatorLog = served.OperatorLog;
export const EndpointDirectory = served.EndpointDirectory;
export const EndpointShard = served.EndpointShard;
export const SignInStore = served.SignInStore;
export const ConnectionShard = served.ConnectionShard;
export const Workspace = served.Workspace;
