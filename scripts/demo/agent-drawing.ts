import type { ModelAnswer } from "./agent-model.ts";
import type { Result } from "./volley-client.ts";
import { paint, STYLES } from "./waterfall.ts";

/** Lines fit into a terminal of 80 columns, and use as many as 120. */
const COLUMNS = Math.max(80, Math.min(120, process.stdout.columns || 80));

const NAME_WIDTH = 19;
const BAR_WIDTH = COLUMNS - 58;
const BAND_WIDTH = COLUMNS - 11;

/** A round's lines are drawn before it has ended; the stand-ins answer well within this. */
const SCALE_MS = 550;

/** From one point in time to another, in milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Draw one result: when its action ran in its round, how long it took and what became of it. */
export function drawResult({ tool, status, meta }: Result, arrivedMs: number, note: string): string {
  const durationMs = meta.duration_ms ?? 0;
  const span = { from: Math.max(0, arrivedMs - durationMs), to: arrivedMs };
  const bar = drawBand([span], { width: BAR_WIDTH, totalMs: SCALE_MS, full: "█" });
  const time = meta.duration_ms === undefined ? "" : `${meta.duration_ms} ms`;
  const style = STYLES[status] ?? "white";
  const name = tool.length > NAME_WIDTH ? `${tool.slice(0, NAME_WIDTH - 1)}…` : tool.padEnd(NAME_WIDTH);
  return `  ${name} ${bar} ${time.padStart(6)}  ${paint(style, status.padEnd(9))} ${note}`.trimEnd();
}

/** Say what an answer of the model took. */
export function sayAnswer({ startedAt, endedAt, tokensIn, tokensOut, tokensCached }: ModelAnswer): string {
  const cached = tokensCached > 0 ? ` (${say(tokensCached)} of them cached)` : "";
  return `${sayMs(endedAt - startedAt)}, ${say(tokensIn)} tokens in${cached}, ${say(tokensOut)} out`;
}

/** Draw the whole conversation on one axis: when the model was at work, and when tools were. */
export function drawConversation(model: readonly Span[], tools: readonly Span[], totalMs: number): string[] {
  const band = (spans: readonly Span[], full: string): string =>
    drawBand(spans, { width: BAND_WIDTH, totalMs, full });
  const end = sayMs(totalMs);
  return [
    `  model  ${paint("magenta", band(model, "▒"))}`,
    `  tools  ${paint("green", band(tools, "█"))}`,
    `         0 ms${end.padStart(BAND_WIDTH - 4)}`,
  ];
}

function drawBand(
  spans: readonly Span[],
  { width, totalMs, full }: { readonly width: number; readonly totalMs: number; readonly full: string },
): string {
  const cells = Array.from({ length: width }, () => "·");
  const column = (ms: number): number => Math.max(0, Math.min(width, Math.round((ms / totalMs) * width)));
  for (const { from, to } of spans) {
    const first = Math.min(column(from), width - 1);
    cells.fill(full, first, Math.max(column(to), first + 1));
  }
  return cells.join("");
}

/** Write text as it comes, in lines that fit; a word is written when it is known to be whole. */
export class WrappedText {
  readonly #write: (text: string) => void;
  #word = "";
  #column = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  get isEmpty(): boolean {
    return this.#column === 0 && this.#word === "";
  }

  add(text: string): void {
    for (const character of text) {
      if (!/\s/.test(character)) this.#word += character;
      else {
        this.#flush();
        if (character === "\n") this.#break();
      }
    }
  }

  /** Nothing more comes for now. */
  end(): void {
    this.#flush();
    if (this.#column > 0) this.#break();
  }

  #flush(): void {
    if (this.#word === "") return;
    if (this.#column + 1 + this.#word.length > COLUMNS - 4) this.#break();
    this.#write(this.#column === 0 ? `    ${this.#word}` : ` ${this.#word}`);
    this.#column += this.#word.length + (this.#column === 0 ? 0 : 1);
    this.#word = "";
  }

  #break(): void {
    this.#write("\n");
    this.#column = 0;
  }
}

export function say(count: number): string {
  return count.toLocaleString("en-US");
}

export function sayMs(ms: number): string {
  return `${say(Math.round(ms))} ms`;
}
