import type * as z from "zod/mini";

import type { Components, Json } from "./components.ts";

/** Describe the fields of a query's schema as the parameters of an operation; none where there is no schema. */
export function toQueryParameters(query: z.ZodMiniObject | undefined, components: Components): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = components.schema(query, "input") as {
    properties?: Record<string, Json>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...(required.includes(name) && { required: true }),
    ...(description !== undefined && { description }),
    schema,
  }));
}
