import { readdir, readFile } from "node:fs/promises";

const TESTS = new URL("../", import.meta.url);
/** A text whose first words are marks, behind the name of a promise where there is one: `"P7: T16 a secret that …"`. */
const MARKED = /(["`])((?:P\d: )?(?:[TF]\d\d )+(?:\\.|(?!\1).)+)\1/g;

/** The marks before the sentence of a title. */
const BEGINNING = /^(?:P\d: )?((?:[TF]\d\d )*)/;
/** A group at the left margin: its title, which the titles inside go on from. */
const GROUP = /^describe\b[^]*?\(\s*(["`])((?:\\.|(?!\1).)+)\1,\s*(?:async )?\(/gm;
const GROUP_END = "\n});";

/** The title of a test, or of a group or a row of them, that says which rows it shows. */
export interface MarkedTitle {
  /** Where it stands, from the root of the repository. */
  readonly file: string;
  /** As Vitest knows it, placeholders and all. */
  readonly title: string;
  readonly marks: readonly string[];
  /** The sentence without its marks, behind that of the group it stands in. */
  readonly sentence: string;
}

/** Read every title with a mark out of the sources of the tests, in the order of their files. */
export async function findMarks(): Promise<readonly MarkedTitle[]> {
  const files = (await readdir(TESTS, { recursive: true }))
    .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
    .sort();
  const found = files.map(async (file) =>
    readMarks(await readFile(new URL(file, TESTS), "utf8"), `test/${file}`),
  );
  return (await Promise.all(found)).flat();
}

/** The marked titles of one source. */
export function readMarks(source: string, file: string): readonly MarkedTitle[] {
  const groups = Array.from(source.matchAll(GROUP), ({ 0: { length }, 2: title, index }) => ({
    begin: index + length,
    end: source.indexOf(GROUP_END, index),
    title: title!,
  }));
  return Array.from(source.matchAll(MARKED), ({ 1: quote, 2: written, index }) => {
    const title = quote === "`" ? written! : (JSON.parse(`"${written}"`) as string);
    const group = groups.find(({ begin, end }) => begin < index && index < end);
    return { file, title, marks: marksOf(title), sentence: sentenceOf(title, group?.title) };
  });
}

function marksOf(title: string): readonly string[] {
  return (BEGINNING.exec(title)?.[1] ?? "").trim().split(" ");
}

function sentenceOf(title: string, group?: string): string {
  return [group, title].flatMap((one) => one?.replace(BEGINNING, "") ?? []).join(" ");
}
