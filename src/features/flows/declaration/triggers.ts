import * as z from "zod";

import type { CronClock } from "../clock/next-time.ts";
import { lazySchema, type Written } from "../../../contract/lazy-schema.ts";
import { hookTriggerSchema } from "../hooks/hook-trigger.ts";

/** Triggers run a flow without a caller: signed deliveries to its address, a clock, or both. */
export const triggersSchema = lazySchema(() =>
  z
    .strictObject({
      webhook: hookTriggerSchema().optional(),
      cron: z.string().optional().describe("Five fields, such as '0 7 * * 1-5'"),
      timezone: z.string().optional().describe("An IANA zone; UTC where it is left out"),
      paused: z
        .boolean()
        .optional()
        .describe("Neither the webhook nor the clock runs it; what the clock would have run is not made up"),
    })
    .meta({ id: "Triggers" }),
);

export type Triggers = Written<typeof triggersSchema>;

/** The clock of a flow that has one and is not paused; null for every other. */
export function clockOf(triggers: Triggers | undefined): CronClock | null {
  const { cron, timezone = "UTC", paused = false } = triggers ?? {};
  return cron === undefined || paused ? null : { cron, timezone };
}
