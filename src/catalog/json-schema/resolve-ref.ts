import { attemptNow } from "../../kit/result.ts";
import { follow, parsePointer } from "../../kit/json/json-pointer.ts";

/** The path that a `$ref` leads to inside its document, or why there is none. */
export type Resolved =
  | { readonly path: readonly string[]; readonly schema: unknown }
  | { readonly wrong: "remote" | "dangling" };

/** Find what a `$ref` refers to: `#`, `#/pointer` (percent-encoded as a URI's fragment) or `#anchor`. */
export function resolveRef(
  ref: string,
  root: unknown,
  anchors: ReadonlyMap<string, readonly string[]>,
): Resolved {
  if (!ref.startsWith("#")) return { wrong: "remote" };
  const fragment = attemptNow(() => decodeURIComponent(ref.slice(1)));
  if (!fragment.ok) return { wrong: "dangling" };
  const path = anchors.get(fragment.value) ?? parsePointer(fragment.value);
  if (path === null) return { wrong: "dangling" };
  const found = follow(root, path);
  return found.found ? { path, schema: found.value } : { wrong: "dangling" };
}
