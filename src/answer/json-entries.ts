import { weighTokens } from "./estimate-tokens.ts";

/** An element or field, as positions in the JSON text. Nothing of it is parsed or copied. */
export interface JsonEntry {
  /** Where its key begins, or its value when it has none. */
  readonly start: number;
  readonly valueStart: number;
  /** After the last character of its value: the comma or bracket that follows. */
  readonly end: number;
  /** Thousandths of a token, the character that follows included. */
  readonly weight: number;
}

/** Values of fewer characters are cheap to read again; only larger ones are remembered. */
const LARGE = 4_096;
/** Deeper containers are never opened, so nothing needs to be known of them. */
export const DEEPEST = 32;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;

/**
 * The containers of one JSON text, walked without recursion.
 *
 * The text must be what `JSON.stringify` writes: no spaces between tokens. Ends and weights of large values are found
 * once, in one pass from the inside out, so that opening them level by level never reads the same megabyte again.
 */
export class JsonEntries {
  readonly #json: string;
  readonly #large = new Map<number, { readonly end: number; readonly weight: number }>();

  constructor(json: string) {
    this.#json = json;
    this.#measure();
  }

  /** Walk over the entries of the container at `start`, in order. */
  *of(start: number): Generator<JsonEntry, void> {
    const keyed = this.#json.charCodeAt(start) === 123;
    let at = start + 1;
    if (isClosing(this.#json.charCodeAt(at))) return;
    while (true) {
      // After a key comes one colon.
      const valueStart = keyed ? stringEnd(this.#json, at) + 1 : at;
      const end = this.#endOf(valueStart);
      yield { start: at, valueStart, end, weight: this.#weigh(at, valueStart, end) };
      if (this.#json.charCodeAt(end) !== COMMA) return;
      at = end + 1;
    }
  }

  /** Count the entries after the one that ends at `end`. */
  countAfter(end: number): number {
    let count = 0;
    for (let at = end; this.#json.charCodeAt(at) === COMMA; count += 1) {
      at = this.#endOf(at + 1);
      if (this.#json.charCodeAt(at) === COLON) at = this.#endOf(at + 1);
    }
    return count;
  }

  #endOf(start: number): number {
    return this.#large.get(start)?.end ?? valueEnd(this.#json, start);
  }

  #weigh(start: number, valueStart: number, end: number): number {
    const large = this.#large.get(valueStart);
    return large === undefined
      ? weighTokens(this.#json, start, end + 1)
      : weighTokens(this.#json, start, valueStart) + large.weight;
  }

  #measure(): void {
    const json = this.#json;
    const open: { readonly start: number; readonly weight: number }[] = [];
    let depth = 0;
    let weight = 0;
    let weighed = 0;
    const weighTo = (at: number): number => {
      weight += weighTokens(json, weighed, at);
      weighed = at;
      return weight;
    };
    const remember = (start: number, before: number, end: number): void => {
      this.#large.set(start, { end, weight: weighTo(end) - before });
    };
    for (let at = 0; at < json.length; at += 1) {
      const code = json.charCodeAt(at);
      if (code === QUOTE) {
        const end = stringEnd(json, at);
        if (end - at >= LARGE) remember(at, weighTo(at), end);
        at = end - 1;
      } else if (isOpening(code)) {
        depth += 1;
        if (depth <= DEEPEST) open.push({ start: at, weight: weighTo(at) });
      } else if (isClosing(code)) {
        depth -= 1;
        if (depth >= DEEPEST) continue;
        const { start, weight: before } = open.pop()!;
        if (at + 1 - start >= LARGE) remember(start, before, at + 1);
      }
    }
  }
}

function valueEnd(json: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(json, at);
    else if (isOpening(code)) {
      depth += 1;
      at += 1;
    } else if (isClosing(code)) {
      depth -= 1;
      at += 1;
    } else if (code === COMMA || code === COLON) at += 1;
    else at = literalEnd(json, at);
  } while (depth > 0 && at < json.length);
  return at;
}

function stringEnd(json: string, start: number): number {
  let quote = start;
  do quote = json.indexOf('"', quote + 1);
  while (quote !== -1 && isEscaped(json, quote));
  return quote === -1 ? json.length : quote + 1;
}

/** Tell whether an odd number of backslashes stands before the character. */
export function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

function literalEnd(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== COMMA && !isClosing(json.charCodeAt(at))) at += 1;
  return at;
}

function isOpening(code: number): boolean {
  return code === 91 || code === 123;
}

function isClosing(code: number): boolean {
  return code === 93 || code === 125;
}
