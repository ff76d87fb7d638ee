import { ARGUMENT_ATTACKS } from "./arguments.ts";
import type { Attack } from "./attack.ts";
import { HINT_ATTACKS } from "./hints.ts";
import { PLAN_ATTACKS } from "./plans.ts";
import { REQUEST_ATTACKS } from "./requests.ts";
import { SCHEMA_ATTACKS } from "./schemas.ts";
import { WORK_ATTACKS } from "./work.ts";

/** Every known worst request, one file for each kind. */
export const ATTACKS: readonly Attack[] = [
  ...HINT_ATTACKS,
  ...ARGUMENT_ATTACKS,
  ...SCHEMA_ATTACKS,
  ...PLAN_ATTACKS,
  ...REQUEST_ATTACKS,
  ...WORK_ATTACKS,
];
