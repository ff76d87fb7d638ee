import { readdir, readFile } from "node:fs/promises";

const TESTS = new URL("../", import.meta.url);
/** A text whose first words are marks, behind the name of a promise where there is one: `"P7: T16 a secret that …"`. */
const MARKED = /(["`])((?:P\d: )?(?:[TF]\d\d )+(?:\\.|(?!\1).)+)\1/g;

/** The title of a test, or of a group or a row of them, that says which rows it shows. */
export interface MarkedTitle {
  /** Where it stands, from the root of the repository. */
  readonly file: string;
  /** As Vitest knows it, placeholders and all. */
  readonly title: string;
  readonly marks: readonly string[];
  /** The sentence without its marks. */
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
  return Array.from(source.matchAll(MARKED), ([, quote, written]) => {
    const title = quote === "`" ? written! : (JSON.parse(`"${written}"`) as string);
    const [, words = ""] = /^(?:P\d: )?((?:[TF]\d\d )+)/.exec(title) ?? [];
    const sentence = title.replace(words, "").replace(/^P\d: /, "");
    return { file, title, marks: words.trim().split(" "), sentence };
  });
}
