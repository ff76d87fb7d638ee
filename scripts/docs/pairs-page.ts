import { type ApartCell, marksOf, type Row, type TestedCell } from "../../test/pairs/matrix.ts";

/** Write the page of the matrix. The cells with tests are a line each, those apart a line for each row. */
export function writePairs(rows: readonly Row[]): string {
  const sections = rows.map(({ feature, cells }) => {
    const tested = cells.flatMap(({ feature: other, cell }) =>
      cell !== undefined && "risk" in cell ? [writeTested(other, cell)] : [],
    );
    const apart = cells.flatMap(({ feature: other, cell }) =>
      cell !== undefined && "apart" in cell ? [writeApart(other, cell)] : [],
    );
    const lines = [...tested, ...(apart.length === 0 ? [] : [`- Apart: ${apart.join("; ")}`])];
    return `## ${feature}\n\n${lines.join("\n")}\n`;
  });
  const count = rows.flatMap(({ cells }) => cells).filter(({ cell }) => cell !== undefined && "risk" in cell);
  return `# Pairs of features

For people who ask what happens where two features meet: at the end you know the risk of each pair, and the test that would see it.

Search this page for a feature: the pairs with those after it stand below its heading, and the pairs with those before it below theirs.
Search it for a number (\`T56\`) to find the pairs that a [promise](reliability.md), a [threat](threats.md) or a [fault](faults.md) is tried against.
${count.length} pairs have a test: their line says what could go wrong, and links to the test's file. Its title stands in \`test/pairs/rows\`, in the file of the
heading. Behind "Apart" stand the pairs that do not meet, and why, with the file whose line keeps them apart. \`npm run pairs\` writes this page, and a test fails for a
pair without a cell, and for a title or a line that is gone.

${sections.join("\n")}`;
}

function writeTested(other: string, cell: TestedCell): string {
  const marks = marksOf(cell).join(", ");
  return `- **${other}**${marks === "" ? "" : ` ${marks}`}: ${cell.risk} ([${nameOf(cell.test)}](../${cell.test}))`;
}

function writeApart(other: string, { apart, file }: ApartCell): string {
  return `**${other}**: ${apart} ([${nameOf(file)}](../${file}))`;
}

/** A file's name without its folder and ending, which link to it. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/(?:\.test)?\.tsx?$/, "");
}
