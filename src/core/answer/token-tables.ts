/** Table cells are digits of base 36, and one is worth so many thousandths of a token: two are just over an eighth. */
const STEP = 63;

/** The columns of the tables of marks; controls are the one after. */
export const MARKS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/** The group that a character belongs to. A run of one group is continued by it; letters of all alphabets but Latin are one group. */
export const GROUP = {
  nothing: 0,
  space: 1,
  digit: 2,
  mark: 3,
  escape: 4,
  latin: 5,
  alphabet: 6,
  han: 7,
  hangul: 8,
  /** And upwards: signs, every script of them a group of its own. */
  sign: 16,
} as const;

/** Costs of a script's row: `COSTS.costs[script * COSTS_OF_SCRIPT + place]`. */
export const COSTS_OF_SCRIPT = 8;
export const PLACE = {
  afterSpace: 0,
  elsewhere: 1,
  toFourth: 2,
  toEighth: 3,
  toTwelfth: 4,
  beyond: 5,
  ascii: 6,
};

/** The tables of ASCII. */
export interface AsciiTables {
  /** By row letter * 26 + column letter. */
  readonly letterPairs: Uint16Array;
  /** By row * `columns` + column; rows of marks that begin a run come after those of marks. */
  readonly markPairs: Uint16Array;
  readonly twoMarksInTurn: Uint16Array;
  readonly twoMarksAfterTwice: Uint16Array;
  readonly wordAfterMark: Uint16Array;
  readonly columns: number;
  /** The column of a mark, by its code. */
  readonly column: Uint8Array;
}

/** The tables of everything else, by script; 0 stands for no script. */
export interface ScriptTables {
  /** The script of a UTF-16 code unit. */
  readonly scripts: Uint8Array;
  readonly groups: Uint8Array;
  readonly isCapital: Uint8Array;
  readonly costs: Uint16Array;
  /** Scripts that share a table of rows have the same number; 0 for none. */
  readonly families: Uint8Array;
  readonly rowPairs: readonly Uint16Array[];
}

/** Costs of characters. Both are made when the first character that needs them is weighed. */
export interface TokenTables {
  makeAscii(): AsciiTables;
  makeScripts(): ScriptTables;
}

/**
 * Costs that are the same wherever a character stands: a few numbers in the place of thousands. For most texts they count more tokens
 * than there are, by a third for English prose and by up to two times for other scripts; for noise a tenth less.
 */
export const ROUGH_TABLES: TokenTables = {
  makeAscii() {
    const columns = MARKS.length + 1;
    const rows = columns + 5;
    return {
      letterPairs: new Uint16Array(26 * 26).fill(3 * STEP),
      markPairs: new Uint16Array(rows * columns).fill(10 * STEP),
      twoMarksInTurn: new Uint16Array(columns * columns).fill(8 * STEP),
      twoMarksAfterTwice: new Uint16Array(columns * columns).fill(11 * STEP),
      wordAfterMark: new Uint16Array(columns).fill(13 * STEP),
      columns,
      column: columnsOfMarks(),
    };
  },
  makeScripts() {
    const scripts = new Uint8Array(0x1_00_00).fill(1);
    scripts.fill(2, 0x20_00);
    scripts.fill(3, 0x2e_80, 0xd8_00);
    scripts.fill(2, 0xd8_00);
    scripts.fill(0, 0xdc_00, 0xe0_00);
    return {
      scripts,
      groups: Uint8Array.of(GROUP.nothing, GROUP.alphabet, GROUP.sign, GROUP.han),
      isCapital: new Uint8Array(4),
      // An alphabet, signs, and characters that are words or syllables.
      costs: Uint16Array.from(
        [
          [0, 0, 0, 0, 0, 0, 0, 0],
          [1_500, 1_200, 400, 400, 400, 400, 1_000, 0],
          [2_500, 2_500, 2_500, 2_500, 2_500, 2_500, 0, 0],
          [2_000, 1_200, 1_200, 1_200, 1_200, 1_200, 0, 0],
        ].flat(),
      ),
      families: new Uint8Array(4),
      rowPairs: [new Uint16Array(64)],
    };
  },
};

/** Make the column of every mark, by its code. */
export function columnsOfMarks(): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => {
    const column = MARKS.indexOf(String.fromCharCode(code));
    return column === -1 ? MARKS.length : column;
  });
}

/** Read a table from rows of digits. */
export function unpack(rows: readonly string[]): Uint16Array {
  return Uint16Array.from(rows.join(""), (digit) => STEP * Number.parseInt(digit, 36));
}
