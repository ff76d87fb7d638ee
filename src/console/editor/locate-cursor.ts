import type { Token } from "./tokenize-json.ts";

/** Where in a document a cursor stands, whether or not the text is JSON yet. */
export interface Location {
  /** Names and positions from the root to the value that is being written, or to the object of a name. */
  readonly path: readonly (string | number)[];
  /** The kind of text at the cursor: a name of an object or a value. */
  readonly role: "key" | "value";
  /** Where the innermost bracket stands; null outside of all. */
  readonly container: number | null;
  /** The token that is being written; null where a new one would begin. */
  readonly token: Token | null;
}

interface Frame {
  readonly start: number;
  readonly isObject: boolean;
  /** In an object the name that was read last, in a list the number of commas. */
  key: string;
  index: number;
  isValue: boolean;
  /** Whether a name or value stands here already, so that a comma has to come first. */
  isFilled: boolean;
}

const NOTHING_READ = { key: "", index: 0, isValue: false, isFilled: false };

/** Look only at what stands before the cursor: what follows it may be broken by what is being written. */
export function locateCursor(text: string, tokens: readonly Token[], offset: number): Location | null {
  const frames: Frame[] = [];
  let inside: Token | null = null;
  let isRootFilled = false;
  for (const token of tokens) {
    if (token.start >= offset) break;
    if (isInside(token, offset)) {
      if (token.kind === "comment") return null;
      inside = token;
      break;
    }
    const frame = frames.at(-1);
    switch (token.kind) {
      case "open":
        if (frame) frame.isFilled = true;
        else isRootFilled = true;
        frames.push({ start: token.start, isObject: text[token.start] === "{", ...NOTHING_READ });
        break;
      case "close":
        frames.pop();
        break;
      case "comma":
        if (frame) Object.assign(frame, { index: frame.index + 1, isValue: false, isFilled: false });
        break;
      case "colon":
        if (frame) Object.assign(frame, { isValue: true, isFilled: false });
        break;
      case "comment":
      case "bad":
        break;
      default:
        if (frame === undefined) isRootFilled = true;
        else {
          if (frame.isObject && !frame.isValue) frame.key = nameOf(text, token);
          frame.isFilled = true;
        }
    }
  }
  const frame = frames.at(-1);
  if (inside === null && (frame === undefined ? isRootFilled : frame.isFilled)) return null;
  const role = frame?.isObject === true && !frame.isValue ? "key" : "value";
  const path = frames
    .slice(0, role === "key" ? -1 : undefined)
    .map((part) => (part.isObject ? part.key : part.index));
  return { path, role, container: frame?.start ?? null, token: inside };
}

/** Behind its last character one still writes a word; behind its last quote no text. */
function isInside({ kind, start, end, isClosed }: Token, offset: number): boolean {
  if (offset <= start || offset > end) return false;
  if (kind === "string") return offset < end || !isClosed;
  if (kind === "word" || kind === "number") return true;
  return kind === "comment" && offset < end;
}

function nameOf(text: string, { kind, start, end, isClosed }: Token): string {
  const raw = text.slice(start, end);
  if (kind !== "string") return raw;
  return raw.slice(1, isClosed ? -1 : undefined).replaceAll(/\\(.)/g, "$1");
}
