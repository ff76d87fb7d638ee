import { escapeSvg } from "./escape-svg.ts";

/** A step of a way: a message from one actor to another, or something that an actor does by itself. */
export type Step =
  | { readonly from: string; readonly to: string; readonly text: string; readonly answer?: true }
  | { readonly at: string; readonly text: string };

/** A way through the system, as a drawing and in words. */
export interface Sequence {
  readonly label: string;
  readonly actors: readonly string[];
  readonly steps: readonly Step[];
}

const LANE = 190;
const ROW = 46;
const HEAD = 56;
const MARGIN = 24;
/** The widest text in one line, in characters. */
const WIDE = 25;

const STYLE = [
  ":root{color-scheme:light dark}",
  "text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#1f2328;text-anchor:middle}",
  ".h{font-weight:600;font-size:14px}.k{fill:#59636e}",
  ".a{fill:#eef0ff;stroke:#4338ca}.n{fill:#f6f8fa;stroke:#d1d9e0}.l{stroke:#d1d9e0;stroke-dasharray:4 4}",
  ".m{stroke:#4338ca;stroke-width:1.5;fill:none}.b{stroke-dasharray:5 4}.t{fill:#4338ca}",
  "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.k{fill:#9198a1}.a{fill:#1e1b4b;stroke:#a5b4fc}.n{fill:#161b22;stroke:#3d444d}.l{stroke:#3d444d}.m{stroke:#a5b4fc}.t{fill:#a5b4fc}}",
].join("");

/** Draw a way: an actor is a column, time runs downwards. The drawing follows the reader's light or dark. */
export function drawSequence({ label, actors, steps }: Sequence): string {
  const width = actors.length * LANE + 2 * MARGIN;
  const height = HEAD + steps.length * ROW + 2 * MARGIN;
  const xOf = (actor: string): number => {
    const at = actors.indexOf(actor);
    if (at < 0) throw new Error(`Cannot draw '${label}': no actor '${actor}'`);
    return MARGIN + at * LANE + LANE / 2;
  };
  const lanes = actors.map((actor) => {
    const x = xOf(actor);
    return `<path class="l" d="M${x} ${HEAD}V${height - MARGIN / 2}"/><rect class="a" x="${x - 80}" y="14" width="160" height="34" rx="8"/><text class="h" x="${x}" y="36">${escapeSvg(actor)}</text>`;
  });
  const drawn = steps.map((step, row) => {
    const y = HEAD + MARGIN + row * ROW;
    return "at" in step ? drawNote(step.text, xOf(step.at), y) : drawMessage(step, xOf, y);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${escapeSvg(label)}">
<style>${STYLE}</style>
${[...lanes, ...drawn].join("\n")}
</svg>
`;
}

function drawNote(text: string, x: number, y: number): string {
  return `<rect class="n" x="${x - 88}" y="${y - 14}" width="176" height="36" rx="6"/>${drawText(text, x, y + 8)}`;
}

function drawMessage(
  { from, to, text, answer }: Extract<Step, { from: string }>,
  xOf: (actor: string) => number,
  y: number,
): string {
  const [start, end] = [xOf(from), xOf(to)];
  const way = Math.sign(end - start);
  const tip = end - way * 2;
  const line = `<path class="m${answer ? " b" : ""}" d="M${start + way * 2} ${y + 16}H${tip - way * 6}"/>`;
  const head = `<path class="t" d="M${tip} ${y + 16}l${-way * 9} -4.5v9z"/>`;
  const [first, last] = [Math.min(start, end), Math.max(start, end)];
  return `${line}${head}<text class="k" x="${(first + last) / 2}" y="${y + 9}">${escapeSvg(text)}</text>`;
}

/** Write a text in one line or two. */
function drawText(text: string, x: number, y: number): string {
  if (text.length <= WIDE) return `<text x="${x}" y="${y}">${escapeSvg(text)}</text>`;
  const middle = text.lastIndexOf(" ", WIDE);
  const [first, second] = [text.slice(0, middle), text.slice(middle + 1)];
  return `<text x="${x}" y="${y - 8}">${escapeSvg(first)}</text><text x="${x}" y="${y + 8}">${escapeSvg(second)}</text>`;
}
