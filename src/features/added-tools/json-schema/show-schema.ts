import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";
import { APPLICATORS } from "./keywords.ts";
import { type Place, walkSchema } from "./walk-schema.ts";

/** Schemas that references may put in place of themselves: ten times what a model reads. */
const MOST_SCHEMAS = 2_000;

/** About the document, and nothing about values. */
const OF_DOCUMENTS = new Set(["$schema", "$id", "id", "$anchor", "$defs", "definitions", "$comment"]);

/**
 * Write a schema so that it can stand anywhere inside another: what is referred to stands where it is referred to. A schema
 * that comes back to itself is shown once around and then as any value, and so is what would make it too large; arguments
 * are checked by all of it anyway. A schema without references is shown as it was written, but for what providers refuse.
 */
export function showSchema(schema: JsonObject): JsonSchema {
  const { places } = walkSchema(schema);
  let left = MOST_SCHEMAS;
  const show = (place: Place, around: readonly string[]): unknown => {
    const { schema: said, inner } = place;
    // Some providers take no booleans for schemas, and no array that does not say what is in it.
    if (!isJsonObject(said)) return said === false ? { not: {} } : {};
    const shown: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(said)) {
      if (OF_DOCUMENTS.has(keyword) || keyword === "$ref") continue;
      const holds = APPLICATORS.get(keyword);
      const within = (inner.get(keyword) ?? []).map(
        ({ pointer, name }) => [name, show(places.get(pointer)!, around)] as const,
      );
      if (typeof value === "boolean") shown[keyword] = value;
      else if (holds === "schema") shown[keyword] = within[0]?.[1];
      else if (holds === "list") shown[keyword] = within.map(([, one]) => one);
      else shown[keyword] = holds === "map" ? Object.fromEntries(within) : value;
    }
    if ([shown["type"]].flat().includes("array") && !isJsonObject(said["items"])) shown["items"] = {};
    const [target] = inner.get("$ref") ?? [];
    if (target === undefined) return shown;
    left -= 1;
    if (around.includes(target.pointer) || left < 0) return shown;
    return both(show(places.get(target.pointer)!, [...around, target.pointer]), shown);
  };
  const shown = show(places.get("")!, [""]) as JsonSchema;
  // OpenAI refuses a whole request for one function that does not name its arguments, not even none.
  return isJsonObject(shown["properties"]) ? shown : { ...shown, properties: {} };
}

/** A schema that asks for what two ask: one object where they speak of different things. */
function both(referred: unknown, own: JsonObject): unknown {
  if (Object.keys(own).length === 0) return referred;
  if (!isJsonObject(referred)) return own;
  const annotations = new Set(["title", "description", "default", "examples", "deprecated"]);
  const clashes = Object.keys(own).some((key) => Object.hasOwn(referred, key) && !annotations.has(key));
  return clashes
    ? { ...own, allOf: [...((own["allOf"] as readonly unknown[]) ?? []), referred] }
    : { ...referred, ...own };
}
