import { attemptNow } from "../../../core/kit/result.ts";
import { follow, parsePointer, toPointer } from "../../../core/kit/json/json-pointer.ts";

/** Where a `$ref` leads to inside its document, or why there is nothing. */
export type Resolved =
  | { readonly pointer: string; readonly schema: unknown }
  | { readonly wrong: "remote" | "dangling" };

/** Find what a `$ref` refers to: `#`, `#/pointer` (percent-encoded as a URI's fragment) or `#anchor`. */
export function resolveRef(ref: string, root: unknown, anchors: ReadonlyMap<string, string>): Resolved {
  if (!ref.startsWith("#")) return { wrong: "remote" };
  const fragment = attemptNow(() => decodeURIComponent(ref.slice(1)));
  if (!fragment.ok) return { wrong: "dangling" };
  const path = parsePointer(anchors.get(fragment.value) ?? fragment.value);
  const found = path === null ? null : follow(root, path);
  return found?.found === true ? { pointer: toPointer(path!), schema: found.value } : { wrong: "dangling" };
}
