import { mark, type Markup } from "../../../core/kit/markup.ts";

/** Columns of the drawing. On a phone it is 280 wide, so the text is large for it. */
const [BAR, WIDTH, STATUS] = [74, 190, 280];

/** A batch of five actions, drawn as the console draws one. */
export const FRONT_PICTURE: Markup = /* @__PURE__ */ draw();

function draw(): Markup {
  const rows = [
    row(0, "shops", [0, 100, "good"], "success"),
    row(1, "reviews", [100, 84, "good"], "success"),
    row(2, "recalls", [0, 6, "bad"], "error, alone"),
    row(3, "book", [184, 6, "job"], "initiated, a job"),
    row(4, "cancel", [184, 6, "wait"], "asks a person"),
  ];
  return mark`<svg viewBox="0 0 420 168" role="img" aria-label="A batch of five actions: two run one after the other, one fails, one goes on as a job, one waits for a person.">${rows}<path d="M${BAR + 100} 24V42"/></svg>`;
}

/** Draw an action. Its bar has a beginning, a width and a colour. */
function row(
  at: number,
  name: string,
  [from, width, kind]: readonly [number, number, string],
  status: string,
): Markup {
  const y = 8 + at * 32;
  return mark`<text x="0" y="${y + 13}">${name}</text><rect class="sunk" x="${BAR}" y="${y + 2}" width="${WIDTH}" height="14" rx="4"/><rect class="${kind}" x="${BAR + from}" y="${y + 2}" width="${width}" height="14" rx="4"/><text class="note" x="${STATUS}" y="${y + 13}">${status}</text>`;
}
