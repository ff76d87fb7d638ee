import * as z from "zod";

import type { Tool } from "./define-tool.ts";

/** A JSON Schema (2020-12) as Zod writes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const cache = new WeakMap<Tool, JsonSchema>();

/**
 * The JSON Schema of a tool's arguments, with its contract under `x-orchestration`.
 *
 * `io: "input"` because callers send input: with output, fields that have a default would become required.
 */
export function toolSchema(tool: Tool): JsonSchema {
  const cached = cache.get(tool);
  if (cached !== undefined) return cached;
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: "input" });
  const whole = { ...schema, "x-orchestration": tool.orchestration };
  cache.set(tool, whole);
  return whole;
}
