import { isJsonObject, type JsonObject } from "../../contract/json.ts";

/**
 * The arguments that a schema names, in its order: its own properties, and those of what is said of the same value besides
 * (`allOf`, `anyOf`, `$ref` and the like).
 */
export function argumentsOf(schema: JsonObject): string[] {
  return isJsonObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
}
