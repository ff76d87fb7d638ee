import { ALIASES } from "../catalog/alias.ts";
import type { Entry } from "../contract/action.ts";
import { err, ok } from "../kit/result.ts";
import { visibleText } from "../kit/visible-text.ts";

/**
 * Rewrite every action that calls a tool through an alias into the action it names. It keeps its id, its place and its other
 * fields; from here on it looks like one that was written that way, so whatever holds for the tool holds for it.
 */
export function resolveAliases(entries: readonly Entry[]): readonly Entry[] {
  return entries.some(isAlias) ? entries.map((entry) => (isAlias(entry) ? resolve(entry) : entry)) : entries;
}

function isAlias({ action }: Entry): boolean {
  return action.ok && ALIASES.has(action.value.tool);
}

function resolve(entry: Entry): Entry {
  if (!entry.action.ok) return entry;
  const action = entry.action.value;
  const invocation = ALIASES.get(action.tool)!.resolve(action.args);
  if (!invocation.ok) return { ...entry, action: err(invocation.error) };
  const { tool, args, wasText = false } = invocation.value;
  const mayRefer = action.mayRefer || wasText;
  const resolved = { ...entry, tool: visibleText(tool), action: ok({ ...action, tool, args, mayRefer }) };
  return wasText ? { ...resolved, readAs: { ...entry.readAs, args: "JSON text in /parameters" } } : resolved;
}
