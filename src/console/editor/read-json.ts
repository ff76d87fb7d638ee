import { type Token, tokenizeJson } from "./tokenize-json.ts";

interface Placed {
  readonly start: number;
  readonly end: number;
}

/** A value of a text, with its place. A value that is absent where one has to be is `missing`. */
export type JsonNode = Placed &
  (
    | { readonly kind: "object"; readonly entries: readonly JsonEntry[] }
    | { readonly kind: "array"; readonly elements: readonly JsonNode[] }
    | { readonly kind: "string"; readonly value: string }
    | { readonly kind: "number" | "literal"; readonly value: number | boolean | null }
    | { readonly kind: "missing" }
  );

export interface JsonEntry {
  readonly key: Placed & { readonly value: string };
  readonly value: JsonNode;
}

/** A place where the text is no JSON. */
export interface Slip extends Placed {
  readonly message: string;
  /** Whether printing what was read mends it. */
  readonly isMendable: boolean;
}

export interface ReadJson {
  readonly tokens: readonly Token[];
  readonly root: JsonNode | null;
  /** In the order of the text; empty exactly when it is JSON. */
  readonly slips: readonly Slip[];
}

/** As deep as the API reads, and twice that: deeper text is not looked into, so that no text takes the stack. */
const MOST_DEPTH = 64;
/** More slips would not be read. */
const MOST_SLIPS = 20;

const STRING = /^"(?:[^"\\\p{Cc}]|[\u007F-\u009F]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"$/u;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);
/** The spellings of other languages. */
const FOREIGN: ReadonlyMap<string, boolean | null> = new Map([
  ["True", true],
  ["False", false],
  ["None", null],
  ["undefined", null],
  ["NULL", null],
  ["TRUE", true],
  ["FALSE", false],
]);

/** Read a text as JSON, and go on behind faults: its content is needed while it is being written. */
export function readJson(text: string): ReadJson {
  const all = tokenizeJson(text);
  const slips: Slip[] = [];
  const tokens = all.filter(({ kind }) => kind !== "comment" && kind !== "bad");
  const reader = new Reader(text, tokens, slips);
  for (const { kind, start, end } of all) {
    if (kind === "comment") reader.slip(start, end, "JSON has no comments");
    if (kind === "bad")
      reader.slip(start, end, `${JSON.stringify(text.slice(start, end))} cannot stand here`, false);
  }
  const root = tokens.length === 0 ? null : reader.readValue(0);
  const left = reader.next;
  if (left !== undefined)
    reader.slip(left.start, text.trimEnd().length, "The JSON has ended before this", false);
  return { tokens: all, root, slips: slips.sort((a, b) => a.start - b.start).slice(0, MOST_SLIPS) };
}

class Reader {
  private at = 0;
  private readonly text: string;
  private readonly tokens: readonly Token[];
  private readonly slips: Slip[];

  constructor(text: string, tokens: readonly Token[], slips: Slip[]) {
    this.text = text;
    this.tokens = tokens;
    this.slips = slips;
  }

  get next(): Token | undefined {
    return this.tokens[this.at];
  }

  slip(start: number, end: number, message: string, isMendable = true): void {
    if (this.slips.length < 10 * MOST_SLIPS) this.slips.push({ start, end, message, isMendable });
  }

  readValue(depth: number): JsonNode {
    const token = this.next;
    if (token === undefined || token.kind === "close" || token.kind === "comma" || token.kind === "colon") {
      const [start, end] = token === undefined ? this.lastPlace() : [token.start, token.end];
      this.slip(start, end, "A value is missing here", false);
      return { kind: "missing", start, end: start };
    }
    this.at += 1;
    if (token.kind !== "open") return this.readScalar(token);
    if (depth >= MOST_DEPTH) return this.skipDeep(token);
    return this.textOf(token) === "{" ? this.readObject(token, depth) : this.readArray(token, depth);
  }

  private readObject(open: Token, depth: number): JsonNode {
    const entries: JsonEntry[] = [];
    const end = this.readParts(open, "}", () => {
      const token = this.next!;
      if (token.kind === "colon" || token.kind === "open") {
        this.slip(token.start, token.end, "A name in double quotes is missing here", false);
        if (token.kind === "colon") this.at += 1;
        this.readValue(depth + 1);
        return;
      }
      this.at += 1;
      const key = { start: token.start, end: token.end, value: this.readName(token) };
      if (this.next?.kind === "colon") this.at += 1;
      else this.slip(token.start, token.end, "A colon and a value are missing behind this name", false);
      // A name that follows is the next entry's: the value is still to be written.
      const isNext = this.next?.kind === "string" && this.tokens[this.at + 1]?.kind === "colon";
      const isStart = isNext || this.tokens[this.at - 1] === token;
      if (isNext) this.slip(token.start, token.end, `The value of "${key.value}" is missing`, false);
      entries.push({
        key,
        value: isStart
          ? { kind: "missing", start: this.lastPlace()[1], end: this.lastPlace()[1] }
          : this.readValue(depth + 1),
      });
    });
    return { kind: "object", entries, start: open.start, end };
  }

  private readArray(open: Token, depth: number): JsonNode {
    const elements: JsonNode[] = [];
    const end = this.readParts(open, "]", () => {
      if (this.next!.kind === "colon") {
        const { start, end } = this.next!;
        this.slip(start, end, "A list has no names: elements stand between commas", false);
        this.at += 1;
        return;
      }
      elements.push(this.readValue(depth + 1));
    });
    return { kind: "array", elements, start: open.start, end };
  }

  /** Read what stands between commas up to the closing bracket, and say which commas and brackets are wrong. */
  private readParts(open: Token, close: string, readPart: () => void): number {
    let comma: Token | null = null;
    let isFirst = true;
    for (;;) {
      const token = this.next;
      if (token === undefined || token.kind === "close") {
        if (comma !== null) this.slip(comma.start, comma.end, `A comma before ${close} is one too many`);
        if (token !== undefined && this.textOf(token) === close) {
          this.at += 1;
          return token.end;
        }
        this.slip(open.start, open.end, `This ${this.textOf(open)} is never closed: ${close} is missing`);
        return token?.start ?? this.text.length;
      }
      if (token.kind === "comma") {
        if (comma !== null || isFirst) this.slip(token.start, token.end, "A comma too many");
        comma = token;
        isFirst = false;
        this.at += 1;
        continue;
      }
      if (comma === null && !isFirst) this.slip(token.start, token.end, "A comma is missing before this");
      comma = null;
      isFirst = false;
      const before = this.at;
      readPart();
      if (this.at === before) this.at += 1;
    }
  }

  private readScalar(token: Token): JsonNode {
    const { start, end } = token;
    const text = this.textOf(token);
    if (token.kind === "string") return { kind: "string", value: this.readName(token), start, end };
    if (token.kind === "number") {
      const isNumber = NUMBER.test(text);
      if (!isNumber) this.slip(start, end, `${text} is no number of JSON`, Number.isFinite(Number(text)));
      return { kind: "number", value: Number(text), start, end };
    }
    const known = WORDS.get(text);
    if (known !== undefined) return { kind: "literal", value: known, start, end };
    const foreign = FOREIGN.get(text);
    if (foreign !== undefined) {
      this.slip(start, end, `JSON writes ${String(foreign)}, not ${text}`);
      return { kind: "literal", value: foreign, start, end };
    }
    this.slip(start, end, `Text stands in double quotes: "${text}"`);
    return { kind: "string", value: text, start, end };
  }

  /** The text that a token stands for. */
  private readName(token: Token): string {
    const { start, end, isClosed } = token;
    const text = this.textOf(token);
    if (token.kind !== "string") {
      this.slip(start, end, `A name stands in double quotes: "${text}"`);
      return text;
    }
    if (STRING.test(text)) return JSON.parse(text) as string;
    const inside = text.slice(1, isClosed ? -1 : undefined);
    if (!isClosed) this.slip(start, end, "This text is never closed: its last quote is missing", false);
    else if (!text.startsWith('"')) this.slip(start, end, "JSON has double quotes only");
    else this.slip(start, end, String.raw`A backslash of JSON stands before one of " \ / b f n r t u`);
    return inside.replaceAll(/\\(.)/g, (_all, escaped: string) => (escaped === "n" ? "\n" : escaped));
  }

  private skipDeep(open: Token): JsonNode {
    this.slip(open.start, open.end, `Deeper than ${MOST_DEPTH} levels`, false);
    let depth = 1;
    for (; depth > 0 && this.next !== undefined; this.at += 1) {
      if (this.next.kind === "open") depth += 1;
      if (this.next.kind === "close") depth -= 1;
    }
    return { kind: "missing", start: open.start, end: this.lastPlace()[1] };
  }

  private lastPlace(): readonly [number, number] {
    const last = this.tokens[this.at - 1];
    return last === undefined ? [0, 0] : [last.start, last.end];
  }

  private textOf({ start, end }: Token): string {
    return this.text.slice(start, end);
  }
}
