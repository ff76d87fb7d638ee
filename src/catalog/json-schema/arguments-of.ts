import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import { toPointer } from "../../kit/json/json-pointer.ts";
import { walkSchema } from "./walk-schema.ts";

/**
 * The arguments that a schema names, in its order: its own properties first, then those of what is said of the same value
 * besides (`$ref`, `allOf`, `anyOf` and the like).
 */
export function argumentsOf(schema: JsonObject): string[] {
  const { places } = walkSchema(schema);
  const names = new Set<string>();
  const seen = new Set<string>();
  const waiting = [""];
  for (const pointer of waiting) {
    if (seen.has(pointer)) continue;
    seen.add(pointer);
    const { schema: said, inner } = places.get(pointer)!;
    const properties = isJsonObject(said) ? said["properties"] : undefined;
    if (isJsonObject(properties)) for (const name of Object.keys(properties)) names.add(name);
    waiting.push(...inner.filter(({ isInPlace }) => isInPlace).map(({ path }) => toPointer(path)));
  }
  return [...names];
}
