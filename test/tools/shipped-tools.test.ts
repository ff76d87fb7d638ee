import * as z from "zod";
import { expect, test } from "vitest";

import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";

test("SHIPPED_TOOLS are these, in these categories", () => {
  expect(SHIPPED_TOOLS.map(({ name, category }) => `${category}/${name}`)).toEqual([
    "maps/google-maps-search",
    "vehicles/nhtsa-recall-search",
    "web/web-search",
    "email/send_email",
    "weather/get_weather",
    "calendar/add_calendar_event",
    "calendar/list_calendar_events",
    "calendar/search_calendar_events",
    "calendar/update_calendar_event",
    "calendar/delete_calendar_event",
  ]);
});

test.each(SHIPPED_TOOLS)("$name tells a model the size of its output and what each argument is", (tool) => {
  expect(tool.description).toMatch(/Size: about \d+ tokens/);
  expect(tool.summary.length).toBeLessThan(80);
  const { properties } = z.toJSONSchema(tool.input, { io: "input" }) as {
    properties: Record<string, { description?: string }>;
  };
  for (const property of Object.values(properties)) expect(property.description).toMatch(/\.$/);
});

test.each(SHIPPED_TOOLS)("$name may be retried: a read, or an idempotent write, with a backoff", (tool) => {
  expect(tool.repeatable).toBe(true);
  expect(tool.orchestration.backoff).toBeDefined();
});
