import { createVolley } from "volley";
import { addedTools } from "volley/added-tools";
import { console } from "volley/console";
import { discovery } from "volley/discovery";
import { document } from "volley/document";
import { endpoints } from "volley/endpoints";
import { keys } from "volley/keys";
import { runs } from "volley/runs";
import { publishEvent } from "volley/tools";
import { usage } from "volley/usage";

import { recordOrder } from "./tools/record-order.ts";

const volley = createVolley({
  tools: [recordOrder, publishEvent],
  // `endpoints` delivers what is published; it needs `addedTools`.
  features: [discovery(), addedTools(), endpoints(), runs(), keys(), usage(), document(), console()],
});

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
export const KeyShard = volley.KeyShard;
export const RunLog = volley.RunLog;
export const EndpointDirectory = volley.EndpointDirectory;
export const EndpointShard = volley.EndpointShard;
