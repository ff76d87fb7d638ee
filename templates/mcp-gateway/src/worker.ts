import { createVolley } from "volley";
import { confirmations } from "volley/confirmations";
import { console } from "volley/console";
import { discovery } from "volley/discovery";
import { document } from "volley/document";
import { keys } from "volley/keys";
import { mcp } from "volley/mcp";
import { usage } from "volley/usage";

import { getExchangeRate } from "./tools/get-exchange-rate.ts";
import { inventoryTools } from "./tools/inventory-tools.ts";

// The tools of another MCP server are added by mcpTools of "volley".
const volley = createVolley({
  tools: [getExchangeRate, ...inventoryTools],
  features: [discovery(), mcp(), confirmations(), keys(), usage(), document(), console()],
});

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
export const KeyShard = volley.KeyShard;
