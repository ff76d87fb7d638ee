import { addedTools } from "../../src/features/added-tools/index.ts";
import { agent } from "../../src/features/agent/index.ts";
import { background } from "../../src/features/background/index.ts";
import { confirmations } from "../../src/features/confirmations/index.ts";
import { connections } from "../../src/features/connections/index.ts";
import { console } from "../../src/features/console/index.ts";
import { cors } from "../../src/features/cors/index.ts";
import { discovery } from "../../src/features/discovery/index.ts";
import { docs } from "../../src/features/docs/index.ts";
import { document } from "../../src/features/document/index.ts";
import { endpoints } from "../../src/features/endpoints/index.ts";
import { flows } from "../../src/features/flows/index.ts";
import { formats } from "../../src/features/formats/index.ts";
import { imports } from "../../src/features/imports/index.ts";
import { keys } from "../../src/features/keys/index.ts";
import { mcp } from "../../src/features/mcp/index.ts";
import { models } from "../../src/features/models/index.ts";
import { objects } from "../../src/features/objects/index.ts";
import { operator } from "../../src/features/operator/index.ts";
import { orchestration } from "../../src/features/orchestration/index.ts";
import { responses } from "../../src/features/responses/index.ts";
import { runs } from "../../src/features/runs/index.ts";
import { signIn } from "../../src/features/sign-in/index.ts";
import { tenantData } from "../../src/features/tenant-data/index.ts";
import { tokens } from "../../src/features/tokens/index.ts";
import { undo } from "../../src/features/undo/index.ts";
import { usage } from "../../src/features/usage/index.ts";
import { workspace } from "../../src/features/workspace/index.ts";

/** Every feature that there is: most tests are about what they do together. */
export const ALL_FEATURES = [
  discovery(),
  formats(),
  orchestration(),
  mcp(),
  agent(),
  responses(),
  models(),
  confirmations(),
  addedTools(),
  imports(),
  flows(),
  background(),
  keys(),
  signIn(),
  runs(),
  operator(),
  endpoints(),
  connections(),
  tenantData(),
  objects(),
  tokens(),
  usage(),
  undo(),
  cors(),
  document(),
  console(),
  docs(),
  workspace(),
] as const;
