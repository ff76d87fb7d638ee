import type { Attack } from "./attack.ts";
import { HINT_ATTACKS } from "./hints.ts";
import { TOKEN_ATTACKS } from "./tokens.ts";
import { VOICE_ATTACKS } from "./voices.ts";

/** Every known worst request, one file for each kind. */
export const ATTACKS: readonly Attack[] = [...HINT_ATTACKS, ...TOKEN_ATTACKS, ...VOICE_ATTACKS];
