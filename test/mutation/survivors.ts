/** Why these mutants live. `npm run mutation` complains of a survivor that is not here, and `--write` puts them into docs/mutation.md. */
import type { Reasons } from "./reasons.ts";

export const SURVIVORS: Reasons = {};
