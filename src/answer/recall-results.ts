import { makeFailure } from "../contract/failure.ts";
import { LIMITS } from "../contract/limits.ts";
import { attempt } from "../kit/result.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import type { Source } from "../plan/references.ts";

/**
 * Fetch the kept results that a batch refers to, by handle. One that is gone is simply not there: the action that
 * refers to it says so, and the others run. The same holds for all of them when the gate does not answer.
 *
 * Each is bounded as text, but a megabyte may be half a million values, so values are counted before they are parsed;
 * in the order asked, those that are too many together are refused.
 */
export async function recallResults(
  handles: readonly string[],
  gate: Gate,
): Promise<ReadonlyMap<string, Source>> {
  if (handles.length === 0) return new Map();
  const kept = await attempt(() => gate.recall(handles));
  let left: number = LIMITS.batchValues;
  const parse = (json: string): Source => {
    const values = countValues(json);
    if (values > left) return { refused: TOO_MANY_VALUES };
    left -= values;
    return { data: JSON.parse(json) as unknown };
  };
  return new Map(kept.ok ? kept.value.map(({ handle, json }) => [handle, parse(json)]) : []);
}

const TOO_MANY_VALUES = makeFailure("BAD_REFERENCE", {
  hint: `The results of earlier batches that one batch refers to may hold ${LIMITS.batchValues} values together, and this one makes it more; refer to it in a batch of its own.`,
});

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** How many values JSON text holds at most: one, and one for everything that opens or goes on. */
function countValues(json: string): number {
  let values = 1;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (inString && code === BACKSLASH) at += 1;
    else if (code === QUOTE) inString = !inString;
    else if (!inString && (code === COMMA || code === 0x5b || code === 0x7b)) values += 1;
  }
  return values;
}
