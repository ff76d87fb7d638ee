import type { Issue } from "../contract/failure.ts";
import { describe, visiblePath } from "../contract/issues.ts";
import { guessReference, isHandle, ITEM, readMarker } from "../contract/reference.ts";
import { LIMITS } from "../contract/limits.ts";
import { attemptNow } from "../kit/result.ts";
import { visibleText } from "../kit/visible-text.ts";

/** Text that looks as if it stood for another action's data and does not: where it is, and how it is written rightly. */
export interface Misplaced {
  readonly issue: Issue;
  /** The whole of it, as one sentence. */
  readonly sentence: string;
}

/**
 * The spellings of other languages: `{{shops#/name}}`, `${shops.name}`, `{shops.name}`, `<shops.name>` and `$shops.name`. What
 * is between the marks is read by `guessReference()`. Every part is bounded or ends at the next mark, so a hostile text takes
 * time in proportion to its length.
 */
const ID = "[A-Za-z0-9_-]{1,64}";
const INSIDE = String.raw`\s*(\$?\.?${ID}(?:#[^{}<>]*|(?:[.[/][^{}<>\s]*)?\s*))`;
/** Without a mark at its end it is as long as it makes sense: what follows it in a sentence is no part of it. */
const UNBRACED = String.raw`\$\.?[A-Za-z_][A-Za-z0-9_-]{0,63}(?:#[\p{L}\p{N}_/~-]*|(?:\.[\p{L}\p{N}_-]+|\[\d{1,9}\]|\["[^"\]]{1,64}"\]|\['[^'\]]{1,64}'\])*)`;
const MARKED = new RegExp(
  String.raw`\{\{${INSIDE}\}\}|\$\{${INSIDE}\}|\{${INSIDE}\}|<${INSIDE}>|(${UNBRACED})`,
  "gu",
);
/** A reference that stands alone, without the object around it. */
const BARE = /^[A-Za-z0-9_-]{1,64}#\/\S*$/;
const STRINGIFIED = /^\{\s*"\$ref"\s*:\s*"[^"]{1,200}"\s*\}$/;
const NAME = /[\w-]{1,64}/;
const HAS_PATH = /^(?:\$\.?)?[\w-]+[.[#]/;
/** The longest text of which the right form is written out whole. */
const SHOWN = 120;
const MARKERS = new Set(["$ref", "$template", "$literal"]);

/**
 * Find text in arguments that looks like a placeholder for the data of an action, and would reach the upstream as it stands.
 * At most `LIMITS.warnings` of them. Markers are what they are; in the text of a template everything but its references is
 * looked at, in a literal nothing.
 *
 * @param isSource whether an id is that of an action whose data could be meant, or of a loop's element
 */
export function findPlaceholders(
  value: unknown,
  path: readonly PropertyKey[],
  isSource: (id: string) => boolean,
): readonly Misplaced[] {
  const found: Misplaced[] = [];
  visit(value, path, isSource, found);
  return found;
}

function visit(
  value: unknown,
  path: readonly PropertyKey[],
  isSource: (id: string) => boolean,
  found: Misplaced[],
): void {
  if (found.length >= LIMITS.warnings) return;
  if (typeof value === "string") {
    const said = sayText(value, path, isSource, "text");
    if (said !== null) found.push(said);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const marker = readMarker(value);
  if (marker?.kind === "template") {
    const said = sayText(
      (value as { $template: string }).$template,
      [...path, "$template"],
      isSource,
      "template",
    );
    if (said !== null) found.push(said);
  }
  if (marker !== null) return;
  // What an object has under a marker's key and is no marker, because there are more keys, is data.
  for (const [key, inner] of Object.entries(value))
    if (!MARKERS.has(key)) visit(inner, [...path, key], isSource, found);
}

interface Placeholder {
  /** Where it begins. */
  readonly at: number;
  readonly written: string;
  readonly reference: string;
}

/** The placeholders of a text. In a template two braces are a reference, and so none. */
function readText(text: string, isSource: (id: string) => boolean, kind: "text" | "template"): Placeholder[] {
  const whole = text.trim();
  const stringified = kind === "text" ? readStringified(whole) : null;
  if (stringified !== null) return toPlaceholder(text.indexOf(whole), whole, stringified, isSource);
  if (BARE.test(whole)) return toPlaceholder(text.indexOf(whole), whole, whole, isSource);
  const found: Placeholder[] = [];
  for (const match of text.matchAll(MARKED)) {
    const [written, doubled, dollar, single, angled, plain] = match;
    const inner = doubled ?? dollar ?? single ?? angled ?? plain ?? "";
    // `{{shops}}` can be nothing else, but `{shops}`, `<b>` and `$HOME` are other things in most texts.
    const isSure = doubled !== undefined || (written === whole && (dollar ?? plain) !== undefined);
    if ((doubled !== undefined && kind === "template") || (!isSure && !HAS_PATH.test(inner))) continue;
    // Of a long text only one is shown.
    if (found.length > 0 && text.length > SHOWN) break;
    found.push(...toPlaceholder(match.index, written, inner.trim(), isSource));
  }
  return found;
}

/** The reference of a text that is a `$ref` written as JSON once too often. */
function readStringified(whole: string): string | null {
  if (!STRINGIFIED.test(whole)) return null;
  const parsed = attemptNow((): unknown => JSON.parse(whole));
  const marker = parsed.ok ? readMarker(parsed.value) : null;
  return marker?.kind === "ref" ? `${marker.reference.id}#${marker.reference.pointer}` : null;
}

function toPlaceholder(
  at: number,
  written: string,
  inner: string,
  isSource: (id: string) => boolean,
): Placeholder[] {
  // Asked first, because a text may be full of what names nothing.
  if (!isSource(NAME.exec(inner)?.[0] ?? "")) return [];
  const reference = guessReference(inner);
  return reference === null ? [] : [{ at, written, reference }];
}

/** Say what is wrong with a text, with the right form of this very text; null when nothing is. */
function sayText(
  text: string,
  path: readonly PropertyKey[],
  isSource: (id: string) => boolean,
  kind: "text" | "template",
): Misplaced | null {
  const all = readText(text, isSource, kind);
  const [first] = all;
  if (first === undefined) return null;
  const isWhole = kind === "text" && first.written === text.trim();
  const right = visibleText(
    JSON.stringify(isWhole ? { $ref: first.reference } : toTemplate(text, all)),
    2 * SHOWN,
  );
  const at = visiblePath(path);
  const received = JSON.stringify(visibleText(first.written, SHOWN));
  return {
    issue: { path: at, expected: right, received: describe(text) },
    sentence: `${at} holds ${received}, which is only text there: write ${right} for the value, or {"$literal": ...} to mean the text.`,
  };
}

function toTemplate(text: string, placeholders: readonly Placeholder[]): { readonly $template: string } {
  const [first] = placeholders;
  if (text.length > SHOWN) return { $template: `…{{${first!.reference}}}…` };
  let template = "";
  let end = 0;
  for (const { at, written, reference } of placeholders) {
    template += `${text.slice(end, at)}{{${reference}}}`;
    end = at + written.length;
  }
  return { $template: template + text.slice(end) };
}

/** What is a source for an action: every other one of its batch, a handle, and the element where it is a loop. */
export function sourcesOf(
  id: string,
  loops: boolean,
  known: { readonly has: (id: string) => boolean },
): (other: string) => boolean {
  return (other) => (other === ITEM ? loops : other !== id && (known.has(other) || isHandle(other)));
}
