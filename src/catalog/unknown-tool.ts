import { nearest } from "../kit/nearest.ts";
import { visibleText } from "../kit/visible-text.ts";

/** Say that no tool has a name, with the nearest of those that there are. */
export function sayUnknownTool(name: string, names: Iterable<string>): string {
  const near = nearest(name, names);
  return near.length > 0
    ? `No tool is named '${visibleText(name)}'. Did you mean ${near.map((other) => `'${other}'`).join(" or ")}?`
    : `No tool is named '${visibleText(name)}'; use a name from the tool list.`;
}
