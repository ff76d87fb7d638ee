import type { TokenCounter } from "../../feature/tool.ts";
import {
  type AsciiTables,
  COSTS_OF_SCRIPT,
  GROUP,
  makeAscii,
  makeScripts,
  MARKS,
  PLACE,
  type ScriptTables,
} from "./o200k-costs.ts";

/** Written in place and read at once: weighing many small parts allocates nothing. */
const result = { weight: 0, end: 0 };

/**
 * Count the tokens of JSON text as o200k_base has them, to within 15 %.
 *
 * One pass, no allocation, no vocabulary. The encoding first splits text into words, groups of three digits and runs of
 * punctuation, and a piece is one token when the vocabulary has it. So a character costs about a token where it begins a
 * piece, and later in a piece as much as its neighbours are unusual: letters by the letter before them, marks by the mark
 * before, other scripts by their place in the word and by how common the character is. The costs that were fitted to the
 * encoding are in `o200k-costs.ts`.
 *
 * Never under an eighth of the bytes, because the first character of a piece pays for up to eight bytes of it and everything
 * beyond them for itself.
 */
export const countO200k: TokenCounter = (json, { from, to, limit }) => {
  reader.begin(from === 0 ? 0 : json.charCodeAt(from - 1));
  let weight = 0;
  let end = from;
  while (end < to) {
    const cost = reader.read(json.charCodeAt(end));
    if (weight + cost > limit) break;
    weight += cost;
    end += 1;
    if (reader.isInSmallLetters) {
      weight = reader.readSmallLetters(json, end, { to, weight, limit });
      end += reader.letters;
    }
  }
  result.weight = weight;
  result.end = end;
  return result;
};

const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BRACKET = 91;
const BACKSLASH = 92;
const BRACE = 123;

/** So many marks of at most two kinds are a run of two marks: what a vocabulary has for prose and code is mostly shorter. */
const RUN_OF_TWO = 4;

/** How a run of marks stands to what follows. */
const ALONE = 1;
const SEVERAL = 2;
const ESCAPING = 3;

/** Kinds of the last letter of a word. */
const LOWER = 1;
const UPPER = 2;

/** Thousandths of a token for each byte of UTF-8. */
const LEAST = 125;
const LONE_HALF = 2850;

/** Where a word began, as far as it matters to what follows. */
const AFTER_SPACE = 1;

/** Rows of `markPairs` for a mark that begins a run. */
const FIRST = MARKS.length + 1;
const FIRST_AFTER = {
  space: FIRST,
  digit: FIRST + 1,
  letter: FIRST + 2,
  nothing: FIRST + 3,
  sign: FIRST + 4,
};

interface Weighing {
  readonly to: number;
  readonly weight: number;
  readonly limit: number;
}

/** Where text is read, one UTF-16 code unit after the other, and what of what came before still matters. */
class Reader {
  #group: number = GROUP.nothing;
  /** The length of the word, number or run so far; of marks, how they stand to what follows. */
  #run = 0;
  #before = 0;
  /** The case of the last letter, if it was ASCII. */
  #letter = 0;
  /** Capitals at the beginning of the word. */
  #capitals = 0;
  #wordBegan = 0;
  /** The script of the last character beyond ASCII. */
  #script = 0;
  #scripts: ScriptTables | undefined;
  #ascii: AsciiTables | undefined;
  /** Whether the reader is inside of a JSON string. Only there are runs of two marks looked for: elsewhere marks are JSON's own. */
  #inString = false;
  /** The marks at the end of a run in a string, those that a backslash escapes as the one mark that they are. */
  readonly #marks = { last: 0, beforeLast: 0, other: 0, length: 0 };
  /** By how much the weight since the last structural character is more than an eighth of a token for each byte. */
  #credit = 0;

  /** How many letters `readSmallLetters` read. */
  letters = 0;

  /** The tables of ASCII, for the text that is begun. */
  get #costs(): AsciiTables {
    return (this.#ascii ??= makeAscii());
  }

  /** Begin at the beginning (0), or behind a structural character. */
  begin(before: number): void {
    this.#group = before === 0 ? GROUP.nothing : GROUP.mark;
    this.#run = before === 0 ? 0 : SEVERAL;
    this.#before = before;
    this.#inString = false;
    this.#credit = 0;
  }

  /** Read a code unit: what it costs, in thousandths of a token. */
  read(code: number): number {
    const isAscii = code < 128;
    const cost = isAscii ? this.#readAscii(code) : this.#readOther(code);
    const least = isAscii ? LEAST : leastCost(code, this.#before);
    this.#before = code;
    const due = cost + this.#credit < least ? least - this.#credit : cost;
    this.#credit = isOpening(code) ? 0 : this.#credit + due - least;
    return due;
  }

  /** Whether a word goes on in which the last letter was a small one of ASCII. */
  get isInSmallLetters(): boolean {
    return this.#group === GROUP.latin && this.#letter === LOWER;
  }

  /**
   * Read the small letters that go on a word, as `read` does: they are most of a text, and here they cost half.
   *
   * @returns the weight with theirs, at most the limit; `letters` is how many there were
   */
  readSmallLetters(json: string, from: number, { to, weight, limit }: Weighing): number {
    const { letterPairs } = this.#costs;
    let before = (this.#before | 32) - 97;
    let run = this.#run;
    let credit = this.#credit;
    let sum = weight;
    let end = from;
    for (; end < to; end += 1) {
      const letter = json.charCodeAt(end) - 97;
      if (letter < 0 || letter > 25) break;
      const cost = letterPairs[before * 26 + letter]! + lengthCost(run + 1);
      const due = cost + credit < LEAST ? LEAST - credit : cost;
      if (sum + due > limit) break;
      sum += due;
      credit += due - LEAST;
      run += 1;
      before = letter;
    }
    this.letters = end - from;
    if (end > from) this.#before = before + 97;
    this.#run = run;
    this.#credit = credit;
    return sum;
  }

  #readAscii(code: number): number {
    const folded = code | 32;
    if (folded >= 97 && folded <= 122)
      return this.#group === GROUP.latin ? this.#continueWord(code, folded) : this.#beginWord(code);
    if (code === SPACE) return this.#readSpace();
    return code >= 48 && code <= 57 ? this.#readDigit() : this.#readMark(code);
  }

  /** One space belongs to what follows; a run of them is a token. */
  #readSpace(): number {
    this.#run = this.#group === GROUP.space ? this.#run + 1 : 1;
    this.#group = GROUP.space;
    if (this.#run === 1) return 50;
    return this.#run === 2 ? 850 : 0;
  }

  /** Three digits are a token, and a space before them is one. */
  #readDigit(): number {
    const { digit, space } = GROUP;
    const first = this.#group === space ? 1575 : 1000;
    this.#run = this.#group === digit ? this.#run + 1 : 1;
    this.#group = digit;
    if (this.#run === 1) return first;
    return this.#run % 3 === 1 ? 1000 : 0;
  }

  #readMark(code: number): number {
    const group = this.#group;
    const { columns, column, markPairs } = this.#costs;
    const goesOn = group === GROUP.mark;
    const row = goesOn ? column[this.#before]! : firstRow(group);
    const isEscaped = goesOn && this.#run === ESCAPING && this.#before === BACKSLASH;
    const escapes = code === BACKSLASH && !isEscaped;
    this.#run = escapes ? ESCAPING : goesOn || group === GROUP.space ? SEVERAL : ALONE;
    this.#group = GROUP.mark;
    const cost = markPairs[row * columns + column[code]!]!;
    if (code === QUOTE && !isEscaped) {
      this.#inString = !this.#inString;
      this.#marks.length = 0;
      return cost;
    }
    if (!this.#inString) return cost;
    if (!goesOn) this.#marks.length = 0;
    // The escaped character pays for both.
    if (escapes) return this.#marks.length < RUN_OF_TWO ? cost : 0;
    return this.#readRunOfTwo(code) ?? cost;
  }

  /** Count a mark to the run of at most two kinds that it goes on or begins: what it costs there, once the run is long enough. */
  #readRunOfTwo(code: number): number | undefined {
    const marks = this.#marks;
    const { last, beforeLast, other, length } = marks;
    const isNew = length > 0 && code !== last && code !== other;
    marks.length = length === 0 ? 1 : isNew ? 2 : length + 1;
    marks.other = length === 0 ? 0 : code === last ? other : last;
    marks.beforeLast = length === 0 ? 0 : last;
    marks.last = code;
    if (marks.length <= RUN_OF_TWO) return undefined;
    const { columns, column, twoMarksInTurn, twoMarksAfterTwice } = this.#costs;
    const isTwice = last === beforeLast;
    const costs = (code === last ? marks.other === 0 : !isTwice) ? twoMarksInTurn : twoMarksAfterTwice;
    return costs[column[last]! * columns + column[code]!]!;
  }

  #beginWord(code: number): number {
    const group = this.#group;
    const before = this.#before;
    const isUpper = code < 97;
    if (group === GROUP.mark && this.#run === ESCAPING && isEscape(code)) {
      // `\n` is a token of its own; what follows begins anew.
      this.#group = GROUP.escape;
      return 925;
    }
    const isGlued = this.#run !== SEVERAL && !isOpening(before);
    this.#wordBegan = group === GROUP.space ? AFTER_SPACE : 0;
    this.#group = GROUP.latin;
    this.#run = 1;
    this.#letter = isUpper ? UPPER : LOWER;
    this.#capitals = isUpper ? 1 : 0;
    if (group === GROUP.space) return 850;
    if (group === GROUP.digit) return isUpper ? 1150 : 975;
    if (group !== GROUP.mark) return isUpper ? 1025 : 850;
    if (before === COMMA) return isUpper ? 475 : 100;
    if (isGlued) return this.#costs.wordAfterMark[this.#costs.column[before]!]!;
    return isUpper ? 975 : 875;
  }

  #continueWord(code: number, folded: number): number {
    const letter = this.#letter;
    const isUpper = code < 97;
    this.#letter = isUpper ? UPPER : LOWER;
    if (isUpper && letter !== UPPER) {
      // camelCase: a capital begins a word.
      this.#run = 1;
      this.#capitals = 1;
      this.#wordBegan = 0;
      return 950;
    }
    this.#run += 1;
    if (isUpper) {
      this.#capitals += 1;
      if (this.#capitals < 4) return 0;
      // After a space it is likely an acronym that the vocabulary knows.
      return this.#wordBegan === AFTER_SPACE ? 300 : 475;
    }
    if (letter === 0)
      return this.#scripts!.costs[this.#script * COSTS_OF_SCRIPT + PLACE.ascii]! + lengthCost(this.#run);
    if (letter === UPPER && this.#capitals > 1) {
      this.#capitals = 0;
      return 1100;
    }
    return this.#costs.letterPairs[((this.#before | 32) - 97) * 26 + folded - 97]! + lengthCost(this.#run);
  }

  #readOther(code: number): number {
    const { scripts, groups, isCapital, costs, families, rowPairs } = (this.#scripts ??= makeScripts());
    const script = scripts[code]!;
    // The second half of a pair was paid for with the first. JSON escapes it where it stands alone.
    if (script === 0) return isFirstHalf(this.#before) ? 0 : LONE_HALF;
    const group = groups[script]!;
    const lastScript = this.#letter === 0 ? this.#script : 0;
    const goesOn = group === this.#group && (isCapital[script] === 0 || isCapital[lastScript] === 1);
    const place = goesOn
      ? placeOf(this.#run + 1)
      : this.#group === GROUP.space
        ? PLACE.afterSpace
        : PLACE.elsewhere;
    const family = families[script]!;
    const isKin = goesOn && family !== 0 && family === families[lastScript];
    this.#run = goesOn ? this.#run + 1 : 1;
    this.#group = group;
    this.#script = script;
    this.#letter = 0;
    const cost = costs[script * COSTS_OF_SCRIPT + place]!;
    return isKin ? cost + rowPairs[family]![((this.#before >> 4) & 7) * 8 + ((code >> 4) & 7)]! : cost;
  }
}

const reader = new Reader();

function firstRow(group: number): number {
  switch (group) {
    case GROUP.space:
      return FIRST_AFTER.space;
    case GROUP.digit:
      return FIRST_AFTER.digit;
    case GROUP.nothing:
    case GROUP.escape:
      return FIRST_AFTER.nothing;
    default:
      return group < GROUP.sign ? FIRST_AFTER.letter : FIRST_AFTER.sign;
  }
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd8_00 && code < 0xdc_00;
}

/** The least cost of a character beyond ASCII; the first half of a surrogate pair stands for both. */
function leastCost(code: number, before: number): number {
  if (code < 0x8_00) return 2 * LEAST;
  if (isFirstHalf(code)) return 4 * LEAST;
  return code >= 0xdc_00 && code < 0xe0_00 && isFirstHalf(before) ? 0 : 3 * LEAST;
}

/** Long words are more often several tokens. */
function lengthCost(length: number): number {
  if (length < 8) return 0;
  return length < 12 ? 75 : 150;
}

function placeOf(length: number): number {
  if (length <= 4) return PLACE.toFourth;
  if (length <= 8) return PLACE.toEighth;
  return length <= 12 ? PLACE.toTwelfth : PLACE.beyond;
}

/** A structural character that a value follows. */
function isOpening(code: number): boolean {
  return code === COMMA || code === COLON || code === BRACKET || code === BRACE;
}

function isEscape(code: number): boolean {
  return code === 110 || code === 114 || code === 116;
}
