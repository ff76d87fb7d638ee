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
  const others = nearest(name, names).map((other) => `'${other}'`);
  const said = `No tool is named '${visibleText(name)}'`;
  if (others.length === 0) return `${said}${discovers ? "; call discover_tools to find one" : ""}.`;
  const next = discovers ? " Otherwise call discover_tools to find one." : "";
  return `${said}. Did you mean ${others.join(" or ")}?${next}`;
}

/** Models that know it from their tool list try it as an action too. */
const NO_NESTING =
  `'${BATCH_TOOL}' is called by itself, never as an action or through another tool. Inside a batch, put its actions ` +
  "into the batch's own list.";
