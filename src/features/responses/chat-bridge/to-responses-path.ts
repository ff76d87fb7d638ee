import type { JsonObject } from "../../../core/contract/json.ts";
import type { Item } from "../dialect/responses-items.ts";
import { placeMessages, SAME } from "./to-chat-request.ts";

/** The fields that stand inside of another one in Responses. */
const INSIDE: ReadonlyMap<string, readonly string[]> = new Map([
  ["response_format", ["text", "format"]],
  ["verbosity", ["text", "verbosity"]],
  ["reasoning_effort", ["reasoning", "effort"]],
]);

/** Find the place in a request of Responses that a place in its translation comes from. */
export function toResponsesPath(
  [field = "", at, ...rest]: readonly string[],
  { input, instructions }: JsonObject,
): readonly string[] {
  const steps = at === undefined ? rest : [at, ...rest];
  const inside = INSIDE.get(field);
  if (inside !== undefined) return [...inside, ...(steps[0] === "json_schema" ? steps.slice(1) : steps)];
  if (field === "tools") return [field, ...steps.filter((step) => step !== "function" && step !== "custom")];
  if (field !== "messages") return [SAME.find(([, to]) => to === field)?.[0] ?? field, ...steps];
  if (at === undefined) return ["input"];
  const placed = placeMessages(input as readonly Item[], instructions)[Number(at)];
  if (placed === undefined) return ["input"];
  return placed.at === null ? ["instructions"] : ["input", String(placed.at), ...rest];
}
