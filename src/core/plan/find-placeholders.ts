import type { Issue } from "../contract/failure.ts";
import { describe, visiblePath } from "../contract/issues.ts";
import * as LIMITS from "../contract/limits.ts";
import { guessReference, isMarker, MARKERS, readMarker } from "../contract/reference.ts";
import { visibleText } from "../kit/visible-text.ts";
import type { TryForm } from "./try-form.ts";

type Path = readonly PropertyKey[];
/** Text that looks like a reference and would reach the upstream as it stands, with a sentence that says how it is written. */
export type Misplaced = { readonly issue: Issue; readonly sentence: string };
/** Whether an action may mean an id, and why a value would be refused in a place of it. */
type Search = { readonly isSource: (id: string) => boolean; readonly tryForm?: TryForm | undefined };

const STEPS = String.raw`(?:\.[\p{L}\p{N}_-]+|\[\d{1,9}\]|\["[^"\]]{1,64}"\]|\['[^'\]]{1,64}'\])`;
const PLACE = String.raw`(?:#[\p{L}\p{N}_/~-]*|${STEPS}+)`;
/** `{{id#/key}}`, closed or not, `<id.key>`, `$id.key`, and other braces. Each part ends at a mark or is bounded: no text takes long. */
const FORMS = new RegExp(
  String.raw`\{\{\s*(\$?\.?[\w-]{1,64}(?:#[^{}]*|(?:[.[/][^{}\s]*)?\s*))\}\}|\{\{\s*(\$?\.?[\w-]{1,64}${PLACE})\}?|<([\w-]{1,64}(?:#[^<>{}]*|[.[/][^<>{}\s@]*))>|(\$\.?[A-Za-z_][\w-]{0,63}${PLACE}?)|\{\{(?!\{)`,
  "gu",
);
/** A name alone in other text; an amount; a file whose name begins with a variable of a shell. */
const PROSE = /^\$\w+(\.(\d+|txt|md|csv|json|log|html?|[jt]s|py|sh|sql|pdf|png|jpe?g|zip))?$/;
const SHOWN = 120;

/** Find what looks like a reference in arguments and is none: `LIMITS.warnings` at most, and nothing in a literal. */
export function findPlaceholders(value: unknown, at: Path, search: Search): readonly Misplaced[] {
  if (typeof value === "string") return sayText(value, { at, path: at }, search);
  if (typeof value !== "object" || value === null) return [];
  const { $ref, $template } = value as { readonly $ref?: unknown; readonly $template?: unknown };
  const meant =
    typeof $ref === "string" && $ref.includes("#") ? { $ref: guessReference($ref) } : { $template };
  const marker = readMarker(meant);
  const isTemplate = marker?.kind === "template";
  const template = { at, path: [...at, "$template"], open: isTemplate ? (marker.open ?? Infinity) : 0 };
  if (isMarker(value)) return isTemplate ? sayText(String($template), template, search) : [];
  const parts = marker?.kind === "ref" ? [marker.reference] : isTemplate ? marker.parts : [];
  const isCrowded = parts.some((part) => typeof part !== "string" && search.isSource(part.id));
  const key = `${Object.keys(meant)[0]} beside other keys: ${String($ref ?? $template)}`;
  const found = isCrowded ? [say({ at, path: at, value, written: key }, [meant], search)] : [];
  for (const [key, inner] of Object.entries(value))
    if (found.length < LIMITS.warnings && !MARKERS.has(key))
      found.push(...findPlaceholders(inner, [...at, key], search));
  return found.slice(0, LIMITS.warnings);
}

/** The place where a right form goes, that of the text itself, and where a template's text has braces that nothing closes. */
type Place = { readonly at: Path; readonly path: Path; readonly open?: number };
function sayText(text: string, place: Place, search: Search): readonly Misplaced[] {
  let first = { written: "", right: "" };
  const whole = text.replaceAll(FORMS, (written: string, ...groups: readonly unknown[]) => {
    const isOpen = written.startsWith("{{") && Number(groups.at(-2)) >= (place.open ?? 0);
    if ((written.startsWith("{{") && !isOpen) || (first.right !== "" && text.length > SHOWN)) return written;
    const ref = guessReference(String(groups.slice(0, -2).find(Boolean) ?? "").trim());
    const isProse = PROSE.test(written) && (written !== text.trim() || written.includes("."));
    const isMeant = ref !== null && !isProse && search.isSource(ref.slice(0, ref.indexOf("#")));
    const right = isMeant ? `{{${ref}}}` : isOpen ? `{{${written}` : written;
    if (first.right === "" && (isMeant || (isOpen && place.open !== undefined))) first = { written, right };
    return right;
  });
  if (first.right === "") return [];
  const read = text.length > SHOWN ? null : readMarker({ $template: whole });
  const isRight = read?.kind === "template" && read.open === undefined;
  const forms = [{ $template: isRight ? whole : `…${first.right}…` }, { $ref: first.right.slice(2, -2) }];
  const isWhole = place.open === undefined && first.written === text.trim();
  const kept = isWhole ? forms.slice(1) : place.open === undefined ? forms : forms.slice(0, 1);
  return [say({ ...place, value: text, written: first.written }, kept, search)];
}
type Slip = Place & { readonly value: unknown; readonly written: string };
function say({ at, value, written, ...place }: Slip, forms: readonly object[], search: Search): Misplaced {
  const refuse = (form: object): string | null => search.tryForm?.(at, form) ?? null;
  const right = forms.find((form) => refuse(form) === null);
  const shown = right && visibleText(JSON.stringify(right), 2 * SHOWN);
  const because = shown ? "" : ` and cannot be a reference (${refuse(forms[0]!)?.replace(/\.$/, "")})`;
  const keeps = refuse({ $literal: value }) === null && '{"$literal": ...} to mean the text';
  const ways = [shown && `${shown} for the value`, keeps].filter(Boolean).join(", or ");
  const path = visiblePath(place.path);
  const problem = `${path} holds ${JSON.stringify(visibleText(written, SHOWN))}, which is only text there`;
  const sentence = `${problem}${because}${ways && `: write ${ways}`}.`;
  return { issue: { path, expected: shown ?? "no placeholder", received: describe(value) }, sentence };
}
