import { escapeSvg } from "../docs/escape-svg.ts";

/** The moment of each line in the picture, in seconds. */
interface Cue {
  readonly line: string;
  readonly atS: number;
  /** A bar grows from one moment to another. */
  readonly bar?: { readonly fromS: number; readonly toS: number };
}

/** A piece of a line in one colour. */
interface Span {
  readonly text: string;
  readonly column: number;
  readonly colour: string;
}

const COLUMN = 8.4;
const ROW = 22;
const PADDING = 24;
const COLUMNS = 80;
/** A millisecond of a batch takes so many in the picture. */
const SLOWED = 6;
/** Lines after the batch come with such a pause, so that each can be read. */
const PAUSE_S = 1.1;
const REST_S = 5;
/** The picture plays so often and then stays as it ended. */
const PLAYS = 3;

/**
 * Draw what a program printed as a picture that shows it being printed. It has no script and no font of its own, follows the reader's light
 * or dark, and stands still where motion is not wanted.
 *
 * @param scaleMs the milliseconds of a whole bar
 */
export function drawRecording(
  lines: readonly string[],
  { command, label, scaleMs }: { readonly command: string; readonly label: string; readonly scaleMs: number },
): string {
  const cues = cueLines(lines, scaleMs);
  const lengthS = Math.max(...cues.map(({ atS }) => atS)) + REST_S;
  const height = (cues.length + 1) * ROW + 2 * PADDING + 8;
  const width = COLUMNS * COLUMN + 2 * PADDING;
  const rules: string[] = [];
  const drawn = cues.map((cue, row) => drawLine(cue, { y: PADDING + (row + 2) * ROW, row, lengthS, rules }));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${height}" role="img" aria-label="${escapeSvg(label)}">
<style>${STYLE}${rules.join("")}@media (prefers-reduced-motion:reduce){*{animation:none!important}}</style>
<rect class="p" x=".5" y=".5" width="${round(width - 1)}" height="${height - 1}" rx="10"/>
${drawSpans(`<b>$</b> ${command}`, PADDING + ROW / 2)}
<path class="r" d="M0 ${PADDING + ROW}H${round(width)}"/>
${drawn.filter((line) => line !== "").join("\n")}
</svg>
`;
}

const STYLE = [
  ":root{color-scheme:light dark}",
  "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#1f2328}",
  ".p{fill:#f6f8fa;stroke:#d1d9e0}.r{stroke:#d1d9e0}.k{fill:#59636e}.g{fill:#1a7f37}.e{fill:#cf222e}.c{fill:#0969da}.y{fill:#9a6700}.m{fill:#8250df}.b{font-weight:600}.t{fill:#d1d9e0}",
  "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.p{fill:#0d1117;stroke:#30363d}.r{stroke:#30363d}.k{fill:#9198a1}.g{fill:#3fb950}.e{fill:#f85149}.c{fill:#58a6ff}.y{fill:#d29922}.m{fill:#bc8cff}.t{fill:#30363d}}",
].join("");

/** Lines with a bar keep the times of the batch, slowed; every other one comes a pause after the one before. */
function cueLines(lines: readonly string[], scaleMs: number): readonly Cue[] {
  let clockS = 0.6;
  let batchS: number | null = null;
  return lines.map((text) => {
    const line = text.replace(/^ {2}/, "");
    const bar = findBar(line);
    if (bar === null) {
      if (line.trim() !== "") clockS += PAUSE_S;
      return { line, atS: clockS };
    }
    batchS ??= clockS + 0.4;
    const atColumn = (column: number): number => batchS! + ((column / bar.length) * scaleMs * SLOWED) / 1_000;
    const [fromS, toS] = [atColumn(bar.from), atColumn(bar.to)];
    clockS = Math.max(clockS, toS);
    return { line, atS: toS, bar: { fromS, toS } };
  });
}

/** The drawn part of a bar, in columns from its own beginning. */
function findBar(line: string): { at: number; length: number; from: number; to: number } | null {
  const found = /[·█]{10,}/.exec(plain(line));
  if (found === null) return null;
  const [cells] = found;
  return { at: found.index, length: cells.length, from: cells.indexOf("█"), to: cells.lastIndexOf("█") + 1 };
}

interface Place {
  readonly y: number;
  readonly row: number;
  readonly lengthS: number;
  readonly rules: string[];
}

function drawLine({ line, atS, bar: times }: Cue, { y, row, lengthS, rules }: Place): string {
  if (line.trim() === "") return "";
  const percent = (seconds: number): string => String(round((100 * seconds) / lengthS));
  const plays = `${round(lengthS)}s linear ${PLAYS} both`;
  rules.push(
    `@keyframes l${row}{0%,${percent(atS - 0.15)}%{opacity:0}${percent(atS)}%,to{opacity:1}}.l${row}{animation:l${row} ${plays}}`,
  );
  const bar = findBar(line);
  if (bar === null || times === undefined) return `<g class="l${row}">${drawSpans(line, y)}</g>`;
  rules.push(
    `@keyframes b${row}{0%,${percent(times.fromS)}%{transform:scaleX(0)}${percent(times.toS)}%,to{transform:none}}.b${row}{transform-box:fill-box;transform-origin:left;animation:b${row} ${plays}}`,
  );
  const spans = toSpans(line);
  const name = spans.filter(({ column }) => column < bar.at).map((span) => clip(span, bar.at));
  const rest = spans.filter(({ column, text }) => column + text.length > bar.at + bar.length);
  const colour = rest.find((span) => span.colour !== "")?.colour ?? "";
  const rect = (from: number, cells: number, kind: string): string =>
    `<rect class="${kind}" x="${xOf(bar.at + from)}" y="${y - 11}" width="${round(cells * COLUMN)}" height="12" rx="3"/>`;
  return [
    name.map((span) => drawSpan(span, y)).join(""),
    rect(0, bar.length, "t"),
    rect(bar.from, bar.to - bar.from, `${colour} b${row}`),
    `<g class="l${row}">${rest.map((span) => drawSpan(dropBefore(span, bar.at + bar.length), y)).join("")}</g>`,
  ].join("");
}

const COLOURS: Readonly<Record<string, string>> = {
  "1": "b",
  "31": "e",
  "32": "g",
  "33": "y",
  "35": "m",
  "36": "c",
};

// oxlint-disable-next-line no-control-regex -- the terminal's own colours
const SGR = /\u001b\[(\d+)m/;

function plain(line: string): string {
  return line
    .split(SGR)
    .filter((_, at) => at % 2 === 0)
    .join("");
}

/** Split a line at the terminal's colours. */
function toSpans(line: string): readonly Span[] {
  const parts = line.split(SGR);
  const spans: Span[] = [];
  let column = 0;
  let colour = "";
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 1) colour = COLOURS[part] ?? "";
    else if (part !== "") {
      spans.push({ text: part, column, colour });
      column += part.length;
    }
  }
  return spans;
}

function clip(span: Span, end: number): Span {
  return { ...span, text: span.text.slice(0, end - span.column) };
}

function dropBefore(span: Span, column: number): Span {
  const dropped = Math.max(0, column - span.column);
  return { ...span, text: span.text.slice(dropped), column: span.column + dropped };
}

function drawSpans(line: string, y: number): string {
  return toSpans(line.replace(/<b>(.*?)<\/b>/, "\u001b[36m$1\u001b[39m"))
    .map((span) => drawSpan(span, y))
    .join("");
}

/** Draw a piece of text at its column, as wide as its columns whatever the reader's font is. */
function drawSpan({ text, column, colour }: Span, y: number): string {
  const before = text.length - text.trimStart().length;
  const shown = text.trim();
  if (shown === "") return "";
  const kind = colour === "" ? "" : ` class="${colour}"`;
  return `<text${kind} x="${xOf(column + before)}" y="${y}" textLength="${round(shown.length * COLUMN)}">${escapeSvg(shown)}</text>`;
}

function xOf(column: number): number {
  return round(PADDING + column * COLUMN);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
