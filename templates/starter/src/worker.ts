import { createVolley } from "volley";

import { bookTable } from "./tools/book-table.ts";
import { getOpeningHours } from "./tools/get-opening-hours.ts";

// What else comes with Volley is a tool like these: import { webFetch } from "volley/tools";
const volley = createVolley({ tools: [getOpeningHours, bookTable] });

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
export const KeyShard = volley.KeyShard;
