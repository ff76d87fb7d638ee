import type { Attack } from "./attack.ts";
import { ANSWER_ATTACKS } from "./answers.ts";
import { BODY_ATTACKS } from "./bodies.ts";
import { HINT_ATTACKS } from "./hints.ts";

/** Every known worst request, one file for each kind. */
export const ATTACKS: readonly Attack[] = [...HINT_ATTACKS, ...ANSWER_ATTACKS, ...BODY_ATTACKS];
