import { parseExact } from "../contract/json.ts";
import type { Truncation } from "../contract/outcome.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { cutValue, partOf, type Share, waterLevel } from "./cut-value.ts";

/** Characters of all results together up to which several cuts are tried: trying them is then a matter of milliseconds. */
const SMALL_TEXTS = 64 * 1024;
/** By how much a level is more than the one below it, where several are tried. */
const STEP = 1.1;

/** One result's data, and the text that it is in the answer. */
export interface FittableResult {
  /** The text that `JSON.stringify(data)` wrote. */
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
 * leaves what is over to the others. So does who cannot use its part, because half of a link or a record says nothing; that
 * is looked for where the texts are small. So nothing is cut when everything fits, and never a result smaller than its fair
 * share. The sum of `tokens` is at most `maxTokens` unless even `null`, `[]`, `{}` or `""` for each is more. A larger
 * budget never keeps less of any result. Same input, same output.
 *
 * @param tokensOf estimates a result's text; a caller that fits the same results more than once remembers the estimate
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
  const isSmall = results.reduce((sum, { json }) => sum + json.length, 0) <= SMALL_TEXTS;
  const higher = isSmall ? fitHigher(results, shares, { above: level, maxTokens }) : undefined;
  if (higher !== undefined) return higher;
  let spare = maxTokens - shares.reduce((sum, share) => sum + partOf(share, level), 0);
  return results.map((result, index) => {
    const share = shares[index]!;
    let budget = partOf(share, level);
    // Remainders of less than one token each go to the first shares that still want one.
    if (spare > 0 && level >= share.min && level < share.whole) {
      budget += 1;
      spare -= 1;
    }
    return fitResult(result, share, budget);
  });
}

/**
 * Fit results at the highest of the levels above `above` at which what is really kept of them is within the budget. The levels
 * that are tried depend on nothing, so that with a larger budget it is never a lower one.
 */
function fitHigher(
  results: readonly FittableResult[],
  shares: readonly Share[],
  { above, maxTokens }: { readonly above: number; readonly maxTokens: number },
): FittedResult[] | undefined {
  const most = Math.max(0, ...shares.map(({ whole }) => whole));
  if (above >= most) return undefined;
  let fitted: FittedResult[] | undefined;
  let low = Math.ceil(Math.log(above + 1) / Math.log(STEP));
  let high = Math.ceil(Math.log(most) / Math.log(STEP));
  // The next level first: mostly it is too high already, and nothing else is tried.
  for (let step = low; low <= high; step = (low + high) >> 1) {
    const level = Math.ceil(STEP ** step);
    const tried = results.map((result, index) =>
      fitResult(result, shares[index]!, partOf(shares[index]!, level)),
    );
    if (tried.reduce((sum, { tokens }) => sum + tokens, 0) <= maxTokens) {
      fitted = tried;
      low = step + 1;
    } else {
      if (fitted === undefined) break;
      high = step - 1;
    }
  }
  return fitted;
}

function fitResult(result: FittableResult, { whole }: Share, budget: number): FittedResult {
  return budget >= whole ? { ...result, tokens: whole } : cutResult(result, whole, budget);
}

function cutResult(result: FittableResult, tokensBefore: number, budget: number): FittedResult {
  // As the caller will read it: what a tool returned may hold what JSON leaves out.
  const { data, cuts } = cutValue(parseExact(result.json), budget * 1000);
  const json = JSON.stringify(data);
  const tokens = estimateTokens(json);
  return { json, data, tokens, truncated: { tokens_before: tokensBefore, tokens_after: tokens, ...cuts } };
}

/** The least that is left of a value, as text. */
export function leastJson(json: string): string {
  const least = { "[": "[]", "{": "{}", '"': '""' } as const;
  return least[json[0] as keyof typeof least] ?? "null";
}
