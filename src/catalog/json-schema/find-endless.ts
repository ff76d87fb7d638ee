import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import { toPointer } from "../../kit/json/json-pointer.ts";
import type { Path, Place } from "./walk-schema.ts";

/**
 * Find the schemas that are referred to and that no finite value fits, because every value of one needs another value of one
 * inside. It is the least fixed point of "some value that ends may fit": what only needs schemas that have such a value
 * has one itself. Only what recursion does is looked at; a schema may still be impossible for other reasons.
 */
export function findEndless(places: ReadonlyMap<string, Place>): Path[] {
  const ending = new Set<string>();
  const users = new Map<string, string[]>();
  for (const [pointer, { inner }] of places)
    for (const { path } of inner) {
      const at = toPointer(path);
      const known = users.get(at);
      if (known === undefined) users.set(at, [pointer]);
      else known.push(pointer);
    }
  // What stands inside comes before what it stands in, so most are looked at once.
  const waiting = [...places.keys()].toReversed();
  const queued = new Set(waiting);
  for (const pointer of waiting) {
    queued.delete(pointer);
    if (ending.has(pointer) || !mayEnd(places.get(pointer)!, (path) => ending.has(toPointer(path)))) continue;
    ending.add(pointer);
    const again = (users.get(pointer) ?? []).filter((user) => !ending.has(user) && !queued.has(user));
    for (const user of again) queued.add(user);
    waiting.push(...again);
  }
  const referred = new Set(
    [...places.values()].flatMap(({ inner }) =>
      inner.filter(({ keyword }) => keyword === "$ref").map(({ path }) => toPointer(path)),
    ),
  );
  return [...places].flatMap(([pointer, { path }]) =>
    referred.has(pointer) && !ending.has(pointer) ? [path] : [],
  );
}

function mayEnd({ schema, inner }: Place, ends: (path: Path) => boolean): boolean {
  if (!isJsonObject(schema)) return true;
  const under = (keyword: string): readonly Path[] =>
    inner.filter((each) => each.keyword === keyword).map(({ path }) => path);
  if (![...under("$ref"), ...under("allOf")].every(ends)) return false;
  for (const keyword of ["anyOf", "oneOf"]) {
    const options = under(keyword);
    if (options.length > 0 && !options.some(ends)) return false;
  }
  if (schema["type"] === "object") return neededFields(schema, under("properties")).every(ends);
  if (schema["type"] === "array" && Number(schema["minItems"] ?? 0) > 0)
    return [
      ...under("prefixItems").slice(0, 1),
      ...(schema["prefixItems"] === undefined ? under("items") : []),
    ].every(ends);
  return true;
}

function neededFields(schema: JsonObject, fields: readonly Path[]): readonly Path[] {
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : []);
  return fields.filter((path) => required.has(path.at(-1)));
}
