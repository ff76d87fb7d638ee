import { createVolley } from "volley";
import { confirmations } from "volley/confirmations";
import { console } from "volley/console";
import { discovery } from "volley/discovery";
import { document } from "volley/document";
import { keys } from "volley/keys";
import { runs } from "volley/runs";
import { usage } from "volley/usage";

import { bookTable } from "./tools/book-table.ts";
import { getOpeningHours } from "./tools/get-opening-hours.ts";

// The other tools of Volley are added like these: import { webFetch } from "volley/tools";
const volley = createVolley({
  tools: [getOpeningHours, bookTable],
  // The features besides running batches. More of them: docs/features.md of Volley.
  features: [discovery(), confirmations(), runs(), keys(), usage(), document(), console()],
});

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
export const KeyShard = volley.KeyShard;
export const RunLog = volley.RunLog;
