import { isJsonObject } from "../../../core/contract/json.ts";
import type { Place } from "./walk-schema.ts";

/**
 * Find the schemas that are referred to and that no finite value fits, because every value of one needs another value of one
 * inside; by their pointers. It is the least fixed point of "some value that ends may fit": what only needs schemas that have
 * such a value has one itself. Only what recursion does is looked at; a schema may still be impossible for other reasons.
 */
export function findEndless(places: ReadonlyMap<string, Place>): string[] {
  const ending = new Set<string>();
  const users = new Map<string, string[]>();
  const referred = new Set<string>();
  for (const [user, { inner }] of places)
    for (const [keyword, within] of inner)
      for (const { pointer } of within) {
        if (keyword === "$ref") referred.add(pointer);
        const known = users.get(pointer);
        if (known === undefined) users.set(pointer, [user]);
        else known.push(user);
      }
  // Inner schemas come before the outer ones, so most are looked at once.
  const waiting = [...places.keys()].toReversed();
  const queued = new Set(waiting);
  for (const pointer of waiting) {
    queued.delete(pointer);
    if (ending.has(pointer) || !mayEnd(places.get(pointer)!, ending)) continue;
    ending.add(pointer);
    for (const user of users.get(pointer) ?? []) {
      if (ending.has(user) || queued.has(user)) continue;
      queued.add(user);
      waiting.push(user);
    }
  }
  return [...referred].filter((pointer) => !ending.has(pointer));
}

function mayEnd({ schema, inner }: Place, ending: ReadonlySet<string>): boolean {
  if (!isJsonObject(schema)) return true;
  const ends = ({ pointer }: { readonly pointer: string }): boolean => ending.has(pointer);
  for (const keyword of ["$ref", "allOf"]) if (inner.get(keyword)?.every(ends) === false) return false;
  for (const keyword of ["anyOf", "oneOf"]) if (inner.get(keyword)?.some(ends) === false) return false;
  if (schema["type"] === "object") {
    const needed = new Set(Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : []);
    return (inner.get("properties") ?? []).every((field) => !needed.has(field.name) || ends(field));
  }
  if (schema["type"] === "array" && Number(schema["minItems"] ?? 0) > 0)
    return (inner.get("prefixItems")?.slice(0, 1) ?? inner.get("items") ?? []).every(ends);
  return true;
}
