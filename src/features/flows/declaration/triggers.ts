import * as z from "zod/mini";

import type { CronClock } from "../clock/next-time.ts";
import { lazySchema, type Written } from "../../../core/contract/lazy-schema.ts";
import { hookTriggerSchema } from "../hooks/hook-trigger.ts";

/** Triggers run a flow without a caller: signed deliveries to its address, a clock, or both. */
export const triggersSchema = lazySchema(() =>
  z
    .strictObject({
      webhook: z.optional(hookTriggerSchema()),
      cron: z.optional(z.string()).check(z.describe("Five fields, such as '0 7 * * 1-5'")),
      timezone: z.optional(z.string()).check(z.describe("An IANA zone; UTC where it is left out")),
      paused: z
        .optional(z.boolean())
        .check(
          z.describe(
            "Neither the webhook nor the clock runs it; what the clock would have run is not made up",
          ),
        ),
    })
    .register(z.globalRegistry, { id: "Triggers" }),
);

export type Triggers = Written<typeof triggersSchema>;

/** The clock of a flow that has one and is not paused; null for every other. */
export function clockOf(triggers: Triggers | undefined): CronClock | null {
  const { cron, timezone = "UTC", paused = false } = triggers ?? {};
  return cron === undefined || paused ? null : { cron, timezone };
}
