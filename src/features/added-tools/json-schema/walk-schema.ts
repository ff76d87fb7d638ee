import * as LIMITS from "../limits.ts";
import { follow, isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { parsePointer, toPointer } from "../../../core/kit/json/json-pointer.ts";
import { APPLICATORS, IN_PLACE } from "./keywords.ts";
import { attemptNow } from "../../../feature/refuse.ts";
import { getOrMake } from "../../../core/kit/get-or-make.ts";

/** A schema inside a document, or a boolean in the place of one. */
export interface Place {
  readonly pointer: string;
  readonly schema: unknown;
  /** By the keyword it stands under, what is inside; under `$ref` what is referred to. */
  readonly inner: ReadonlyMap<string, readonly Inner[]>;
}

export interface Inner {
  readonly pointer: string;
  /** Its name, or its place in a list. */
  readonly name: string;
}

export interface Walked {
  /** Every schema of the document by its pointer, what is referred to among them wherever it stands. */
  readonly places: ReadonlyMap<string, Place>;
  readonly badRefs: readonly BadRef[];
}

interface BadRef {
  readonly pointer: string;
  readonly ref: unknown;
  readonly wrong: "remote" | "dangling";
}

/** A document is walked once for all its uses: checking it, showing it, checking by it. */
const walks = new WeakMap<JsonObject, Walked>();

/**
 * Walk a document's schemas, once each, however they refer to each other; one more than there may be at the most, so that who
 * checks it can tell. An inner schema comes behind its outer one.
 */
export function walkSchema(root: JsonObject): Walked {
  return getOrMake(walks, root, () => walk(root));
}

function walk(root: JsonObject): Walked {
  const anchors = findAnchors(root);
  const places = new Map<string, Place>();
  const badRefs: BadRef[] = [];
  const waiting: { pointer: string; schema: unknown }[] = [{ pointer: "", schema: root }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { pointer, schema } = next;
    if (places.size > LIMITS.declarationSchemas) break;
    if (places.has(pointer)) continue;
    const inner = new Map<string, Inner[]>();
    for (const { keyword, name, schema: within } of schemasIn(schema)) {
      const at = pointer + toPointer(name === null ? [keyword] : [keyword, name]);
      getOrMake(inner, keyword, (): Inner[] => []).push({ pointer: at, name: name ?? keyword });
      waiting.push({ pointer: at, schema: within });
    }
    const ref = isJsonObject(schema) ? schema["$ref"] : undefined;
    if (ref !== undefined) {
      const resolved =
        typeof ref === "string" ? resolveRef(ref, root, anchors) : ({ wrong: "dangling" } as const);
      if ("wrong" in resolved) badRefs.push({ pointer: `${pointer}/$ref`, ref, wrong: resolved.wrong });
      else {
        inner.set("$ref", [{ pointer: resolved.pointer, name: "$ref" }]);
        waiting.push(resolved);
      }
    }
    places.set(pointer, { pointer, schema, inner });
  }
  return { places, badRefs };
}

/** The schemas that say more of the same value: the ones inside it in place, and the ones it refers to. */
export function inPlace({ inner }: Place): Inner[] {
  return [...inner].flatMap(([keyword, within]) =>
    keyword === "$ref" || IN_PLACE.has(keyword) ? within : [],
  );
}

/** The schemas that stand under a keyword of one. */
export function pointersOf({ inner }: Place, keyword: string): string[] {
  return (inner.get(keyword) ?? []).map(({ pointer }) => pointer);
}

/** The schemas that a schema has for one field of an object. */
export function fieldPointers(place: Place, name: string): string[] {
  const named = (keyword: string, is: (key: string) => boolean): string[] =>
    (place.inner.get(keyword) ?? []).filter((one) => is(one.name)).map(({ pointer }) => pointer);
  const found = [
    ...named("properties", (key) => key === name),
    ...named("patternProperties", (pattern) => new RegExp(pattern, "u").test(name)),
  ];
  return found.length > 0 ? found : pointersOf(place, "additionalProperties");
}

/** The path that a place's pointer stands for. */
export function pathOf(pointer: string): readonly string[] {
  return parsePointer(pointer) ?? [];
}

interface Found {
  readonly keyword: string;
  /** Null where the keyword has a schema for its value. */
  readonly name: string | null;
  readonly schema: unknown;
}

/** The schemas that stand directly inside one. */
function schemasIn(schema: unknown): Found[] {
  const found: Found[] = [];
  if (!isJsonObject(schema)) return found;
  for (const keyword of Object.keys(schema)) {
    const holds = APPLICATORS.get(keyword);
    if (holds === undefined) continue;
    const value = schema[keyword];
    if (holds === "schema") found.push({ keyword, name: null, schema: value });
    else if (holds === "list" ? Array.isArray(value) : isJsonObject(value))
      for (const [name, within] of Object.entries(value as object))
        found.push({ keyword, name, schema: within });
  }
  return found;
}

function findAnchors(root: JsonObject): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  const waiting: { pointer: string; schema: unknown }[] = [{ pointer: "", schema: root }];
  // Most documents have none, and looking for them is walking it all.
  if (!JSON.stringify(root).includes('"$anchor"')) return anchors;
  for (const { pointer, schema } of waiting) {
    const anchor = isJsonObject(schema) ? schema["$anchor"] : undefined;
    if (typeof anchor === "string") anchors.set(anchor, pointer);
    for (const { keyword, name, schema: within } of schemasIn(schema))
      waiting.push({
        pointer: pointer + toPointer(name === null ? [keyword] : [keyword, name]),
        schema: within,
      });
  }
  return anchors;
}

/** Where a `$ref` leads to inside its document, or why there is nothing. */
type Resolved =
  | { readonly pointer: string; readonly schema: unknown }
  | { readonly wrong: "remote" | "dangling" };

/** Find what a `$ref` refers to: `#`, `#/pointer` (percent-encoded as a URI's fragment) or `#anchor`. */
function resolveRef(ref: string, root: unknown, anchors: ReadonlyMap<string, string>): Resolved {
  if (!ref.startsWith("#")) return { wrong: "remote" };
  const fragment = attemptNow(() => decodeURIComponent(ref.slice(1)));
  if (!fragment.ok) return { wrong: "dangling" };
  const path = parsePointer(anchors.get(fragment.value) ?? fragment.value);
  const found = path === null ? null : follow(root, path);
  return found?.found === true ? { pointer: toPointer(path!), schema: found.value } : { wrong: "dangling" };
}

/**
 * The arguments that a schema names, in its order: its own properties first, then those of what is said of the same value
 * besides (`$ref`, `allOf`, `anyOf` and the like).
 */
export function argumentsOf(schema: JsonObject): string[] {
  const { places } = walkSchema(schema);
  const names = new Set<string>();
  const waiting = new Set([""]);
  for (const pointer of waiting) {
    const place = places.get(pointer);
    // A document with too many schemas has only some of them here.
    if (place === undefined) continue;
    const properties = isJsonObject(place.schema) ? place.schema["properties"] : undefined;
    if (isJsonObject(properties)) for (const name of Object.keys(properties)) names.add(name);
    for (const inner of inPlace(place)) waiting.add(inner.pointer);
  }
  return [...names];
}
