import { ANSWER_ATTACKS } from "./answers.ts";
import { ARGUMENT_ATTACKS } from "./arguments.ts";
import type { Attack } from "./attack.ts";
import { BODY_ATTACKS } from "./bodies.ts";
import { COMMAND_ATTACKS } from "./commands.ts";
import { CONVERSATION_ATTACKS } from "./conversations.ts";
import { DECLARED_ATTACKS } from "./declared.ts";
import { FAIRNESS_ATTACKS } from "./fairness.ts";
import { HINT_ATTACKS } from "./hints.ts";
import { KEY_ATTACKS } from "./keys.ts";
import { MCP_ATTACKS } from "./mcp-servers.ts";
import { MISTAKE_ATTACKS } from "./mistakes.ts";
import { MODEL_ATTACKS } from "./models.ts";
import { NUMBER_ATTACKS } from "./numbers.ts";
import { PAGE_ATTACKS } from "./pages.ts";
import { PLAN_ATTACKS } from "./plans.ts";
import { REQUEST_ATTACKS } from "./requests.ts";
import { SCHEMA_ATTACKS } from "./schemas.ts";
import { SECRET_ATTACKS } from "./secrets.ts";
import { TOKEN_ATTACKS } from "./tokens.ts";
import { TOOL_ATTACKS } from "./tools.ts";
import { VOICE_ATTACKS } from "./voices.ts";
import { WEBHOOK_ATTACKS } from "./webhooks.ts";
import { WORD_ATTACKS } from "./words.ts";
import { WORK_ATTACKS } from "./work.ts";

/** Every known worst request, one file for each kind. */
export const ATTACKS: readonly Attack[] = [
  ...ANSWER_ATTACKS,
  ...BODY_ATTACKS,
  ...HINT_ATTACKS,
  ...ARGUMENT_ATTACKS,
  ...SCHEMA_ATTACKS,
  ...PAGE_ATTACKS,
  ...PLAN_ATTACKS,
  ...REQUEST_ATTACKS,
  ...WORK_ATTACKS,
  ...COMMAND_ATTACKS,
  ...TOKEN_ATTACKS,
  ...VOICE_ATTACKS,
  ...NUMBER_ATTACKS,
  ...SECRET_ATTACKS,
  ...FAIRNESS_ATTACKS,
  ...KEY_ATTACKS,
  ...MISTAKE_ATTACKS,
  ...TOOL_ATTACKS,
  ...WORD_ATTACKS,
  ...DECLARED_ATTACKS,
  ...MCP_ATTACKS,
  ...CONVERSATION_ATTACKS,
  ...MODEL_ATTACKS,
  ...WEBHOOK_ATTACKS,
];
