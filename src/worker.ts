import { createVolley } from "./edge/create-volley.ts";
import { SHIPPED_TOOLS } from "./tools/shipped-tools.ts";

// What needs a database or a bucket (docs/data.md), and what runs in isolates of its own (docs/packs.md), is taken in by group:
// import { OPT_IN_TOOLS } from "./tools/opt-in-tools.ts";
// import { PACK_TOOLS } from "./tools/pack-tools.ts";
// const tools = [...SHIPPED_TOOLS, ...OPT_IN_TOOLS.data, ...OPT_IN_TOOLS.images, ...PACK_TOOLS];
const volley = createVolley({ tools: SHIPPED_TOOLS });

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
