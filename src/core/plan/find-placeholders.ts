import type { Issue } from "../contract/failure.ts";
import { describe, visiblePath } from "../contract/issues.ts";
import { isHandle, isMarker, ITEM, type Marker, MARKERS, readMarker } from "../contract/reference.ts";
import * as LIMITS from "../contract/limits.ts";
import { visibleText } from "../kit/visible-text.ts";
import {
  BARE,
  MISSPELT,
  type Placeholder,
  readCrowdedMarker,
  readPlaceholders,
  SHOWN,
  type Sources,
} from "./read-placeholders.ts";

/** Text that looks as if it stood for another action's data and does not: where it is, and how it is written rightly. */
export interface Misplaced {
  readonly issue: Issue;
  /** The whole of it, as one sentence. */
  readonly sentence: string;
}

/** Tries a value in a place of an action; says why it would be refused there, and null where it would not. */
export type TryForm = (path: readonly PropertyKey[], value: unknown) => string | null;

interface Search extends Sources {
  /** Without it no form is tried before it is told. */
  readonly tryForm?: TryForm | undefined;
}

/** A right form as it can be tried, and as it is told. */
interface Form {
  readonly value: unknown;
  readonly shown: string;
}

/**
 * Find text in arguments that looks like a placeholder for the data of an action, and would reach the upstream as it stands.
 * At most `LIMITS.warnings` of them. Markers are what they are; in the text of a template everything but its references is
 * looked at, in a literal nothing. A marker with further keys is none, and so data: it counts where it names an action.
 */
export function findPlaceholders(
  value: unknown,
  path: readonly PropertyKey[],
  search: Search,
): readonly Misplaced[] {
  const found: Misplaced[] = [];
  const add = (said: Misplaced | null): void => void (said !== null && found.push(said));
  const visit = (value: unknown, path: readonly PropertyKey[]): void => {
    if (found.length >= LIMITS.warnings) return;
    if (typeof value === "string") return add(sayText(value, path, search));
    if (typeof value !== "object" || value === null) return;
    if (isMarker(value)) return "$template" in value ? add(sayTemplate(value, path, search)) : undefined;
    const crowded = readCrowdedMarker(value, search);
    if (crowded !== null) add(sayCrowded(value as JsonMarker, crowded, { path, search }));
    const entries = Object.entries(value);
    const [[first, only] = [""]] = entries;
    // The reference is meant for the whole object then, not for the text in it.
    if (entries.length === 1 && MISSPELT.test(first) && BARE.test(String(only))) return visit(only, path);
    // Under a marker's key an object has data where there are more keys.
    for (const [key, inner] of entries) if (!MARKERS.has(key)) visit(inner, [...path, key]);
  };
  visit(value, path);
  return found;
}

function sayText(text: string, path: readonly PropertyKey[], search: Search): Misplaced | null {
  const all = readPlaceholders(text, search, "text");
  const [first] = all;
  if (first === undefined) return null;
  const ref = toForm({ $ref: first.reference });
  const isWhole = first.written === text.trim();
  const forms = isWhole ? [ref] : [toTemplate(text, all, "text"), ref];
  return say({ at: path, path, written: first.written, received: text, means: text }, forms, search);
}

/** In a template two braces are a reference, so ones that nothing closes are a slip whatever follows them. */
function sayTemplate(
  value: { readonly $template: unknown },
  path: readonly PropertyKey[],
  search: Search,
): Misplaced | null {
  const marker = readMarker(value);
  if (marker?.kind !== "template") return null;
  const text = value.$template as string;
  const { open } = marker;
  const all = readPlaceholders(text.slice(0, open), search, "template");
  if (open !== undefined && (all.length === 0 || text.length <= SHOWN)) {
    const [closed] = readPlaceholders(text.slice(open), search, "text");
    const isThere = closed?.at === 0;
    all.push(isThere ? { ...closed, at: open } : { at: open, written: "{{", reference: null });
  }
  const [first] = all;
  if (first === undefined) return null;
  const place = { at: path, path: [...path, "$template"], written: first.written, received: text };
  return say({ ...place, means: text }, [toTemplate(text, all, "template")], search);
}

type JsonMarker = Readonly<Record<"$ref" | "$template", unknown>>;

function sayCrowded(
  value: JsonMarker,
  meant: Marker,
  { path, search }: { readonly path: readonly PropertyKey[]; readonly search: Search },
): Misplaced {
  const { $ref, $template } = value;
  const form =
    meant.kind === "ref"
      ? toForm({ $ref: `${meant.reference.id}#${meant.reference.pointer}` })
      : toForm({ $template });
  const key = meant.kind === "ref" ? "$ref" : "$template";
  const written = `${key} beside other keys: ${String($ref ?? $template)}`;
  return say({ at: path, path, written, received: value, means: value }, [form], search);
}

interface Place {
  /** Where the value stands that the right form takes the place of. */
  readonly at: readonly PropertyKey[];
  /** Where the placeholder stands. */
  readonly path: readonly PropertyKey[];
  readonly written: string;
  readonly received: unknown;
  /** The value as it stands, for those who mean it. */
  readonly means: unknown;
}

/** Say what is wrong, with the first right form that would not be refused in its place. */
function say(place: Place, forms: readonly Form[], { tryForm }: Search): Misplaced {
  const refuse = (value: unknown): string | null => tryForm?.(place.at, value) ?? null;
  const right = forms.find(({ value }) => refuse(value) === null);
  const why = right === undefined ? refuse(forms[0]!.value) : null;
  const at = visiblePath(place.path);
  const keeps = refuse({ $literal: place.means }) === null ? '{"$literal": ...} to mean the text' : null;
  const ways = [
    ...(right === undefined ? [] : [`${right.shown} for the value`]),
    ...(keeps === null ? [] : [keeps]),
  ].join(", or ");
  const problem = `${at} holds ${JSON.stringify(visibleText(place.written, SHOWN))}, which is only text there`;
  const because = why === null ? "" : ` and cannot be a reference (${why.replace(/\.$/, "")})`;
  return {
    issue: {
      path: at,
      expected: right?.shown ?? "no placeholder",
      received: describe(place.received),
    },
    sentence: `${problem}${because}${ways === "" ? "" : `: write ${ways}`}.`,
  };
}

function toForm(value: object): Form {
  return { value, shown: visibleText(JSON.stringify(value), 2 * SHOWN) };
}

/** The text as a template, or only its placeholder where it is long or cannot stand in one as it is. */
function toTemplate(text: string, all: readonly Placeholder[], kind: "text" | "template"): Form {
  // In a template two braces are written as four.
  const around = (part: string): string => (kind === "text" ? part.replaceAll("{{", "{{{{") : part);
  let $template = "";
  let end = 0;
  for (const { at, written, reference } of all) {
    $template += `${around(text.slice(end, at))}${inTemplate(reference)}`;
    end = at + written.length;
  }
  $template += around(text.slice(end));
  const marker = readMarker({ $template });
  const isRight = marker?.kind === "template" && marker.open === undefined;
  if (isRight && text.length <= SHOWN) return toForm({ $template });
  const alone = inTemplate(all[0]!.reference);
  return { value: { $template: alone }, shown: JSON.stringify({ $template: `…${alone}…` }) };
}

function inTemplate(reference: string | null): string {
  return reference === null ? "{{{{" : `{{${reference}}}`;
}

export interface SourceOptions {
  /** Whether there is an element of a loop to mean. */
  readonly loops: boolean;
  /** The ids that there are. */
  readonly known: { readonly has: (id: string) => boolean };
  /** That of the action before. */
  readonly previous: string | undefined;
}

/** The sources of an action: every other action of its batch, a handle, and the element where it is a loop. */
export function sourcesOf({ id }: { readonly id: string }, options: SourceOptions): Sources {
  const { loops, known, previous } = options;
  const isSource = (other: string): boolean =>
    other === ITEM ? loops : other !== id && (known.has(other) || isHandle(other));
  return { isSource, previous };
}
