/** Anything JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object as it arrives: its values are not looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tell a plain JSON object from an array, null or a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
