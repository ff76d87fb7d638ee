import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import type { JsonSchema } from "../tool-schema.ts";
import { APPLICATORS } from "./keywords.ts";
import { type Place, type Walked, walkSchema } from "./walk-schema.ts";
import { toPointer } from "../../kit/json/json-pointer.ts";

/** Schemas that references may put in place of themselves: ten times what a model reads. */
const MOST_SCHEMAS = 2_000;

/** About the document, and nothing about values. */
const OF_DOCUMENTS = new Set(["$schema", "$id", "id", "$anchor", "$defs", "definitions", "$comment"]);

/**
 * Write a schema so that it can stand anywhere inside another: what is referred to stands where it is referred to. A schema
 * that comes back to itself is shown once around and then as any value, and so is what would make it too large; arguments
 * are checked by all of it anyway. A schema without references is shown as it was written.
 */
export function showSchema(schema: JsonObject): JsonSchema {
  const walked = walkSchema(schema);
  let left = MOST_SCHEMAS;
  const show = (place: Place, around: readonly string[]): unknown => {
    const { schema: said, inner } = place;
    if (!isJsonObject(said)) return said;
    const hasRef = typeof said["$ref"] === "string";
    const shown: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(said)) {
      if (OF_DOCUMENTS.has(keyword) || keyword === "$ref") continue;
      const holds = APPLICATORS.get(keyword);
      const within = inner.filter((each) => each.keyword === keyword);
      const shows = within.map(({ path }) => show(placeOf(walked, path), around));
      if (holds === "schema") shown[keyword] = shows[0];
      else if (holds === "list") shown[keyword] = shows;
      else if (holds === "map")
        shown[keyword] = Object.fromEntries(within.map(({ path }, at) => [path.at(-1)!, shows[at]]));
      else shown[keyword] = value;
    }
    if (!hasRef) return shown;
    const target = inner.find(({ keyword }) => keyword === "$ref")!.path;
    const pointer = toPointer(target);
    left -= 1;
    if (around.includes(pointer) || left < 0) return shown;
    return both(show(placeOf(walked, target), [...around, pointer]), shown);
  };
  return show(walked.places.get("")!, [""]) as JsonSchema;
}

function placeOf({ places }: Walked, path: readonly string[]): Place {
  return places.get(toPointer(path))!;
}

/** A schema that asks for what two ask: one object where they speak of different things. */
function both(referred: unknown, own: JsonObject): unknown {
  if (Object.keys(own).length === 0) return referred;
  if (!isJsonObject(referred)) return referred === false ? false : own;
  const annotations = new Set(["title", "description", "default", "examples", "deprecated"]);
  const clashes = Object.keys(own).some((key) => Object.hasOwn(referred, key) && !annotations.has(key));
  return clashes
    ? { ...own, allOf: [...((own["allOf"] as readonly unknown[]) ?? []), referred] }
    : { ...referred, ...own };
}
