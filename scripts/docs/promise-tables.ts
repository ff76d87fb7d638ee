import type { TriedPair } from "../../test/pairs/matrix.ts";
import type { MarkedTitle } from "../../test/promises/find-marks.ts";
import type { MarkedRow, Promised, PromiseRow } from "../../test/promises/rows.ts";

/** The part of Vitest's JSON report that is read. */
export interface TestReport {
  readonly testResults: readonly {
    /** The file's path on the machine that ran it. */
    readonly name: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

export interface TableSource {
  readonly rows: readonly PromiseRow[];
  readonly titles: readonly MarkedTitle[];
  readonly pairs: readonly TriedPair[];
  /** The reports of one run. A test that no report knows keeps the result that the page has of it, or is `not run`. */
  readonly reports: readonly TestReport[];
}

const BEGIN = "<!-- npm run promises: begin -->";
const END = "<!-- npm run promises: end -->";
const HEAD = "| | when | what is seen | shown by | pairs |\n|---|---|---|---|---|\n";
const HEAD_OF_PROMISES = "| | promise | tests named after it | pairs |\n|---|---|---|---|\n";
/** The tests that a row names; of those behind them it says how many there are. A test that failed is always named. */
const MOST_TESTS = 4;
const MOST_PAIRS = 4;
/** How a test ended, as it stands in a table. */
const RESULT = /\*(?:not run|\d+ passed|\d+ of \d+ failed)\*/g;
/** The placeholders that a title leaves to its row: `%s`, `$name`, `${count}`. */
const PLACEHOLDER = /%[a-zA-Z%]|\$\{[^}]+\}|\$[\w.]+/g;

/**
 * Write the table of some rows between the markers of a page. The rest of the page is a person's.
 *
 * @throws Error when the page does not have both markers, in their order
 */
export function updatePromiseTable(page: string, source: TableSource): string {
  return updateTable(page, makePromiseTable(source, page));
}

/** Write the table of the promises themselves, likewise. */
export function updatePromises(
  page: string,
  promises: readonly Promised[],
  pairs: readonly TriedPair[],
): string {
  const lines = promises.map((row) => {
    const files = row.files.map((file) => `\`${file}\``).join(", ");
    return `| ${row.mark} | ${row.promise} | ${files} | ${writePairs(row, pairs)} |\n`;
  });
  return updateTable(page, HEAD_OF_PROMISES + lines.join(""));
}

function updateTable(page: string, table: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin)
    throw new Error(`Cannot write the table of promises: the page needs '${BEGIN}' and after it '${END}'`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${table}\n${page.slice(end)}`;
}

/** A page without how its tests ended: what is left depends on rows and titles alone. */
export function withoutResults(page: string): string {
  return page.replaceAll(RESULT, "*");
}

function makePromiseTable({ rows, titles, pairs, reports }: TableSource, before: string): string {
  const lines = rows.map((row) => {
    const { mark, when, seen } = row;
    const tests = titles
      .filter(({ marks }) => marks.includes(mark))
      .map((title) => {
        const sentence = toProse(title.sentence);
        const result = resultOf(title, reports) ?? resultBefore(sentence, before) ?? "not run";
        return { text: `${sentence} (\`${title.file}\`): *${result}*`, hasFailed: result.endsWith("failed") };
      });
    const shown = tests.filter(({ hasFailed }, at) => hasFailed || at < MOST_TESTS).map(({ text }) => text);
    const more = tests.length - shown.length;
    const rest = more === 0 ? [] : [`and ${more} more: \`grep -rn '${mark} ' test\``];
    return `| ${mark} | ${when} | ${seen} | ${[...shown, ...rest].join("<br>")} | ${writePairs(row, pairs)} |\n`;
  });
  return HEAD + lines.join("");
}

/** The pairs of features that a row is tried against, or why there are none. */
function writePairs({ mark, alone = "" }: MarkedRow, pairs: readonly TriedPair[]): string {
  const tried = pairs.filter(({ marks }) => marks.some((one) => one === mark));
  if (tried.length === 0) return `none: ${alone}`;
  const named = tried
    .slice(0, MOST_PAIRS)
    .map(({ pair }) => `[${pair.join(" × ")}](pairs.md#${pair[0].toLowerCase().replaceAll(" ", "-")})`);
  const more = tried.length - named.length;
  return [...named, ...(more === 0 ? [] : [`and ${more} more: [pairs](pairs.md)`])].join("<br>");
}

function resultOf({ file, title }: MarkedTitle, reports: readonly TestReport[]): string | undefined {
  const pattern = new RegExp(`^${title.split(PLACEHOLDER).map(escape).join("[^]*")}$`);
  const statuses = reports
    .flatMap(({ testResults }) => testResults)
    .filter(({ name }) => name.endsWith(`/${file}`))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((test) => [...test.ancestorTitles, test.title].some((one) => pattern.test(one)))
    .map(({ status }) => status)
    .filter((status) => status === "passed" || status === "failed");
  const failed = statuses.filter((status) => status === "failed").length;
  if (failed > 0) return `${failed} of ${statuses.length} failed`;
  return statuses.length === 0 ? undefined : `${statuses.length} passed`;
}

/** The result that a page has of a test, whichever file it stood in then. */
function resultBefore(sentence: string, page: string): string | undefined {
  return new RegExp(`${escape(sentence)} \\(\`[^\`]+\`\\): \\*([^*]+)\\*`).exec(page)?.[1];
}

/** A title as text of a page: what is not the same in each of its rows is an ellipsis. */
function toProse(sentence: string): string {
  return sentence
    .replaceAll(PLACEHOLDER, "…")
    .replaceAll(/[\\|<>*_]/g, String.raw`\$&`)
    .replaceAll("`", "'");
}

/** Text as a pattern that matches just it. */
function escape(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
