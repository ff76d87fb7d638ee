import { parseExact } from "../contract/json.ts";
import type { Truncation } from "../contract/outcome.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { type Cuts, cutValue } from "./cut-value.ts";
import { partOf, waterLevel } from "./water-level.ts";

/** One result's data, and the text that it is in the answer. */
export interface FittableResult {
  /** What `JSON.stringify(data)` wrote. */
  readonly json: string;
  readonly data: unknown;
}

export interface FittedResult extends FittableResult {
  /** Estimated. */
  readonly tokens: number;
  /** Absent when the result is as it was. */
  readonly truncated?: Truncation;
}

/**
 * Fit results into one budget of estimated tokens for all of their data together.
 *
 * Small results stay whole, large ones share the rest by water-filling: everyone may have the same, and who needs less
 * leaves what is over to the others. So nothing is cut when everything fits, and never a result smaller than its fair
 * share. The sum of `tokens` is at most `maxTokens` unless even `null`, `[]`, `{}` or `""` for each is more. A larger
 * budget never keeps less of any result. Same input, same output.
 *
 * @param tokensOf estimates a result's text; whoever fits the same results more than once remembers what it said
 * @example
 * fitTokens([{ json: '{"ok":true}', data: { ok: true } }], 100)[0].truncated; // undefined
 */
export function fitTokens(
  results: readonly FittableResult[],
  maxTokens: number,
  tokensOf: (json: string) => number = estimateTokens,
): FittedResult[] {
  const shares = results.map(({ json }) => {
    const whole = tokensOf(json);
    return { min: Math.min(whole, estimateTokens(leastJson(json))), whole };
  });
  const level = waterLevel(shares, maxTokens);
  let spare = maxTokens - shares.reduce((sum, share) => sum + partOf(share, level), 0);
  return results.map((result, index) => {
    const share = shares[index]!;
    let budget = partOf(share, level);
    // What is less than one token each goes to the first of those that still want one.
    if (spare > 0 && level >= share.min && level < share.whole) {
      budget += 1;
      spare -= 1;
    }
    return budget >= share.whole
      ? { ...result, tokens: share.whole }
      : cutResult(result, share.whole, budget);
  });
}

function cutResult(result: FittableResult, tokensBefore: number, budget: number): FittedResult {
  // As the caller will read it: what a tool returned may hold what JSON leaves out.
  const { data, cuts } = cutValue(parseExact(result.json), budget * 1000);
  const json = JSON.stringify(data);
  const tokens = estimateTokens(json);
  return { json, data, tokens, truncated: toTruncation(cuts, tokensBefore, tokens) };
}

/** The least that is left of a value, as text. */
export function leastJson(json: string): string {
  const least = { "[": "[]", "{": "{}", '"': '""' } as const;
  return least[json[0] as keyof typeof least] ?? "null";
}

function toTruncation(cuts: Cuts, tokensBefore: number, tokensAfter: number): Truncation {
  return {
    tokens_before: tokensBefore,
    tokens_after: tokensAfter,
    elements_dropped: cuts.elementsDropped,
    fields_dropped: cuts.fieldsDropped,
    characters_dropped: cuts.charactersDropped,
    at: cuts.at,
  };
}
