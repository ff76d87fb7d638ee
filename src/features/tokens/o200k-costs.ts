import { attemptNow } from "../../feature/refuse.ts";

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

/** Costs of a script's row: `costs[script * COSTS_OF_SCRIPT + place]`. */
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

/**
 * Costs of characters of JSON text in tokens of o200k_base, by the place where they stand, for `count-o200k.ts`.
 *
 * They were fitted, none was chosen by hand: non-negative least squares over words and whole texts, on prose in 45 languages
 * (the Universal Declaration of Human Rights, XQuAD), source code, JSON and random characters of every block. Bounded from
 * below so that no run of anything costs less than an eighth of a token for each of its bytes.
 */

/** A letter (column) after a letter (row) of the same word, case folded: rare neighbours are rarely one token. */
const LETTER_PAIRS = [
  "0402a506044010523020056008",
  "159507bc00k00d00i20i2jg70b",
  "081204c00b00ck08b0100fli05",
  "0ec0033c11g3k30mh21706c402",
  "04000004387401030002651018",
  "0c6801f80pa0940pf00108io1l",
  "60e70h702f51003jk1241dtdjh",
  "0ml90ggj0qi1300mo0d00r8i6d",
  "3100001ac07000040030h0d3b0",
  "4zm90j96040pi041an2q0ketd9",
  "8bh020004kf9f1cgn9098g1gpn",
  "00j000b21f91a0200a02010g0d",
  "01o00n571nc40a00q70e06hbbm",
  "1j00110048308530840001bl8i",
  "1201505c3b0500002000010006",
  "0ga81c006j108810c0002hq72f",
  "giexgvurhln0lvvi9mc00zfeym",
  "1d10000f0p052006k000088g0a",
  "570705h42k403802830000370c",
  "3e0206g00e640900j0250g2006",
  "3128032i39a100l2i000g8p007",
  "3lx20d0m1u68bf46d5dgfjmq3h",
  "0ohb0ff00242m008y00088098c",
  "0f0m0kjn0ono6lg3rqh03mbj4r",
  "1dah4nkq9gmh2200p423bo4cje",
  "2fqa0k3abdf0h67czia85g6f0b",
];

/** A mark (column) after a mark (row), in the order of `MARKS`. */
const MARK_PAIRS = [
  "0na085v3za30908c9i099gg0c9pe8d88a",
  "zacbaz0kij50zgp9ifz5ykzc0klz0f0qa",
  "zb056000840f00d89p89f9nj8ga5ch7ga",
  "44077585n0kcmzbc9zhgj893899k0nkna",
  "0j2k7007300d0809a9bab78gk88h9l8ea",
  "604ql7010007a209h7blpia08a8dz897a",
  "4996606z9002014deea8elu608zahhz9a",
  "40z085456fc07cf8dei80d15a836gazka",
  "ra098f025472z0m1757e8983fe02c73fa",
  "e9e300f100c0j854thehib0fzdehehe9a",
  "00003000ia0zg08cz749rge07er989c7a",
  "00i2b3v4za054c2alhfb8i860dbt1d98a",
  "00k090000o8609zg8c70gc51hl9i3a5ga",
  "700b005c4ig30002906zzgb3z84x3g8fa",
  "eg0050aoa0m6420ib7w4571bc3idllk9a",
  "90djcgz6e2eb4d112dfad78h68f61z47a",
  "8th9dzy97j8heccgdadne7l2fdgf9emaa",
  "3z7zfea9j9763j0a72a9c8fpmhc877jha",
  "7e8559hha788szzkk70097418hc5di88a",
  "9s8c92z108h7ji89e0o2ae31e992becga",
  "8x73hh99jbj9g0a3id9d0h8b9ichjf9aa",
  "7z589gz77ccik7ihgggbfaak8i9ciddha",
  "e08za80fatq045908n9h5a862c711h28a",
  "i0ipidbiaafal46fgaaaai55imihaidfa",
  "8z9ha9t1af07720eec872izf78igi87fa",
  "az7iiaa97ahib8k8e9m89dacdcid89j8a",
  "az9djlz20ga7e4g9i99eh8h8m60dza99a",
  "lzm3n3db3fl0kca640zz7h987nz36ie9a",
  "909s869hzl9lgm8dgd7ac1f02ml9962ba",
  "8zb7ea78g7fkccfa9c99au70f8c880eia",
  "8082gn7cgpajifzig089edo6j897ibj9a",
  "8zff7g879ki7d8d8b98jao8fab779ee1a",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaai",
];

/**
 * A mark (column) after another (row) where a run has had only these two for a while, and the mark before was the column's:
 * `=-=-=-`. Few of these are in the vocabulary and those that are go far, so the row of `MARK_PAIRS` says nothing about them. On the
 * diagonal, a mark that alone makes the run.
 */
const TWO_MARKS_IN_TURN = [
  "1q7i7e877ag89488f99b6ifi9idejg9fa",
  "7g7a7b700779707777007aaa3a780707a",
  "9q0agc889d47da88f7a77ifieicejglfa",
  "eqa4gn798978a8449848778ijj4jcgdga",
  "bqeh1i889dg8aa888aa7gaci9aaecg9fa",
  "gq8hi8h3a5ha55777755hjnjag9fnhaea",
  "aqadaj487a8ea98a87487i7icaaec8cfa",
  "boa8ac94478992889999a87i9499b898a",
  "9o9c979947799677c9988ibi79a9g8dga",
  "7qgagh7770g79977gd98gacjcl9jjglia",
  "eq1deja97d1719877aabgigibideig9fa",
  "a8baaa294994928377d83bci9a97fg98a",
  "7qga7h799937085477375icjca9kb5a5a",
  "9o777h7d699d90a85898caca9a9aj6aaa",
  "9q8daf9a76a8c50a79988bcada9e7gc8a",
  "a8adaf6977b58961g8ad79ca9aa9bg9ia",
  "fqfbafa93d9b9c9e17d7giiici99ig9fa",
  "9qabifa87cia7977a2799liibj7jijfga",
  "7o7c7h99798g1997ga056a7j9l9d7ga9a",
  "inabaaa98ci99c98a9c27ejjalcf7a7fa",
  "3qbdejb8ade2c3abe9c92ifi9iaei89fa",
  "fqfdajfafaf9da79fba5f29ggkbeagdga",
  "7q588ka998588488h4a37b8j4a7ahgaca",
  "hqhjhoihggiifaaaihgehlo8ajhfmgaga",
  "bniibd6b8887877b877abj6d8a7chaada",
  "fqfjamad9bfa77aafdbbfiajb29jfggga",
  "gqac7a7ab9g7987a779d7kbhda0jj6aia",
  "iqijjljbbbj8bajbbd74jlbj9jb8mjaea",
  "bo388k894fh7d399h4a9hb5l673e8acca",
  "eqehej988deecceeebd7ahjjahcea49fa",
  "bod8bd5b3db7aa9bb5aab8ddbmabdb8fa",
  "fqfhfmfaebfa47a9fe7efhmjkhbjmfk1a",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

/** The same where the row's mark stood twice: `==-`. On the diagonal, a mark after itself. */
const TWO_MARKS_AFTER_TWICE = [
  "3khdedfe9jdfj9ifcgjcjce9cce97dcda",
  "q3qqqqqqqqqlqqqkqqqqqqqqqqqqqqqqa",
  "fk3edeffgekeejifcgjgech99c99hddda",
  "hol3igjjkmjfmbeellfljjjeggffeilia",
  "hkbb39ffgedfjjfffcjgdee9cej8edcda",
  "cqkim3ljfnlmnnooopnlllkgojmkkloja",
  "gkgfg93iijf9jdiafg9fecg8kej8eilda",
  "hqg9gfa39big9ffigj99gfa9ce8c9icfa",
  "jqfefg993bba99bb8kjifc9abf9ddigda",
  "ch9d9fcbb399dd8b9ada9ce8ebdb89aba",
  "bkhfb9gabe39i9fe9cicdcd8ace89dcda",
  "gghggcff9jj3jfidegeijde8jejledjfa",
  "9h9ccfc99dj939af9fl9a5e8efdb6acia",
  "9ncgcf999de9f32ea9da8c7cbffchacfa",
  "akaegeagbbgalk3a9b99fbecfej8ad9fa",
  "glgegehabbhmeah3dbj9efecce8d9dc9a",
  "ckcdgegfgejhjljb3gegdc98ecjd9dcda",
  "fhfecdf999cffgigf3gffbg7bafagbh9a",
  "9ncecfa99dc9fdec9f3aace7abdfe9cfa",
  "bqfefdg9aebakeg7fgl39hhacc9ihfe9a",
  "gkhfb9hfgebilgghbgkj3ce9ccj89fcda",
  "hohflehghmhljmmghfmih3ccfhgdiilia",
  "oqhpkiffkkokklkkmmflom3ggmjilloja",
  "mqmmmlmmmlmmlmmmmmllmol3olnljlola",
  "mkjfmgamfkjdkdjmkjdmmhig3ijkkmiea",
  "hohglhlegfhlggllhhffhfcej3mfeibia",
  "9h8ecdc87d99d9989fdacbb6fd3bhacba",
  "jmjfjejmmdjfdmjmmejhjjjehfd3fjifa",
  "lqlkkikkolmoclfkmmffmjkikolj3m9ja",
  "bkbbb9aaaebblkbbbbeggbaacbk8c3cda",
  "mqjgmgam9jmdmmjmmhmfmgggjomjam3ka",
  "ckcbcccgbccghggccehecbeaebcdecb3a",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

/** A mark that begins a run, after a space, a digit, a letter, nothing, or a sign that is not ASCII. */
const FIRST_MARKS = [
  "dzbgdadcheelehcgfeehgdgeghbaff5dg",
  "nftkehgjfmigfgdgjjodjuk9gp8hnqgqg",
  "j8mfkjdacikdgdfeeeegeldadvcbwsdsg",
  "g0cggee7bbggjfeggegjgi050gcgdg8gg",
  "a0a9aaafdaa2a5aaajaaaaa9aaaaaaaaa",
];

/** A word's first letter after a single mark, which often goes with it. */
const WORD_AFTER_MARK = "i05gh025qc864256e4ef9766xa0j65vf6";

/**
 * Characters beyond ASCII. In each row: the first of a run after a space, the first of a run elsewhere, then those up to the
 * fourth of a run, up to the eighth, up to the twelfth, and beyond; for Latin letters also an ASCII letter after one of them.
 */
const SCRIPTS = {
  latinSign: [1500, 1000, 1875, 1650, 2275, 1700],
  latin1: [1975, 1175, 450, 750, 850, 1175, 0],
  latinA: [1050, 1475, 1550, 650, 675, 1600, 0],
  latinB: [3700, 1325, 1075, 2650, 1125, 2250, 0],
  latinMore: [4625, 3700, 0, 3475, 1450, 1950, 0],
  combining: [7800, 2175, 325, 550, 0, 2050, 1775],
  greek: [825, 3450, 0, 475, 400, 325],
  greekUpper: [1850, 1475, 1875, 0, 925, 925],
  cyrillic: [1000, 1000, 70, 150, 170, 215],
  cyrillicUpper: [2050, 1800, 0, 1450, 0, 0],
  cyrillicOther: [1250, 2100, 875, 1100, 1075, 625],
  armenianUpper: [1975, 2750, 2200, 0, 675, 675],
  armenian: [650, 1200, 300, 100, 200, 100],
  hebrew: [1675, 1150, 0, 450, 175, 825],
  arabic: [675, 875, 180, 410, 720, 1410],
  persian: [250, 0, 425, 650, 2000, 1850],
  arabicOther: [5650, 1550, 950, 1700, 1975, 1825],
  devanagari: [650, 1325, 110, 175, 375, 0],
  bengali: [1000, 1200, 50, 200, 350, 75],
  gurmukhi: [375, 1425, 475, 575, 475, 475],
  gujarati: [575, 1975, 225, 300, 175, 500],
  odia: [500, 1625, 550, 675, 475, 475],
  tamil: [1850, 2700, 0, 0, 350, 300],
  telugu: [1775, 1350, 0, 200, 625, 350],
  kannada: [1100, 1325, 0, 400, 225, 375],
  malayalam: [1750, 1625, 0, 0, 375, 150],
  sinhala: [1575, 825, 50, 100, 125, 300],
  thai: [2600, 1875, 40, 0, 0, 260],
  lao: [3275, 2225, 1600, 1475, 1750, 1625],
  tibetan: [3225, 1700, 925, 850, 850, 900],
  myanmar: [2450, 2275, 200, 0, 150, 325],
  georgian: [625, 1650, 200, 325, 75, 525],
  ethiopic: [3425, 900, 2350, 1875, 1825, 2075],
  khmer: [2250, 2525, 300, 0, 300, 325],
  greekAccented: [2625, 2500, 2500, 2500, 2500, 2500],
  rareLetter: [2600, 950, 2725, 2275, 2150, 2150],
  rare: [4700, 2850, 3200, 2850, 2850, 2850],
  unseen: [1575, 1425, 1100, 750, 825, 1000],
  punctuation: [1375, 1175, 1000, 700, 700, 500],
  sign: [2150, 1400, 2700, 2125, 1125, 2500],
  commonSign: [1400, 950, 700, 700, 700, 700],
  cjkSign: [2675, 950, 1950, 2000, 1650, 1900],
  hiragana: [3700, 475, 675, 550, 0, 1300],
  katakana: [2350, 0, 1075, 550, 0, 1300],
  han: [1400, 800, 700, 750, 750, 1075],
  hanOther: [1100, 1175, 1500, 1600, 900, 275],
  hanRare: [2475, 3625, 3200, 2500, 2100, 2925],
  hangul: [775, 875, 700, 1100, 800, 1150],
  pairOther: [5075, 6100, 4225, 4300, 4800, 4400],
  emoji: [2425, 2000, 2350, 2725, 800, 2200],
  variation: [2925, 0, 2325, 2150, 800, 2025],
  fullWidth: [1950, 975, 1675, 1675, 1575, 1625],
} as const;

type Script = keyof typeof SCRIPTS;

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

/** Signs that the vocabulary has, each as one token: most have two or three. */
const COMMON_SIGNS =
  "°·×‚‟†‡․′″‹›※‼₪€₹℃№™Ω←↑→↓⇒∀∆−∙√∞∨≈≤≥≫①②③④⑤─━│┃├┣═║╗╝▀▄█▋░▒▓■□▪▫▬▲△▶▷►▼▽◆◇○◎●★☆☎☴☺♀♂♡♥♦♪♫✅✓✔✨❤➡" +
  "、。々〇〈〉《》「」『』【】〒〔〕〖〜！％＆（）＊＋，－．／：；＜＝＞？＠［＼］＾＿｀｜～";

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
    costs: ["a823zywz", "a9300zzb", "54800zst", "24310js3", "0114zzo5", "zzzggzzz", "zzzzzzrz", "zc6zzzzz"],
  },
  {
    scripts: ["sinhala"],
    costs: ["zi09cwzz", "zug100zz", "uyde50xz", "ya5820zz", "zg6521zz", "zld7drzz", "rzxvzrzz", "zzvhzszz"],
  },
  {
    scripts: ["thai", "lao"],
    costs: ["67202z30", "76310z00", "3a001z07", "746z0z61", "b003cz38", "zzzwzz02", "b7cjg099", "7901708c"],
  },
  {
    scripts: ["khmer"],
    costs: ["5c4404nw", "071007oz", "namfg1tx", "56rr0doz", "8dcg5isq", "b0zzwzxy", "zzzzyz6z", "zzzxtzju"],
  },
  {
    scripts: ["myanmar"],
    costs: ["psc0mzzz", "7h00kryw", "3902iypz", "5821dzxp", "zzzx9vzt", "zzlzozlz", "yrzqtzur", "mqvnmszu"],
  },
  {
    scripts: ["tibetan"],
    costs: ["yzzz020z", "tmtozzwz", "nompzzzz", "czxxuwoh", "1zrllm7j", "5zzigjbh", "06dzmrtn", "1zzzegaz"],
  },
];

const CAPITALS: ReadonlySet<Script> = new Set(["greekUpper", "cyrillicUpper", "armenianUpper"]);

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
  "commonSign",
  "cjkSign",
  "pairOther",
  "emoji",
  "variation",
  "fullWidth",
]);

/** The tables as they were fitted. A feature gives them: core alone weighs roughly. */
export function makeAscii(): AsciiTables {
  return {
    letterPairs: unpack(LETTER_PAIRS),
    markPairs: unpack([...MARK_PAIRS, ...FIRST_MARKS]),
    twoMarksInTurn: unpack(TWO_MARKS_IN_TURN),
    twoMarksAfterTwice: unpack(TWO_MARKS_AFTER_TWICE),
    wordAfterMark: unpack([WORD_AFTER_MARK]),
    columns: MARKS.length + 1,
    column: columnsOfMarks(),
  };
}

/** Make the tables of everything else. */
export function makeScripts(): ScriptTables {
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
  for (const character of COMMON_SIGNS) scripts[character.charCodeAt(0)] = indexOf("commonSign");
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

/** Make the column of every mark, by its code. */
function columnsOfMarks(): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => {
    const column = MARKS.indexOf(String.fromCharCode(code));
    return column === -1 ? MARKS.length : column;
  });
}

/** Read a table from rows of digits. */
function unpack(rows: readonly string[]): Uint16Array {
  return Uint16Array.from(rows.join(""), (digit) => STEP * Number.parseInt(digit, 36));
}
