import * as z from "zod";

import { CONFIRMATION_STATUSES } from "../../contract/gate/confirmation.ts";

const action = z.strictObject({
  id: z.string(),
  tool: z.string(),
  gated: z.boolean().describe("Needs a yes itself; the others wait for one that does"),
  args: z.unknown().optional(),
  for_each: z.unknown().optional(),
  args_of_each: z.array(z.unknown()).optional().describe("Instead of args: those of each element of a loop"),
  resolved: z.boolean().describe("Whether these are what will be sent, or still hold references"),
  callback_url: z.string().optional(),
  waits_for: z.array(z.string()),
});

/** What a person is asked about. */
export const confirmationSchema = z
  .strictObject({
    id: z.string(),
    status: z.enum(CONFIRMATION_STATUSES),
    created_at: z.string(),
    expires_at: z.string(),
    requested_by: z.string().describe("Name of the key that asked"),
    actions: z.array(action),
    args_hash: z.string(),
  })
  .meta({ id: "Confirmation" });
