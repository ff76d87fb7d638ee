import { createVolley } from "volley";
import { agent } from "volley/agent";
import { confirmations } from "volley/confirmations";
import { console } from "volley/console";
import { discovery } from "volley/discovery";
import { document } from "volley/document";
import { keys } from "volley/keys";
import { models } from "volley/models";
import { responses } from "volley/responses";
import { runs } from "volley/runs";
import { tokens } from "volley/tokens";
import { usage } from "volley/usage";

import { openTicket } from "./tools/open-ticket.ts";
import { searchHelp } from "./tools/search-help.ts";

const volley = createVolley({
  tools: [searchHelp, openTicket],
  // `agent`, `responses` and `models` are the doors of the clients of OpenAI and Anthropic; `runs` keeps what ran, and `tokens`
  // counts the results of a round to within 15 %.
  features: [
    discovery(),
    agent(),
    responses(),
    models(),
    tokens(),
    confirmations(),
    runs(),
    keys(),
    usage(),
    document(),
    console(),
  ],
});

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
export const KeyShard = volley.KeyShard;
export const RunLog = volley.RunLog;
