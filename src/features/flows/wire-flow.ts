import * as z from "zod/mini";

import { TRIGGERS } from "../../core/contract/gate/caller.ts";
import { planSchema } from "../../core/plan/describe-plan.ts";
import { lazySchema, strictSchema, type Written } from "../../feature/schema.ts";
import { flowSchema } from "./declaration/flow-schema.ts";

/** An issue of a flow that is kept all the same. */
const flowIssueSchema = strictSchema("FlowIssue", () => ({
  severity: z.enum(["error", "warning"]).check(z.describe("With an error no delivery is taken")),
  path: z.string(),
  expected: z.string(),
  received: z.string(),
  hint: z.string(),
}));

export type FlowIssue = Written<typeof flowIssueSchema>;

/** A flow as it is kept, and what follows from it. */
export const keptFlowSchema = lazySchema("KeptFlow", () =>
  z.extend(flowSchema(), {
    name: z.string(),
    fingerprint: z.string().check(z.describe("SHA-256 of the flow and what it amounts to")),
    is_write: z.boolean().check(z.describe("One of its actions writes")),
    confirm: z.boolean().check(z.describe("One of its actions needs a person's yes")),
    hook_url: z.optional(z.string()).check(z.describe("Where signed deliveries run it")),
    next_run_at: z
      .optional(z.nullable(z.string()))
      .check(z.describe("When its clock comes next; null when it does not any more")),
    issues: z
      .optional(z.array(flowIssueSchema()))
      .check(z.describe("The problems that it has, though it is kept")),
  }),
);

const brokenSchema = lazySchema(() =>
  z.optional(z.string()).check(z.describe("Why it cannot run with the tools that the key may call by now")),
);

/** The same, with its plan or why it cannot run. */
export const shownFlowSchema = lazySchema("ShownFlow", () =>
  z.extend(keptFlowSchema(), {
    hook: z
      .optional(
        z.strictObject({
          verification_token: z.string(),
          received_at: z.string(),
          others: z.int().check(z.describe("Others that came meanwhile: somebody else knows the address")),
        }),
      )
      .check(z.describe("The secret that its sender brought, for ten minutes; to keys with manage_tools")),
    plan: z.optional(planSchema().shape.plan),
    broken: brokenSchema(),
  }),
);

/** The flows that a key may call. */
export const flowListSchema = strictSchema("FlowList", () => ({
  flows: z.array(
    z.strictObject({
      name: z.string(),
      summary: z.string(),
      is_write: z.boolean(),
      fingerprint: z.string(),
      paused: z.boolean().check(z.describe("Neither its webhook nor its clock runs it")),
      triggers: z.array(z.enum(TRIGGERS)).check(z.describe("Whatever runs it besides a caller")),
      next_run_at: z
        .optional(z.nullable(z.string()))
        .check(z.describe("When its clock comes next; null when it does not any more")),
      broken: brokenSchema(),
    }),
  ),
}));
