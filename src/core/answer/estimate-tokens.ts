/** A part of a text, and the weight that is enough of it. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/**
 * Weighs a part of JSON text in thousandths of a token, as far as the limit goes: the weight, and the index after the last character.
 * Parts that begin at a value, a key or a structural character have weights that add up exactly to the weight of the whole. No
 * text costs less than an eighth of a token for each byte of its UTF-8. The next call may write into what this one gave.
 */
export type TokenCounter = (json: string, part: Part) => { readonly weight: number; readonly end: number };

let count: TokenCounter = countRoughly;

/** Count tokens so from now on: the feature 'tokens' brings a counter that is nearer to what models read than `countRoughly`. */
export function useTokenCounter(counter: TokenCounter): void {
  count = counter;
}

/** The counter in use: what is kept of its weights is of it alone. */
export const tokenCounter = (): TokenCounter => count;

/**
 * Estimate how many tokens a model reads in JSON text: 0 for nothing, at least 1 for anything else, and never less than one for every
 * eight bytes of its UTF-8.
 *
 * @example
 * estimateTokens('{"places":[]}'); // 4
 */
export function estimateTokens(json: string): number {
  return json === "" ? 0 : Math.max(1, Math.ceil(weighTokens(json) / 1000));
}

/** Characters of a text that a rough estimate reads. */
const SAMPLE = 64 * 1024;

/** Estimate a text's tokens by its beginning: for a megabyte the estimate itself takes tens of milliseconds. */
export function roughTokens(json: string): number {
  if (json.length <= SAMPLE) return estimateTokens(json);
  return Math.ceil((estimateTokens(json.slice(0, SAMPLE)) * json.length) / SAMPLE);
}

/** Weigh a part of JSON text in thousandths of a token. */
export function weighTokens(json: string, from = 0, to = json.length): number {
  return count(json, { from, to, limit: Number.POSITIVE_INFINITY }).weight;
}

/** Find how far a part may go, at most to `to`, for its weight to stay within `limit`: the index after the last character. */
export function reachTokens(json: string, range: Part): number {
  return count(json, range).end;
}

/**
 * Count by a rule for each script, and by the character before. For most texts these are more tokens than there are, by a third for
 * English prose and by up to two times for other scripts; for noise a tenth less.
 */
export function countRoughly(json: string, { from, to, limit }: Part): ReturnType<TokenCounter> {
  let before = from === 0 ? 0 : json.charCodeAt(from - 1);
  let weight = 0;
  let end = from;
  for (; end < to; end += 1) {
    const code = json.charCodeAt(end);
    const cost = code < 128 ? costOfAscii(code, before) : costOfOther(code, before);
    if (weight + cost > limit) break;
    weight += cost;
    before = code;
  }
  return { weight, end };
}

const SPACE = 32;

function costOfAscii(code: number, before: number): number {
  if (isLetter(code)) return isLetter(before) ? 175 : 825;
  if (isDigit(code)) return isDigit(before) ? 370 : 800;
  return code === SPACE ? 125 : 640;
}

function costOfOther(code: number, before: number): number {
  // Alphabets, of which the later ones are rare; signs; characters that are words or syllables.
  if (code < 0x0e_80) return before < 128 ? 1_000 : 450;
  if (code < 0x20_00) return 1_250;
  if (code >= 0x2e_80 && code < 0xd8_00) return 1_250;
  if (code < 0xdc_00 || code >= 0xe0_00) return 2_500;
  // The first half of a pair pays for both. JSON escapes the second where it stands alone.
  return before >= 0xd8_00 && before < 0xdc_00 ? 0 : 2_850;
}

function isLetter(code: number): boolean {
  const folded = code | 32;
  return folded >= 97 && folded <= 122;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
