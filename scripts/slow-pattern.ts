/**
 * Say of a regular expression whether V8 may take longer for it than in proportion to the text. An unknown construct counts as slow.
 */

/** A part of a pattern, such as `[a-z]+` or `(`. */
interface Token {
  readonly text: string;
  /** Groups around it. */
  readonly depth: number;
  readonly isOptional: boolean;
  readonly isRepeated: boolean;
}

const TOKEN =
  /\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[pPk][{<][^}>]*[}>]|\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|<\w+>)|[()|]|[^\\[()|]/giy;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y;
/** Each character of ASCII, and one beyond it. */
const CHARACTERS = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), "é"];

/** The same pattern, where it looks for the end of a run: a run is then tried from its first character alone. */
export function fromRunStart(source: string): string {
  const run = /^(\\?[^[(]|\[(?:\\.|[^\]\\])+\])\+\$$/.exec(source)?.[1];
  return run === undefined ? source : `(?<!${run})${source}`;
}

/** Whether a pattern may look at much of a text again and again. */
export function isSlowPattern(source: string, flags: string): boolean {
  if (fromRunStart(source) !== source) return false;
  const tokens = readTokens(source);
  if (tokens === null) return true;
  const repeats = tokens.filter(({ isRepeated }) => isRepeated);
  if (repeats.length === 0) return false;
  const isAnchored = (tokens[0]!.text === "^" && !flags.includes("m")) || flags.includes("y");
  const hasBranches = tokens.some(({ text }) => text === "|");
  if (repeats.length === 1 && isAnchored && !hasBranches) return false;
  // A match that comes to its one repetition at its end succeeds, so the next one begins behind it.
  if (repeats.length === 1 && tokens.findLast(({ text }) => text !== ")") === repeats[0]) return false;
  if (flags.includes("y") && !tokens.some(isUnknown)) return repeatsTwice(tokens);
  if (hasBranches || tokens.some(isUnknown) || isAmbiguous(tokens)) return true;
  const first = tokens.find(isAtom)!;
  // A match that began at one `$` and failed came no further than the next one.
  return !isAnchored && (first.isOptional || repeats.some((each) => overlap(first, each)));
}

/** The character that each match begins with, where there is one and what follows it is looked at once. */
export function firstCharacter(source: string): string | undefined {
  const tokens = readTokens(source) ?? [];
  const first = tokens.find(({ text }) => text !== "(" && text !== "(?:");
  if (
    first === undefined ||
    !isAtom(first) ||
    first.isOptional ||
    hasBranchAround(first, tokens) ||
    isAmbiguous(tokens)
  )
    return undefined;
  const found = CHARACTERS.filter((character) => matches(first.text, character));
  return found.length === 1 ? found[0] : undefined;
}

function hasBranchAround(first: Token, tokens: readonly Token[]): boolean {
  return tokens.some(({ text, depth }) => text === "|" && depth <= first.depth);
}

function readTokens(source: string): readonly Token[] | null {
  const tokens: Token[] = [];
  let depth = 0;
  for (let at = 0; at < source.length;) {
    TOKEN.lastIndex = at;
    const text = TOKEN.exec(source)?.[0];
    if (text === undefined) return null;
    at += text.length;
    QUANTIFIER.lastIndex = at;
    const [quantifier = "", least = "", comma, most] = QUANTIFIER.exec(source) ?? [];
    at += quantifier.length;
    if (text === ")") depth -= 1;
    tokens.push({
      text,
      depth,
      isOptional: /^[*?]/.test(quantifier) || least === "0",
      isRepeated: /^[*+]/.test(quantifier) || (comma === "," && most === ""),
    });
    if (text.startsWith("(")) depth += 1;
  }
  return tokens;
}

/** Whether it stands for a character. */
function isAtom({ text }: Token): boolean {
  return !/^(?:[()^$]|\\b$)/i.test(text);
}

/** A group with a quantifier, or one that looks around. */
function isUnknown({ text, isOptional, isRepeated }: Token): boolean {
  return (text === ")" && (isOptional || isRepeated)) || /^\(\?<?[=!]/.test(text);
}

/** Whether a repetition may end in more than one place, and something repeated comes after it. */
function isAmbiguous(tokens: readonly Token[]): boolean {
  const atoms = tokens.filter(isAtom);
  return atoms.some((atom, index) => {
    const after = atoms.slice(index + 1);
    if (!atom.isRepeated || !after.some(({ isRepeated }) => isRepeated)) return false;
    const mandatory = after.findIndex(({ isOptional }) => !isOptional);
    return after.slice(0, mandatory < 0 ? after.length : mandatory + 1).some((each) => overlap(atom, each));
  });
}

/** Whether two repetitions of one way through the pattern may share a text. */
function repeatsTwice(tokens: readonly Token[]): boolean {
  return tokens.some((first, at) =>
    tokens.some((second, end) => {
      if (at >= end || !first.isRepeated || !second.isRepeated || !overlap(first, second)) return false;
      const lowest = Math.min(...tokens.slice(at, end + 1).map(({ depth }) => depth));
      // A branch that begins between them, in a group that has both, parts them.
      return !tokens.slice(at, end).some(({ text, depth }) => text === "|" && depth === lowest);
    }),
  );
}

function overlap(a: Token, b: Token): boolean {
  return CHARACTERS.some((character) => matches(a.text, character) && matches(b.text, character));
}

/** A reference to a group, such as `\1`, may be any text. */
function matches(atom: string, character: string): boolean {
  return /^\\[1-9k]/.test(atom) || new RegExp(`^(?:${atom})$`, "is").test(character);
}
