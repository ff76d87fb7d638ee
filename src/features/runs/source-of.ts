import type { RunSource } from "./run.ts";

/** The doors by their routes; every other route is one of plain HTTP. */
const DOORS: readonly (readonly [pattern: RegExp, source: RunSource])[] = [
  [/ \/v1\/(?:chat\/completions|messages|responses)$/, "agent"],
  [/ \/v1\/(?:openai|anthropic|gemini)\//, "turn"],
  [/\/mcp$/, "mcp"],
  [/ \/v1\/flows\//, "flow"],
  [/ \/(?:v1\/confirmations|approvals)\//, "approval"],
  [/ \/api\/orchestration\//, "orchestration"],
  [/^connection$/, "approval"],
  [/^background$/, "background"],
  [/^delivery$/, "flow"],
];

/** The doors of routes that there were: as many as endpoints, because a route is one as it is declared. */
const sources = new Map<string, RunSource>();

/** Find the door that a run came by: the trigger that started it, the batch that it is an action of, or the route of its request. */
export function sourceOf(
  route: string,
  { trigger, isInside }: { readonly trigger?: "webhook" | "cron" | undefined; readonly isInside: boolean },
): RunSource {
  if (trigger !== undefined) return trigger;
  if (isInside) return "flow";
  let source = sources.get(route);
  if (source === undefined) {
    source = DOORS.find(([pattern]) => pattern.test(route))?.[1] ?? "http";
    sources.set(route, source);
  }
  return source;
}
