import { escapeUnseen } from "./visible-text.ts";
import { sha256 } from "./sha256.ts";

/** Text that is markup: everything in it is ours or was escaped. */
export interface Markup {
  readonly html: string;
}

/** A value that may stand in markup: text is escaped, and everything invisible in it shown. */
export type Part = string | number | Markup | null | readonly Part[];

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
 * Write markup: the text between the values is ours, each value is text unless it is markup itself.
 *
 * @example
 * mark`<p>${name}</p>`;
 */
export function mark(ours: TemplateStringsArray, ...values: readonly Part[]): Markup {
  return { html: ours.map((text, at) => (at === 0 ? text : `${write(values[at - 1]!)}${text}`)).join("") };
}

function write(part: Part): string {
  if (part === null) return "";
  if (typeof part === "string" || typeof part === "number")
    return escapeUnseen(String(part), { seen: SEEN }).replaceAll(/[&<>"']/g, (one) => ENTITIES[one]!);
  return "html" in part ? part.html : part.map(write).join("");
}

/**
 * Name a text by its hash, as a content security policy allows one inline style or script.
 *
 * Source: https://www.w3.org/TR/CSP3/#grammardef-hash-source
 */
export function hashSource(text: string): string {
  const bytes = sha256(text)
    .match(/../g)!
    .map((hex) => Number.parseInt(hex, 16));
  return `'sha256-${btoa(String.fromCharCode(...bytes))}'`;
}
