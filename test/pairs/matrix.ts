import { readFile } from "node:fs/promises";

import type { Mark } from "../promises/rows.ts";

/** The features and mechanisms, in the order of the matrix: a pair stands in the row of its first. */
export const FEATURES = [
  "batch",
  "stream",
  "idempotency",
  "jobs",
  "deadline",
  "references",
  "loops",
  "approvals",
  "links",
  "remembered",
  "added tools",
  "flows",
  "hooks",
  "clocks",
  "background",
  "agent",
  "turns",
  "MCP",
  "tasks",
  "sign-in",
  "subjects",
  "connections",
  "park",
  "made keys",
  "runs",
  "rerun",
  "undo",
  "endpoints",
  "portal",
  "operator",
  "export and restore",
  "deletion",
  "vault rotation",
] as const;
export type Feature = (typeof FEATURES)[number];

/** A risk between two features, and the test that would see it. */
export interface TestedCell {
  readonly risk: string;
  readonly test: string;
  /** The test's title, or a part of it that stands once in its file. */
  readonly title: string;
  /** The rows that the test would see broken between the two. None where the risk is no row's: a count, a list, something that cannot be used. */
  readonly tries: readonly Mark[];
  /** Rows of which other tests, that are named after them, try the two: with the title of one of these, or a part of it. */
  readonly also?: Readonly<Partial<Record<Mark, string>>>;
}

/** Why two features do not meet, and the line of `src` that keeps them apart. */
export interface ApartCell {
  readonly apart: string;
  readonly file: `src/${string}`;
  readonly line: string;
}

export type Cell = TestedCell | ApartCell;

type After<All, F> = All extends readonly [infer First, ...infer Rest]
  ? First extends F
    ? Rest[number]
    : After<Rest, F>
  : never;
/** The cells of a feature with each one after it: a pair that is missing does not compile. */
export type RowOf<F extends Feature> = Readonly<Record<After<typeof FEATURES, F> & Feature, Cell>>;

export interface Row {
  readonly feature: Feature;
  readonly cells: readonly { readonly feature: Feature; readonly cell: Cell | undefined }[];
}

/** Read the rows, each a file of `rows` that is named after its feature and exports `row`. */
export async function readMatrix(): Promise<readonly Row[]> {
  const rows = FEATURES.slice(0, -1);
  return await Promise.all(
    rows.map(async (feature) => {
      const path = `./rows/${feature.toLowerCase().replaceAll(" ", "-")}.ts`;
      const { row } = (await import(path)) as { readonly row: Readonly<Record<string, Cell>> };
      const after = FEATURES.slice(FEATURES.indexOf(feature) + 1);
      return { feature, cells: after.map((other) => ({ feature: other, cell: row[other] })) };
    }),
  );
}

/** Two features, and the rows that they are tried against. */
export interface TriedPair {
  readonly pair: readonly [Feature, Feature];
  readonly marks: readonly Mark[];
}

/** Each pair that has a test, in the order of the matrix. */
export function triedPairs(rows: readonly Row[]): readonly TriedPair[] {
  return rows.flatMap(({ feature, cells }) =>
    cells.flatMap(({ feature: other, cell }) =>
      cell !== undefined && "risk" in cell ? [{ pair: [feature, other] as const, marks: marksOf(cell) }] : [],
    ),
  );
}

/** The rows that a cell's two features are tried against. */
export function marksOf({ tries, also = {} }: TestedCell): readonly Mark[] {
  return [...tries, ...(Object.keys(also) as Mark[])];
}

/** Find the cell of two features, in the order of the matrix. */
export async function findCell([one, other]: readonly [Feature, Feature]): Promise<Cell | undefined> {
  const row = (await readMatrix()).find(({ feature }) => feature === one);
  return row?.cells.find(({ feature }) => feature === other)?.cell;
}

/** Say what is wrong with a cell; nothing where its test or its line stands as it says. */
export async function checkCell(cell: Cell | undefined): Promise<string | undefined> {
  if (cell === undefined) return "the pair has neither a test nor a reason";
  if ("risk" in cell) {
    const count = (await readText(cell.test)).split(cell.title).length - 1;
    return count === 1 ? undefined : `'${cell.title}' stands ${count} times in ${cell.test}`;
  }
  if (!cell.file.startsWith("src/")) return `${cell.file} is not of src`;
  const stands = (await readText(cell.file)).includes(cell.line);
  return stands ? undefined : `'${cell.line}' does not stand in ${cell.file}`;
}

async function readText(path: string): Promise<string> {
  return await readFile(path, "utf8").catch(() => "");
}
