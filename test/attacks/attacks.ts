import type { Attack } from "./attack.ts";
import { HINT_ATTACKS } from "./hints.ts";
import { MISTAKE_ATTACKS } from "./mistakes.ts";

/** Every known worst request, one file for each kind. */
export const ATTACKS: readonly Attack[] = [...HINT_ATTACKS, ...MISTAKE_ATTACKS];
