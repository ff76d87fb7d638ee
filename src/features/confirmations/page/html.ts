import { escapeUnseen } from "../../../core/kit/visible-text.ts";

/** Text that is markup: everything in it is ours or was escaped. */
export interface Html {
  readonly markup: string;
}

/** A value that may stand in markup: text is escaped, and everything invisible in it shown. */
export type Part = string | number | Html | null | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Lines of text that is shown in lines. */
const SEEN: ReadonlySet<string> = new Set(["\n"]);

/**
 * Write markup: what stands between the values is ours, every value is text unless it is markup itself.
 *
 * @example
 * html`<p>${name}</p>`;
 */
export function html(ours: TemplateStringsArray, ...values: readonly Part[]): Html {
  return { markup: ours.map((text, at) => (at === 0 ? text : `${write(values[at - 1]!)}${text}`)).join("") };
}

function write(part: Part): string {
  if (part === null) return "";
  if (typeof part === "string" || typeof part === "number")
    return escapeUnseen(String(part), { seen: SEEN }).replaceAll(/[&<>"']/g, (one) => ENTITIES[one]!);
  return "markup" in part ? part.markup : part.map(write).join("");
}
