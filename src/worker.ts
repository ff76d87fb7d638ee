import { createVolley } from "./package/index.ts";
import { SHIPPED_TOOLS } from "./package/tools.ts";

// What needs a binding is taken in by group, each with its lines of wrangler.toml; what a Worker does not list it does not contain:
// import { OPT_IN_TOOLS } from "./package/tools.ts"; // documents, orders, images: docs/data.md
// import { PACK_TOOLS } from "./package/packs.ts"; // a calculator, presentations: docs/packs.md
// import { WORKSPACE_TOOLS } from "./package/packs.ts"; // files and a shell: docs/workspace.md
// const tools = [...SHIPPED_TOOLS, ...OPT_IN_TOOLS.data, ...OPT_IN_TOOLS.images, ...PACK_TOOLS, ...WORKSPACE_TOOLS];
// export const Workspace = volley.Workspace;
const volley = createVolley({ tools: SHIPPED_TOOLS });

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
export const KeyShard = volley.KeyShard;
