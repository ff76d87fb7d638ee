import { isJsonObject, type JsonObject } from "../../../core/contract/json.ts";
import { inPlace, walkSchema } from "./walk-schema.ts";

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
