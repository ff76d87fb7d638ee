import { attemptNow } from "../kit/result.ts";

/**
 * What characters of JSON text cost in tokens of o200k_base, by where they stand: the tables of `estimate-tokens.ts`.
 *
 * They were fitted, not chosen: non-negative least squares over the pieces that the encoding splits text into, and over whole
 * texts, on prose in 45 languages (the first half of the Universal Declaration of Human Rights, XQuAD), source code, JSON and
 * random characters of every block. What follows `,`, `:`, `[` or `{` where a value may begin, and what follows a value, costs
 * the same after each of them, so that weights of parts add up.
 */

/** Table cells are digits of base 36, and one is worth so many thousandths of a token: two are just over an eighth. */
const STEP = 63;

/** A letter (column) after a letter (row) of the same word, case folded: rare neighbours are rarely one token. */
const LETTER_PAIRS = [
  "1402b405054010520010146109",
  "15a608e900i00b00920g2f9d0b",
  "181405c00a00di08701008jh06",
  "0eb0043a11d3k30id216048512",
  "0500001438750104000266001a",
  "0d8902c30ic0620fg00208ck0h",
  "62d60e502d30003ik13418shjd",
  "1jg80hfg0ie2300kk0c01m5b6a",
  "31001019e07100050030j0c3d3",
  "4nk80hc6010je140ff3p0jbnce",
  "8bh020005ie8g0cjj9088c3gpf",
  "10i000c11e90a4200702110j0e",
  "01o00f571mb50900l80d00j7bm",
  "1i00110047308530510001am9i",
  "3301606c3b0610000000021007",
  "0ga61a006c008910f0003dj52d",
  "fefjdwspglk1ilgkajc30neeqi",
  "1c10000e1n052006h000088g0b",
  "560305g43k504702640110270d",
  "3e0207c00c540900k0151g1105",
  "2116023h379001j3d001g7o008",
  "3ed30j0m1m53af44f5dhefjo2f",
  "1mic04c00842c007k0008a077b",
  "0n0f0gjf0nlh4fd2ild10mcd3q",
  "1e9g5jjo96lh2300n424bm4hic",
  "1ch80n389ce0c577uf69586e09",
];

/** The columns of the tables of marks; controls are the one after. */
export const MARKS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/** A mark (column) after a mark (row), in the order of `MARKS`. */
const MARK_PAIRS = [
  "308z93e08b8i457a9w1habd4ahebab7aa",
  "zaec0zxfhn20hfg5ifp6lizc0jiq0d0ma",
  "1g0a789i5elda9caaeaacbbkaia8bibca",
  "6em41c44b679545zaeccd998aahe0edha",
  "5n358s38267880daab9aa99edalbbfaba",
  "936a6749o9zab88bbabdea90ay9ccaa8a",
  "47542n33aa338107e7ababe3096bcdaaa",
  "41p7224351a67bcaa9d9a926aa36fyfda",
  "gpa56664644290c175jabc93fa02c93ca",
  "8ka3k7b250b03833ecahxa0facfgcb6aa",
  "f08t698828247n9cc93agaa67cjaaca9a",
  "m08519ab9a7406efdcaaab670aaf1pk9a",
  "h9b066897583069baaa0hb899caf0a9ca",
  "2104m7663h827004909aabc28a294c9aa",
  "9n021779b0698107baa7473da59c9djca",
  "d0beab9aa3a60b21b4aaa96g0aa01fc9a",
  "9jbabab98cacabjd9acebae3ejcbad6da",
  "2zabccukcasa3c0c9289bajmacaz6acca",
  "aj965a7c9aabaaafc900aa829cachpaaa",
  "bna990a00ac5ec8ad0o29b41c9a3qaaca",
  "ala7cc96cacab0j2eaaa0ia79bbcebbba",
  "aqaa9cdaaibccacbbgcdc9ad9g9cbbaca",
  "d09b9a06a9g003b0xl9caa6c0a821c99a",
  "c0cfcecca9had79abaaaac24ieccaccca",
  "azabaae1ad968393eaa84czh69ngea6ca",
  "azaic9aa9abdaah9e9z9aaa9bataaaeaa",
  "oyabdcf10ha6b5b7gjjccaa8la0c7vcaa",
  "ltg4eac78bf1kcb8a7c89h787ii27caaa",
  "a0ab99agc6bjb986aba9b0a00kj98z0aa",
  "bzrcby99b9cfcaba9batjca0babah2dca",
  "9392ba7bcpddjh9he7779a55dda3dad9a",
  "asbcacb9cfd9a9caba9dafabbb99cbb0a",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaag",
];

/** A mark that begins a run, after a space, a digit, a letter, nothing, or a sign that is not ASCII. */
const FIRST_MARKS = [
  "ducgebecieecehbedeehgefgeicbgf8jg",
  "ifkhedfddijggheghhhblkf8gi8ehjgjg",
  "jbgdgjcbchkdeefedefgfkcbdldblldlg",
  "g0cggedaccggjgfggfgjgi432gdjdgbgg",
  "a0a8aaafcaa2a9aaakaaaaa7aaaaaaaaa",
];

/** A word's first letter after a single mark, which often goes with it. */
const WORD_AFTER_MARK = "a0889044d3b6515673dd7766h90a67fa6";

/**
 * Characters beyond ASCII. In each row: the first of a run after a space, the first of a run elsewhere, then those up to the
 * fourth of a run, up to the eighth, up to the twelfth, and beyond; for Latin letters also an ASCII letter after one of them.
 */
const SCRIPTS = {
  latinSign: [1400, 1125, 1600, 1425, 2000, 1475],
  latin1: [1800, 1250, 450, 725, 875, 1025, 0],
  latinA: [1075, 1600, 1425, 675, 725, 1400, 0],
  latinB: [3350, 1475, 1000, 2500, 1275, 1950, 0],
  latinMore: [4150, 3350, 0, 3200, 1250, 1700, 0],
  combining: [6200, 2075, 500, 775, 0, 1775, 1550],
  greek: [800, 3025, 25, 475, 400, 300],
  greekUpper: [1800, 1400, 1750, 0, 1150, 1150],
  cyrillic: [1050, 1025, 75, 150, 175, 225],
  cyrillicUpper: [2025, 1700, 0, 1475, 0, 0],
  cyrillicOther: [1225, 1825, 850, 1100, 1075, 675],
  armenianUpper: [1700, 2325, 1875, 175, 825, 825],
  armenian: [575, 1225, 350, 100, 200, 100],
  hebrew: [1625, 1175, 25, 450, 200, 725],
  arabic: [675, 875, 175, 400, 725, 1225],
  persian: [275, 0, 425, 650, 1975, 1600],
  arabicOther: [5100, 1550, 925, 1675, 1950, 1600],
  devanagari: [750, 1475, 125, 175, 400, 0],
  bengali: [1000, 1300, 50, 200, 325, 75],
  gurmukhi: [400, 1425, 475, 550, 500, 500],
  gujarati: [600, 1975, 200, 275, 150, 475],
  odia: [500, 1625, 550, 675, 475, 475],
  tamil: [1800, 2650, 0, 0, 325, 275],
  telugu: [1725, 1425, 0, 200, 625, 300],
  kannada: [1125, 1425, 0, 375, 200, 350],
  malayalam: [1700, 1725, 0, 0, 375, 125],
  sinhala: [1475, 875, 100, 125, 125, 275],
  thai: [2075, 1450, 125, 0, 0, 250],
  lao: [2850, 2075, 1575, 1425, 1950, 1600],
  tibetan: [2875, 1725, 925, 825, 825, 875],
  myanmar: [2125, 1975, 200, 0, 125, 275],
  georgian: [625, 1650, 200, 325, 75, 525],
  ethiopic: [2925, 2175, 2000, 2025, 2000, 2000],
  khmer: [1975, 2325, 325, 25, 300, 325],
  greekAccented: [2575, 2450, 2450, 2450, 2450, 2450],
  rareLetter: [2200, 825, 2275, 2000, 1850, 1850],
  rare: [4475, 2500, 2500, 2500, 2500, 2500],
  unseen: [1375, 1175, 975, 575, 825, 875],
  punctuation: [1450, 1225, 1925, 800, 800, 50],
  sign: [1925, 1150, 2325, 1800, 1150, 2175],
  cjkSign: [2350, 1150, 1700, 1725, 1475, 1675],
  hiragana: [2850, 375, 775, 600, 125, 1150],
  katakana: [1975, 0, 950, 575, 0, 1150],
  han: [1375, 750, 700, 775, 825, 950],
  hanOther: [1175, 1175, 1375, 1475, 975, 650],
  hanRare: [2100, 2800, 2825, 2050, 2400, 2450],
  hangul: [800, 900, 675, 1100, 800, 1000],
  pairOther: [4400, 5100, 3675, 3725, 4200, 3825],
  emoji: [2650, 1900, 1775, 2425, 800, 1925],
  variation: [2600, 0, 1975, 1900, 800, 1750],
  fullWidth: [1725, 950, 1450, 1475, 1400, 1400],
} as const;

export type Script = keyof typeof SCRIPTS;

/** Where scripts begin, in rows of 16. The second half of a surrogate pair costs nothing: the first paid for both. */
const RANGES: readonly (readonly [number, Script | null])[] = [
  [0, null],
  [0x0080, "latinSign"],
  [0x00c0, "latin1"],
  [0x0100, "latinA"],
  [0x0180, "latinB"],
  [0x0250, "rareLetter"],
  [0x0300, "combining"],
  [0x0370, "rareLetter"],
  [0x0380, "greekUpper"],
  [0x03b0, "greek"],
  [0x03d0, "rareLetter"],
  [0x0400, "cyrillicOther"],
  [0x0410, "cyrillicUpper"],
  [0x0430, "cyrillic"],
  [0x0450, "cyrillicOther"],
  [0x0460, "rareLetter"],
  [0x0530, "armenianUpper"],
  [0x0560, "armenian"],
  [0x0590, "hebrew"],
  [0x0600, "arabicOther"],
  [0x0620, "arabic"],
  [0x0660, "arabicOther"],
  [0x0670, "persian"],
  [0x06d0, "arabicOther"],
  [0x0700, "rareLetter"],
  [0x0750, "arabicOther"],
  [0x0780, "rareLetter"],
  [0x0900, "devanagari"],
  [0x0980, "bengali"],
  [0x0a00, "gurmukhi"],
  [0x0a80, "gujarati"],
  [0x0b00, "odia"],
  [0x0b80, "tamil"],
  [0x0c00, "telugu"],
  [0x0c80, "kannada"],
  [0x0d00, "malayalam"],
  [0x0d80, "sinhala"],
  [0x0e00, "thai"],
  [0x0e80, "lao"],
  [0x0f00, "tibetan"],
  [0x1000, "myanmar"],
  [0x10a0, "georgian"],
  [0x1100, "rare"],
  [0x1200, "ethiopic"],
  [0x13a0, "rare"],
  [0x1780, "khmer"],
  [0x1800, "rare"],
  [0x1e00, "latinMore"],
  [0x1f00, "greekAccented"],
  [0x2000, "unseen"],
  [0x2010, "punctuation"],
  [0x2060, "unseen"],
  [0x2070, "sign"],
  [0x3000, "cjkSign"],
  [0x3040, "hiragana"],
  [0x30a0, "katakana"],
  [0x3100, "rare"],
  [0x4e00, "han"],
  [0xa000, "rare"],
  [0xac00, "hangul"],
  [0xd7b0, "rare"],
  [0xd800, "pairOther"],
  [0xd830, "emoji"],
  [0xd840, "pairOther"],
  [0xdc00, null],
  [0xe000, "rare"],
  [0xfe00, "variation"],
  [0xfe10, "rare"],
  [0xff00, "fullWidth"],
  [0xfff0, "rare"],
];

/**
 * Scripts whose blocks are laid out alike, vowels below consonants and so on: a character of row r after one of row q of its
 * block costs the digit at [q][r] besides. Prose keeps to few of these pairs, noise does not.
 */
const ROW_PAIRS: readonly { readonly scripts: readonly Script[]; readonly costs: readonly string[] }[] = [
  {
    scripts: [
      "devanagari",
      "bengali",
      "gurmukhi",
      "gujarati",
      "odia",
      "tamil",
      "telugu",
      "kannada",
      "malayalam",
    ],
    costs: ["9823zusx", "99300zza", "54800wqq", "24310ip3", "1224wyn6", "zzygfzzz", "zzzzzzoz", "zb6zzzzz"],
  },
  {
    scripts: ["sinhala"],
    costs: ["zi08bqzz", "zqf100zz", "qucd50sx", "ta6721zz", "wg7532zz", "zkc7dmvz", "ozspzmzz", "zxpgznzw"],
  },
  {
    scripts: ["thai", "lao"],
    costs: ["67213z00", "77320v00", "3a002t00", "756z0y00", "a003cv00", "zzzszr00", "00070000", "00000001"],
  },
  {
    scripts: ["khmer"],
    costs: ["5c3415jr", "071017jt", "oajff3ns", "56pn0elv", "8dae4hmn", "a0wwourt", "ytzxrw7v", "xuzqnxfq"],
  },
  {
    scripts: ["myanmar"],
    costs: ["npc0izvx", "7h00imsq", "5a03ismz", "7a32eztl", "txtr9qxp", "zujxkvkz", "snzmouqo", "jmqkipzq"],
  },
  {
    scripts: ["tibetan"],
    costs: ["urrp020z", "nhlkzrov", "iihkwxus", "bsooprmi", "4wkjkl7i", "7yqhgich", "3ahslpom", "3tquegav"],
  },
];

const CAPITALS: ReadonlySet<Script> = new Set(["greekUpper", "cyrillicUpper", "armenianUpper"]);

/** What a character is part of. A run of one group is continued by it; letters of all alphabets but Latin are one group. */
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

const GROUPS: readonly { readonly group: number; readonly scripts: readonly Script[] }[] = [
  { group: GROUP.latin, scripts: ["latin1", "latinA", "latinB", "latinMore", "combining"] },
  { group: GROUP.han, scripts: ["han", "hanOther", "hanRare", "hiragana", "katakana"] },
  { group: GROUP.hangul, scripts: ["hangul"] },
];

const SIGNS: ReadonlySet<Script> = new Set<Script>([
  "latinSign",
  "rareLetter",
  "rare",
  "unseen",
  "punctuation",
  "sign",
  "cjkSign",
  "pairOther",
  "emoji",
  "variation",
  "fullWidth",
]);

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

/** The tables of ASCII, unpacked. */
export const ASCII = {
  /** By row letter * 26 + column letter. */
  letterPairs: unpack(LETTER_PAIRS),
  /** By row * `columns` + column; the rows of `FIRST_MARKS` come after those of marks. */
  markPairs: unpack([...MARK_PAIRS, ...FIRST_MARKS]),
  wordAfterMark: unpack([WORD_AFTER_MARK]),
  columns: MARKS.length + 1,
  /** The column of a mark, by its code. */
  column: Uint8Array.from({ length: 128 }, (_, code) => {
    const column = MARKS.indexOf(String.fromCharCode(code));
    return column === -1 ? MARKS.length : column;
  }),
};

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

let tables: ScriptTables | undefined;

/** Make the tables of scripts when the first character beyond ASCII is weighed, once. */
export function scriptTables(): ScriptTables {
  return (tables ??= makeTables());
}

function makeTables(): ScriptTables {
  const names = [null, ...(Object.keys(SCRIPTS) as Script[])];
  const indexOf = (script: Script | null): number => names.indexOf(script);
  const groupOf = (script: Script | null, index: number): number => {
    if (script === null) return GROUP.nothing;
    const found = GROUPS.find(({ scripts }) => scripts.includes(script));
    return found?.group ?? (SIGNS.has(script) ? GROUP.sign + index : GROUP.alphabet);
  };
  const costs = new Uint16Array(names.length * COSTS_OF_SCRIPT);
  for (const [index, script] of names.entries())
    if (script !== null) costs.set(SCRIPTS[script], index * COSTS_OF_SCRIPT);
  const familyOf = (script: Script | null): number =>
    1 + ROW_PAIRS.findIndex(({ scripts }) => script !== null && scripts.includes(script));
  return {
    scripts: scriptsOfCodes(indexOf),
    groups: Uint8Array.from(names, groupOf),
    isCapital: Uint8Array.from(names, (script) => (script !== null && CAPITALS.has(script) ? 1 : 0)),
    costs,
    families: Uint8Array.from(names, familyOf),
    rowPairs: [new Uint16Array(64), ...ROW_PAIRS.map((family) => unpack(family.costs))],
  };
}

function scriptsOfCodes(indexOf: (script: Script | null) => number): Uint8Array {
  const scripts = new Uint8Array(0x1_00_00);
  for (const [from, script] of RANGES) scripts.fill(indexOf(script), from);
  scripts.fill(indexOf("sign"), 0x20_10, 0x20_60);
  for (const character of "–—‘’“”„•…") scripts[character.charCodeAt(0)] = indexOf("punctuation");
  // Line separators and bidirectional controls stand in a row of punctuation.
  scripts.fill(indexOf("unseen"), 0x20_28, 0x20_30);
  // Half of the row of emoji is notation and letters for mathematics.
  scripts.fill(indexOf("pairOther"), 0xd8_30, 0xd8_3c);
  const fill = (script: Script, from: number, characters: Iterable<string>): void => {
    for (const character of characters) {
      const code = character.charCodeAt(0);
      if (code >= from && code < 0xd8_00) scripts[code] = indexOf(script);
    }
  };
  const [simplified, traditional, japanese, korean] = COMMON.map(charactersOf);
  if (simplified === undefined || traditional === undefined || japanese === undefined) return scripts;
  scripts.fill(indexOf("hanRare"), 0x4e_00, 0xa0_00);
  fill("hanOther", 0x4e_00, traditional);
  fill("hanOther", 0x4e_00, japanese);
  fill("han", 0x4e_00, simplified);
  if (korean === undefined) return scripts;
  scripts.fill(indexOf("hanRare"), 0xac_00, 0xd7_a4);
  fill("hangul", 0xac_00, korean);
  return scripts;
}

/**
 * The characters in common use, as the encodings of old have them: their makers put those first, and the runtime knows the
 * encodings. Each by the bytes that its first level spans.
 */
const COMMON = [
  { encoding: "gb18030", first: [0xb0, 0xd7], second: [0xa1, 0xfe] },
  { encoding: "big5", first: [0xa4, 0xc6], second: [0x40, 0xfe] },
  { encoding: "shift_jis", first: [0x88, 0x97], second: [0x40, 0xfc] },
  { encoding: "euc-kr", first: [0xb0, 0xc8], second: [0xa1, 0xfe] },
] as const;

/** Undefined where the runtime does not know the encoding: then every character counts as common. */
function charactersOf({ encoding, first, second }: (typeof COMMON)[number]): string | undefined {
  const bytes: number[] = [];
  for (let high: number = first[0]; high <= first[1]; high += 1)
    for (let low: number = second[0]; low <= second[1]; low += 1)
      if (low < 0x7f || low > (encoding === "big5" ? 0xa0 : 0x7f)) bytes.push(high, low);
  const text = attemptNow(() => new TextDecoder(encoding).decode(Uint8Array.from(bytes)));
  return text.ok ? text.value : undefined;
}

function unpack(rows: readonly string[]): Uint16Array {
  return Uint16Array.from(rows.join(""), (digit) => STEP * Number.parseInt(digit, 36));
}
