import { createVolley } from "./edge/create-volley.ts";
import { SHIPPED_TOOLS } from "./tools/shipped-tools.ts";

// Tools that run in isolates of their own (docs/packs.md), with the lines of wrangler.toml about packs:
// import { PACK_TOOLS } from "./tools/pack-tools.ts"; then `tools: [...SHIPPED_TOOLS, ...PACK_TOOLS]`.
// Files of each tenant's own (docs/workspace.md), with the lines of wrangler.toml about workspaces:
// import { WORKSPACE_TOOLS } from "./tools/workspace-tools.ts"; then `...WORKSPACE_TOOLS`, and `export const Workspace = volley.Workspace`.
// What needs a database or a bucket (docs/data.md) is taken in group by group:
// import { OPT_IN_TOOLS } from "./tools/opt-in-tools.ts";
// const tools = [...SHIPPED_TOOLS, ...OPT_IN_TOOLS.data, ...OPT_IN_TOOLS.images];
const volley = createVolley({ tools: SHIPPED_TOOLS });

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
