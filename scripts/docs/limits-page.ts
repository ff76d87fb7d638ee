import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const ROW = /^\| `(\w+)` \| ([\d,]+)([^|]*) \| (.*) \|$/;

/** A limit where it is declared. */
const DECLARED = /^export (?:const|let) (\w+) =/gm;

export interface LimitsSource {
  /** The text that declares them: its comments are the reasons. */
  readonly source: string;
  readonly limits: Readonly<Record<string, number>>;
}

const ROOT = new URL("../../", import.meta.url);

/** Every limit: core's, those of the tools, and each feature's, which stand in its folder. */
export async function readLimits(): Promise<LimitsSource> {
  const features = globSync("src/features/*/limits.ts", { cwd: fileURLToPath(ROOT) });
  const files = ["src/core/contract/limits.ts", ...features.sort(), "src/tools/kit/limits.ts"];
  const sources = await Promise.all(files.map((file) => readFile(new URL(file, ROOT), "utf8")));
  const modules = await Promise.all(files.map((file): Promise<object> => import(new URL(file, ROOT).href)));
  const numbers = modules.flatMap((module) => Object.entries(module).filter(isNumber));
  return { source: sources.join("\n"), limits: Object.fromEntries(numbers) };
}

function isNumber(entry: [string, unknown]): entry is [string, number] {
  return typeof entry[1] === "number";
}

/**
 * Bring the tables of docs/limits.md up to date: every limit has one row, with its value. The parts that a person wrote stay:
 * units, reasons, and which table a row is in. A limit without a row gets one after the limit that stands before it in the
 * source, with its comment as the reason; rows of limits that are gone go.
 */
export function updateLimitsPage(page: string, { source, limits }: LimitsSource): string {
  const lines = page.split("\n").filter((line) => {
    const name = ROW.exec(line)?.[1];
    return name === undefined || Object.hasOwn(limits, name);
  });
  let last = lines.findIndex((line) => line.startsWith("|---"));
  const named = [...source.matchAll(DECLARED)].map(([, name]) => name!);
  for (const name of named) {
    const value = limits[name]!;
    const at = lines.findIndex((line) => ROW.exec(line)?.[1] === name);
    if (at === -1) {
      last += 1;
      lines.splice(last, 0, `| \`${name}\` | ${writeValue(name, value)} | ${reasonOf(name, source)} |`);
      continue;
    }
    const [, , written = "", , reason = ""] = ROW.exec(lines[at]!)!;
    if (toNumber(written) !== value) lines[at] = `| \`${name}\` | ${writeValue(name, value)} | ${reason} |`;
    last = at;
  }
  return lines.join("\n");
}

function toNumber(written: string): number {
  return Number(written.replaceAll(",", ""));
}

const KIB = 1_024;
/** The largest unit that a value is a whole number of stands beside it. */
const UNITS: readonly { readonly of: RegExp; readonly sizes: readonly (readonly [number, string])[] }[] = [
  {
    of: /Bytes$/,
    sizes: [
      [KIB * KIB, "MiB"],
      [KIB, "KiB"],
    ],
  },
  {
    of: /Ms$/,
    sizes: [
      [86_400_000, "d"],
      [3_600_000, "h"],
      [60_000, "min"],
    ],
  },
];

function writeValue(name: string, value: number): string {
  const written = value.toLocaleString("en-US");
  const sizes = UNITS.find(({ of }) => of.test(name))?.sizes ?? [];
  const size = sizes.find(([one]) => value >= one && value % one === 0);
  return size === undefined ? written : `${written} (${value / size[0]} ${size[1]})`;
}

/** A limit's comment as a cell of a table: one line, no full stop at the end. */
function reasonOf(name: string, source: string): string {
  const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*export (?:const|let) ${name} =`).exec(
    source,
  )?.[1];
  if (comment === undefined)
    throw new Error(`Cannot write docs/limits.md: '${name}' has no comment with its reason`);
  return comment
    .replaceAll(/\s+(\* )?/g, " ")
    .trim()
    .replaceAll("|", "\\|")
    .replace(/\.$/, "");
}
