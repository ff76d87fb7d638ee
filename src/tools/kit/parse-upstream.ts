import * as z from "zod/mini";

import type { UpstreamResponse } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";

/**
 * Read an upstream's answer as the shape a tool relies on. A mismatch throws `BAD_UPSTREAM_RESPONSE`, so a provider
 * that changes its format is told apart from a bug in the tool. Use `z.looseObject`: new fields are no mismatch.
 *
 * @example
 * const { id } = parseUpstream(z.looseObject({ id: z.string() }), await ctx.fetch("https://api.example.com/things/1"));
 */
export function parseUpstream<Schema extends z.core.$ZodType>(
  schema: Schema,
  response: UpstreamResponse,
): z.output<Schema> {
  const answer = response.json();
  const exact = z.safeParse(schema, answer);
  if (exact.success) return exact.data;
  // Where a number is wanted, one with more digits than a number has is as good as the nearest.
  const rounded = z.safeParse(schema, JSON.parse(JSON.stringify(answer)));
  if (rounded.success) return rounded.data;
  throw new ToolFailure("BAD_UPSTREAM_RESPONSE", {
    hint: "Sending the same call again will not help; use another tool or tell the user.",
  });
}
