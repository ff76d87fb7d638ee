import type { Issue, Failure } from "../contract/failure.ts";
import { describe, visiblePath } from "../contract/issues.ts";
import * as LIMITS from "../contract/limits.ts";
import { guessReference, isMarker, MARKERS, readMarker } from "../contract/reference.ts";
import { visibleText } from "../kit/visible-text.ts";
import type { Action, Entry } from "../contract/action.ts";
import { err, ok, type Result } from "../kit/result.ts";
import type { Edge } from "./step.ts";

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

/** Says why a value would be refused in a place of an action; null where it would not. */
export type TryForm = (path: readonly PropertyKey[], value: unknown) => string | null;

/** The part of a planned action that says whether it would be refused. */
export interface Tried {
  readonly task: Result<unknown, Failure>;
  readonly partly?: Failure | undefined;
  readonly edges: readonly Edge[];
}

export interface Trial {
  readonly action: Action;
  /** Plans the same place of the batch with another action. */
  readonly draft: (entry: Entry) => Tried;
  /** The steps that each step needs, with the forms that were told before. */
  readonly needs: readonly (readonly number[])[];
}

/**
 * Plan an action with a value in place of another: why it would be refused for that, or the edges that it would have. A failure
 * that has nothing to do with the value is none of it.
 *
 * @param path from the action, so it begins with `args` or `for_each`
 */
export function tryForm(
  entry: Entry,
  { path, value }: { readonly path: readonly PropertyKey[]; readonly value: unknown },
  { action, draft, needs }: Trial,
): Result<readonly Edge[], string> {
  const { args, forEach } = action;
  const changed = replaceAt({ args, for_each: forEach }, path, value) as {
    args: Action["args"];
    for_each: unknown;
  };
  const plain = { mayRefer: true, mayMistake: undefined };
  const planned = (of: Partial<Action>): Tried =>
    draft({ ...entry, action: ok({ ...action, ...plain, ...of }) });
  const tried = planned({ args: changed.args, forEach: changed.for_each });
  const failure = failureOf(tried);
  if (failure !== undefined && isAbout(failure, path)) {
    const before = failureOf(planned({}));
    if (failure.issues !== undefined || before?.hint !== failure.hint)
      return err(failure.hint ?? failure.code);
  }
  const circular = tried.edges.find(({ from }) => reaches(from, entry.index, needs));
  return circular === undefined ? ok(tried.edges) : err("the action that it names waits for this one");
}

function failureOf({ task, partly }: Tried): Failure | undefined {
  return task.ok ? partly : task.error;
}

/** Whether what is wrong stands at a place, inside of it or around it; where it has no place, it may. */
function isAbout({ issues }: Failure, path: readonly PropertyKey[]): boolean {
  const at = `${visiblePath(path)}/`;
  return (
    issues === undefined ||
    issues.some((issue) => `${issue.path}/`.startsWith(at) || at.startsWith(`${issue.path}/`))
  );
}

function reaches(from: number, to: number, needs: readonly (readonly number[])[]): boolean {
  const seen = new Set([from]);
  for (const at of seen) {
    if (at === to) return true;
    for (const next of needs[at]!) seen.add(next);
  }
  return false;
}

function replaceAt(value: unknown, path: readonly PropertyKey[], put: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return put;
  if (Array.isArray(value))
    return value.map((inner, at) => (String(at) === String(key) ? replaceAt(inner, rest, put) : inner));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) => [
      name,
      name === key ? replaceAt(inner, rest, put) : inner,
    ]),
  );
}
