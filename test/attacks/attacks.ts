import type { Attack } from "./attack.ts";
import { HINT_ATTACKS } from "./hints.ts";
import { NUMBER_ATTACKS } from "./numbers.ts";
import { SECRET_ATTACKS } from "./secrets.ts";

/** Every known worst request, one file for each kind. */
export const ATTACKS: readonly Attack[] = [...HINT_ATTACKS, ...NUMBER_ATTACKS, ...SECRET_ATTACKS];
