import { canonicalJson } from "../../src/core/kit/json/canonical-json.ts";

/** One place where two JSON values differ, as a path of keys. */
export type Change = { readonly path: readonly (string | number)[] } & (
  | { readonly kind: "added"; readonly to: unknown }
  | { readonly kind: "removed"; readonly from: unknown }
  | { readonly kind: "changed"; readonly from: unknown; readonly to: unknown }
);

/**
 * Find where two JSON values differ: none where they are equal, whatever the order of their keys.
 *
 * A changed value stands under the same path in both, a removed one under its path in `from`, an added one under its path in
 * `to`. Elements that a list begins and ends with in both are matched first, so that one more in the middle is one change.
 */
export function findChanges(from: unknown, to: unknown, path: Change["path"] = []): Change[] {
  if (isEqual(from, to)) return [];
  if (Array.isArray(from) && Array.isArray(to)) return findInLists(from, to, path);
  // A reference that became a template is one change, not a field that went and another that came.
  if (isObject(from) && isObject(to) && Object.keys(from).some((key) => Object.hasOwn(to, key)))
    return findInObjects(from, to, path);
  return [{ kind: "changed", path, from, to }];
}

/** Whether two JSON values are equal: key order is nothing, and `-0` is the 0 that it is written as. */
function isEqual(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function findInObjects(
  from: Readonly<Record<string, unknown>>,
  to: Readonly<Record<string, unknown>>,
  path: Change["path"],
): Change[] {
  const inTo = Object.keys(to).flatMap((key): Change[] =>
    Object.hasOwn(from, key)
      ? findChanges(from[key], to[key], [...path, key])
      : [{ kind: "added", path: [...path, key], to: to[key] }],
  );
  const gone = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  return [
    ...inTo,
    ...gone.map((key): Change => ({ kind: "removed", path: [...path, key], from: from[key] })),
  ];
}

function findInLists(from: readonly unknown[], to: readonly unknown[], path: Change["path"]): Change[] {
  const most = Math.min(from.length, to.length);
  let head = 0;
  while (head < most && isEqual(from[head], to[head])) head += 1;
  let tail = 0;
  while (tail < most - head && isEqual(from.at(-1 - tail), to.at(-1 - tail))) tail += 1;
  const left = from.length - tail;
  const right = to.length - tail;
  const both = Math.min(left, right);
  const changes: Change[] = [];
  for (let at = head; at < both; at += 1) changes.push(...findChanges(from[at], to[at], [...path, at]));
  for (let at = both; at < left; at += 1)
    changes.push({ kind: "removed", path: [...path, at], from: from[at] });
  for (let at = both; at < right; at += 1) changes.push({ kind: "added", path: [...path, at], to: to[at] });
  return changes;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
