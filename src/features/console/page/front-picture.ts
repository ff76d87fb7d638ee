import { mark } from "../../../core/kit/markup.ts";

/** A batch of five actions, drawn as the console draws one. */
export const FRONT_PICTURE = /* @__PURE__ */ draw();

function draw() {
  const rows = [
    row(0, "shops", [0, 150, "good"], "success"),
    row(1, "reviews", [150, 110, "good"], "success"),
    row(2, "recalls", [0, 8, "bad"], "error, alone"),
    row(3, "mail", [260, 8, "job"], "initiated, a job"),
    row(4, "delete", [260, 8, "wait"], "asks a person"),
  ];
  return mark`<svg viewBox="0 0 640 168" role="img" aria-label="A batch of five actions: two run one after the other, one fails, one goes on as a job, one waits for a person.">${rows}<path d="M234 14V46"/></svg>`;
}

function row(
  at: number,
  name: string,
  [from, width, kind]: readonly [number, number, string],
  status: string,
) {
  const y = 8 + at * 32;
  return mark`<text x="0" y="${y + 13}">${name}</text><rect class="sunk" x="84" y="${y + 2}" width="276" height="14" rx="4"/><rect class="${kind}" x="${84 + from}" y="${y + 2}" width="${width}" height="14" rx="4"/><text class="note" x="380" y="${y + 13}">${status}</text>`;
}
