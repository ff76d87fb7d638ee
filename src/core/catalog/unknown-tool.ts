import { nearest } from "../kit/nearest.ts";
import { visibleText } from "../kit/visible-text.ts";
import { BATCH_TOOL } from "./alias.ts";

/**
 * Say that no tool has a name, with the nearest of those that there are, and with what finds the others.
 *
 * @param discovers whether `discover_tools` can be called
 */
export function sayUnknownTool(name: string, names: Iterable<string>, discovers: boolean): string {
  if (name === BATCH_TOOL) return NO_NESTING;
  const near = nearest(name, names);
  const others = near.map((other) => `'${other}'`).join(" or ");
  if (!discovers)
    return `No tool is named '${visibleText(name)}'.${near.length > 0 ? ` Did you mean ${others}?` : ""}`;
  return near.length > 0
    ? `No tool is named '${visibleText(name)}'. Did you mean ${others}? Otherwise call discover_tools to find one.`
    : `No tool is named '${visibleText(name)}'; call discover_tools to find one.`;
}

/** Models that know it from their tool list try it as an action too. */
const NO_NESTING =
  `'${BATCH_TOOL}' is called by itself, never as an action or through another tool. Inside a batch, put its actions ` +
  "into the batch's own list.";
