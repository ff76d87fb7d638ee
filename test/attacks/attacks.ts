import type { Attack } from "./attack.ts";
import { HINT_ATTACKS } from "./hints.ts";
import { TOOL_ATTACKS } from "./tools.ts";

/** Every known worst request, one file for each kind. */
export const ATTACKS: readonly Attack[] = [...HINT_ATTACKS, ...TOOL_ATTACKS];
