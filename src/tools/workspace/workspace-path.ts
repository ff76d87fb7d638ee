import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { utf8Length } from "../../core/contract/json.ts";
import * as LIMITS from "../kit/limits.ts";
import { quotedText } from "../../core/kit/visible-text.ts";

/**
 * Bring a path into the one form that the workspace knows it by: no leading slash, no empty part, no `.`, no `..`, composed
 * characters (NFC). `""` is the root. Throws `INVALID_ARGS`, saying why, where it is no path inside the workspace.
 *
 * @example
 * normalisePath("/src/./lib/../index.ts"); // "src/index.ts"
 */
export function normalisePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.normalize("NFC").split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) throw refuse(path, "leads out of the workspace");
  }
  const normal = parts.join("/");
  if (!normal.isWellFormed() || /[\p{Cc}\u2028\u2029]/u.test(normal))
    throw refuse(path, "holds a character that no path may hold");
  if (normal.includes("\\")) throw refuse(path, "holds a backslash; folders are separated by /");
  if (parts.length > LIMITS.workspaceDepth)
    throw refuse(path, `is deeper than ${LIMITS.workspaceDepth} levels`);
  if (utf8Length(normal) > LIMITS.workspacePathBytes)
    throw refuse(path, `is longer than ${LIMITS.workspacePathBytes} bytes`);
  return normal;
}

/** The same for the path of a file; one that can only be a folder's is refused. */
export function normaliseFilePath(path: string): string {
  const normal = normalisePath(path);
  if (normal === "" || /(?:^|\/)\.{0,2}$/.test(path)) throw refuse(path, "names a folder, not a file");
  return normal;
}

function refuse(path: string, why: string): ToolFailure {
  return new ToolFailure("INVALID_ARGS", {
    hint: `The path ${quotedText(path, 80)} ${why}; send one that is relative to the workspace's root, such as "notes/plan.md".`,
  });
}
