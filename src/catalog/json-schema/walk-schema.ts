import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import { toPointer } from "../../kit/json/json-pointer.ts";
import { APPLICATORS, IN_PLACE } from "./keywords.ts";
import { resolveRef } from "./resolve-ref.ts";

/** Where a schema stands in its document. */
export type Path = readonly string[];

/** A schema inside a document, or a boolean in the place of one. */
export interface Place {
  readonly path: Path;
  readonly schema: unknown;
  /** Places inside it, or referred to by it. */
  readonly inner: readonly Inner[];
}

interface Inner {
  /** The keyword it stands under; `$ref` for what is referred to. */
  readonly keyword: string;
  readonly path: Path;
  /** It says more of the same value. */
  readonly isInPlace: boolean;
}

export interface Walked {
  /** Every schema of the document by its pointer, what is referred to among them wherever it stands. */
  readonly places: ReadonlyMap<string, Place>;
  readonly badRefs: readonly {
    readonly path: Path;
    readonly ref: unknown;
    readonly wrong: "remote" | "dangling";
  }[];
}

/** Walk a document's schemas, once each, however they refer to each other. */
export function walkSchema(root: JsonObject): Walked {
  const anchors = findAnchors(root);
  const places = new Map<string, Place>();
  const badRefs: { path: Path; ref: unknown; wrong: "remote" | "dangling" }[] = [];
  const waiting: { path: Path; schema: unknown }[] = [{ path: [], schema: root }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, schema } = next;
    const pointer = toPointer(path);
    if (places.has(pointer)) continue;
    const inner: Inner[] = [];
    for (const { keyword, at, schema: within } of schemasIn(schema)) {
      inner.push({ keyword, path: [...path, ...at], isInPlace: IN_PLACE.has(keyword) });
      waiting.push({ path: [...path, ...at], schema: within });
    }
    const ref = isJsonObject(schema) ? schema["$ref"] : undefined;
    if (ref !== undefined) {
      const resolved =
        typeof ref === "string" ? resolveRef(ref, root, anchors) : ({ wrong: "dangling" } as const);
      if ("wrong" in resolved) badRefs.push({ path: [...path, "$ref"], ref, wrong: resolved.wrong });
      else {
        inner.push({ keyword: "$ref", path: resolved.path, isInPlace: true });
        waiting.push(resolved);
      }
    }
    places.set(pointer, { path, schema, inner });
  }
  return { places, badRefs };
}

/** The schemas that stand directly inside one. */
function schemasIn(schema: unknown): { keyword: string; at: Path; schema: unknown }[] {
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const holds = APPLICATORS.get(keyword);
    if (holds === undefined) return [];
    if (holds === "schema") return [{ keyword, at: [keyword], schema: value }];
    const isRight = holds === "list" ? Array.isArray(value) : isJsonObject(value);
    if (!isRight) return [];
    return Object.entries(value as object).map(([name, inner]: [string, unknown]) => ({
      keyword,
      at: [keyword, name],
      schema: inner,
    }));
  });
}

function findAnchors(root: JsonObject): ReadonlyMap<string, Path> {
  const anchors = new Map<string, Path>();
  const look = (schema: unknown, path: Path): void => {
    const anchor = isJsonObject(schema) ? schema["$anchor"] : undefined;
    if (typeof anchor === "string") anchors.set(anchor, path);
    for (const { at, schema: inner } of schemasIn(schema)) look(inner, [...path, ...at]);
  };
  look(root, []);
  return anchors;
}
