import * as LIMITS from "./limits.ts";
import { countValues, exceedsDepth } from "../../core/contract/parse-json.ts";

/** A shorter text cannot have too much of anything, and is not looked at. */
const SHORT_TEXT = 4_096;

/** Whether text may be parsed: it has no more values and no more levels than a conversation may have. */
export function isBearable(text: string): boolean {
  if (text.length <= SHORT_TEXT) return true;
  if (exceedsDepth(new TextEncoder().encode(text), LIMITS.agentNesting)) return false;
  return countValues(text, LIMITS.modelValues) <= LIMITS.modelValues;
}
