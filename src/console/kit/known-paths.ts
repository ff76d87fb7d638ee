import { getOrMake } from "../../core/kit/get-or-make.ts";
import { toPointer } from "../../core/kit/json/json-pointer.ts";
import { currentOwner } from "./session.ts";

/** So much of a result is looked at: enough to point into it, and not a list of a thousand places. */
const MOST_DEPTH = 4;
const MOST_ELEMENTS = 2;
const MOST_FIELDS = 12;
const MOST_PATHS = 60;
const MOST_TOOLS = 200;

/** The places of results that an owner's tab has seen, by tool: what a tool answered once says what can be pointed at. */
const knownOf = new WeakMap<object, Map<string, readonly string[]>>();

export function learnPaths(tool: string, data: unknown): void {
  const known = getOrMake(knownOf, currentOwner(), () => new Map<string, readonly string[]>());
  if (known.size >= MOST_TOOLS && !known.has(tool)) return;
  const paths = listPaths(data);
  if (paths.length > 0) known.set(tool, paths);
}

export function pathsOf(tool: string | null): readonly string[] {
  return (tool === null ? undefined : knownOf.get(currentOwner())?.get(tool)) ?? [];
}

/** List places of a value as JSON Pointers, the near ones first. */
function listPaths(data: unknown): readonly string[] {
  const paths: string[] = [];
  let level: readonly (readonly [string, unknown])[] = [["", data]];
  for (let depth = 0; depth < MOST_DEPTH && level.length > 0 && paths.length < MOST_PATHS; depth += 1) {
    const next = level.flatMap(([path, value]) =>
      partsOf(value).map(([step, part]) => [`${path}${step}`, part] as const),
    );
    paths.push(...next.map(([path]) => path));
    level = next.slice(0, MOST_PATHS);
  }
  return paths.slice(0, MOST_PATHS);
}

function partsOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value))
    return value.slice(0, MOST_ELEMENTS).map((part: unknown, at) => [toPointer([at]), part]);
  if (typeof value !== "object" || value === null) return [];
  const parts: [string, unknown][] = [];
  for (const [name, part] of Object.entries(value)) {
    if (parts.length === MOST_FIELDS) break;
    if (name.length <= 64) parts.push([toPointer([name]), part]);
  }
  return parts;
}
