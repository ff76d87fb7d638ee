import { type Batch, parseBatch } from "../../src/core/contract/batch.ts";
import { parseJson } from "../../src/core/contract/parse-json.ts";
import type { Refusal } from "../../src/core/contract/refusal.ts";
import type { Result } from "../../src/core/kit/result.ts";

/** Parse a batch from the text of a body, as a request does: only text can say `__proto__` or `1e400`. */
export function parseBatchText(text: string): Result<Batch, Refusal> {
  const bytes = new TextEncoder().encode(text);
  const json = parseJson(bytes);
  return json.ok ? parseBatch(json.value, bytes.length) : json;
}
