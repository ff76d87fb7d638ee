import { guessReference, type Marker, readMarker } from "../contract/reference.ts";
import { isJsonObject } from "../contract/json.ts";
import { attemptNow } from "../kit/result.ts";

/** The names that a placeholder may have. */
export interface Sources {
  /** Whether an id is that of an action whose data could be meant, or of a loop's element. */
  readonly isSource: (id: string) => boolean;
  /** The action before, which other languages have words for. */
  readonly previous?: string | undefined;
}

/** A part of a text that looks like a reference. */
export interface Placeholder {
  /** Where it begins. */
  readonly at: number;
  readonly written: string;
  /** Null where braces are opened for nothing. */
  readonly reference: string | null;
}

/**
 * The spellings of other languages: `{{shops#/name}}`, `${{ steps.shops.outputs.name }}`, `${shops.name}`, `{shops.name}`,
 * `<shops.name>`, `[[shops#/name]]`, `$ref:shops#/name`, `$(shops.name)`, `%shops.name%`, `$shops.name`, and two braces that
 * nothing closes. `guessReference()` reads the text between the marks. Every part is bounded or ends at the next mark, so a
 * hostile text takes time in proportion to its length.
 */
const ID = "[A-Za-z0-9_-]{1,64}";
const INSIDE = String.raw`\s*(\$?\.?${ID}(?:#[^{}<>]*|(?:[.[/][^{}<>\s]*)?\s*))`;
/** Without a mark at its end it is as long as it makes sense: what follows it in a sentence is no part of it. */
const POINTER = String.raw`#[\p{L}\p{N}_/~-]*`;
const STEPS = String.raw`(?:\.[\p{L}\p{N}_-]+|\[\d{1,9}\]|\["[^"\]]{1,64}"\]|\['[^'\]]{1,64}'\])*`;
const NAMED = String.raw`[A-Za-z_][A-Za-z0-9_-]{0,63}(?:${POINTER}|${STEPS})`;
const MARKED = new RegExp(
  [
    String.raw`\$\{\{${INSIDE}\}\}`,
    String.raw`\{\{${INSIDE}\}\}`,
    String.raw`\{\{\s*(\$?\.?${ID}(?:${POINTER}|${STEPS}))\s*\}?`,
    String.raw`\$\{${INSIDE}\}`,
    String.raw`\{${INSIDE}\}`,
    `<${INSIDE}>`,
    String.raw`\[\[\s*(${ID}#(?:/[^{}<>[\]]*)?)\]\]`,
    String.raw`\$ref\s?[:=]\s?(${ID}${POINTER})`,
    String.raw`\$\(\s*(${NAMED})\s*\)`,
    `%(${NAMED})%`,
    String.raw`(\$\.?${NAMED})`,
  ].join("|"),
  "gu",
);
/** A key that was meant for `$ref`. */
export const MISSPELT = /^\W*ref(?:erence)?\W*$/i;
/** A reference that stands alone, without the object around it. */
export const BARE = /^[A-Za-z0-9_-]{1,64}#\/\S*$/;
const STRINGIFIED = /^\{\s*"\$ref"\s*:\s*"[^"]{1,200}"\s*\}$/;
const NAME = /[\w-]{1,64}/;
const HAS_PATH = /^(?:\$\.?)?[\w-]+[.[#]/;
/** An address of mail in angle brackets: `John <john.doe@example.com>`. */
const ADDRESS = /^[^#]*@/;
/** A price, `$total.00`, and in a sentence any number: `$total.5`. */
const PRICE = /^\$\w+\.\d\d$/;
const AMOUNT = /^\$?\w+\.\d+$/;
/** A file whose name begins with a variable of a shell. */
const FILE =
  /^\$?\w+\.(?:txt|md|csv|tsv|json|jsonl|xml|ya?ml|toml|ini|cfg|conf|env|log|html?|css|m?[jt]sx?|py|rb|go|rs|c|h|java|sh|bat|exe|sql|pdf|docx?|xlsx?|pptx?|zip|gz|tgz|tar|bak|tmp|png|jpe?g|gif|svg|webp|mp[34]|wav)$/i;
/** The longest text of which the right form is written out whole. */
export const SHOWN = 120;

/** The placeholders of a text. In a template two braces are a reference, and so none. */
export function readPlaceholders(text: string, sources: Sources, kind: "text" | "template"): Placeholder[] {
  const whole = text.trim();
  const stringified = kind === "text" ? readStringified(whole) : null;
  const alone = stringified ?? (BARE.test(whole) ? whole : null);
  if (alone !== null) return toPlaceholder({ at: text.indexOf(whole), written: whole }, alone, sources);
  const found: Placeholder[] = [];
  for (const match of text.matchAll(MARKED)) {
    const [written, dollars, doubled, open, dollar, , angled, square, named, call, percent, plain] = match;
    const inner = match.slice(1).find(Boolean)!;
    const inBraces = dollars ?? doubled ?? open;
    if (kind === "template" && inBraces !== undefined) continue;
    const isWhole = written === whole;
    if (angled !== undefined && ADDRESS.test(inner)) continue;
    // A program of a shell, a name that a search looks for, and a price.
    if (call ?? percent ?? plain) if ((isWhole && plain ? PRICE : PROSE).test(inner)) continue;
    // `{{shops}}` can be nothing else, but `{shops}`, `<b>` and `$HOME` are other things in most texts.
    const isSure =
      (dollars ?? doubled ?? square ?? named) !== undefined ||
      (open !== undefined && text.endsWith(written)) ||
      (isWhole && (dollar ?? plain) !== undefined);
    if (!isSure && !HAS_PATH.test(inner)) continue;
    // A long text shows only one.
    if (found.length > 0 && text.length > SHOWN) break;
    // Outside two braces the other words for the action before are names of their own, as in code: `${result.rows}`.
    const previous = (inBraces ?? /^\W*prev/.exec(inner)) ? sources.previous : undefined;
    found.push(...toPlaceholder({ at: match.index, written }, inner.trim(), { ...sources, previous }));
  }
  return found;
}

const PROSE = new RegExp(`${AMOUNT.source}|${FILE.source}`, "i");

/** The reference that an object means which has a marker's key, and is no marker because it has further keys. */
export function readCrowdedMarker(value: unknown, { isSource }: Sources): Marker | null {
  if (!isJsonObject(value) || Object.keys(value).length < 2) return null;
  const { $ref, $template } = value;
  if (typeof $ref === "string" && $ref.includes("#")) {
    const meant = guessReference($ref);
    const marker = meant === null ? null : readMarker({ $ref: meant });
    return marker?.kind === "ref" && isSource(marker.reference.id) ? marker : null;
  }
  const marker = typeof $template === "string" ? readMarker({ $template }) : null;
  return marker?.kind === "template" &&
    marker.parts.some((part) => typeof part !== "string" && isSource(part.id))
    ? marker
    : null;
}

/** The reference of a text that is a `$ref` written as JSON once too often. */
function readStringified(whole: string): string | null {
  if (!STRINGIFIED.test(whole)) return null;
  const parsed = attemptNow((): unknown => JSON.parse(whole));
  const marker = parsed.ok ? readMarker(parsed.value) : null;
  return marker?.kind === "ref" ? `${marker.reference.id}#${marker.reference.pointer}` : null;
}

function toPlaceholder(
  place: Omit<Placeholder, "reference">,
  inner: string,
  sources: Sources,
): Placeholder[] {
  const meant = toMeant(inner, sources);
  const reference = meant === null ? null : guessReference(meant);
  return reference === null ? [] : [{ ...place, reference }];
}

const PREVIOUS = /^(?:previous|prev|last|result|output)(?:_(?:result|output|step|action))?$/;
const COLLECTION =
  /^(?:\$\.?)?(?:steps|actions|results|outputs|tasks|nodes)(?:\.|\[["']?)([A-Za-z0-9_-]{1,64})(?:["']?\])?/;
/** The step from an action to its output, which references do not have. */
const OUTPUT = /^\.(?:outputs?|results?|data)(?![\w-])/;

/** The inside of a placeholder with the id of the action that it means first; null where it means none. */
function toMeant(inner: string, { isSource, previous }: Sources): string | null {
  // Asked first, because a text may be full of what names nothing.
  const [name = ""] = NAME.exec(inner) ?? [];
  if (isSource(name)) return inner;
  if (previous !== undefined && PREVIOUS.test(name) && isSource(previous))
    return previous + inner.slice(inner.indexOf(name) + name.length).replace(OUTPUT, "");
  const [collected, id = ""] = COLLECTION.exec(inner) ?? [];
  return collected !== undefined && isSource(id)
    ? id + inner.slice(collected.length).replace(OUTPUT, "")
    : null;
}
