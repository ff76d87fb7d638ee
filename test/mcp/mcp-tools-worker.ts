import { env } from "cloudflare:workers";

import { mcpTools } from "../../src/features/added-tools/mcp/mcp-tools.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";
import list from "../fixtures/mcp-server.json" with { type: "json" };
import { ALL_FEATURES } from "../support/all-features.ts";

const { PROBE_ORIGIN } = env as unknown as { readonly PROBE_ORIGIN: string };

/** The tools of the probe upstream's MCP servers, one of each generation. */
const volley = createVolley({
  features: ALL_FEATURES,
  tools: [
    ...mcpTools({ prefix: "new", url: `${PROBE_ORIGIN}/mcp-server`, tools: list.tools }),
    ...mcpTools({ prefix: "old", url: `${PROBE_ORIGIN}/mcp-server-2025`, tools: list.tools }),
    ...mcpTools({
      prefix: "private",
      url: `${PROBE_ORIGIN}/mcp-server-private`,
      auth: { secret: "MCP_SECRET", as: "bearer" },
      tools: list.tools,
    }),
  ],
  trustedOrigins: [new URL(PROBE_ORIGIN).origin],
});

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
