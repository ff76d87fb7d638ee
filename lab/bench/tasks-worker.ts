import { env } from "cloudflare:workers";

import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { makeTaskTools } from "./tasks/task-tools.ts";

// Volley with the two tools of the published tasks, as somebody would deploy it.

const { UPSTREAM_ORIGIN: origin } = env as unknown as { readonly UPSTREAM_ORIGIN: string };
const volley = createVolley({ tools: makeTaskTools(origin), trustedOrigins: [origin] });

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
