import { createVolley } from "./edge/create-volley.ts";
import { SHIPPED_TOOLS } from "./tools/shipped-tools.ts";

const volley = createVolley({ tools: SHIPPED_TOOLS });

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
