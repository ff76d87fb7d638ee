import * as z from "zod/mini";

import type { KeptKey } from "./kept-key.ts";
import { lazySchemaOf, type Written } from "../../core/contract/lazy-schema.ts";

/** A key as it is shown: never the key, and never its hash. */
export const keySchema = lazySchemaOf(({ flags }: { readonly flags: readonly string[] }) =>
  z
    .strictObject({
      name: z.string(),
      tenant: z.string(),
      tools: z.array(z.string()),
      quota: z.strictObject({ limit: z.int(), window_s: z.int() }),
      flags: z.array(z.enum(flags)),
      subject: z.optional(z.string()).check(z.describe("The one whose accounts its calls use")),
      created_at: z.string(),
      expires_at: z.nullable(z.string()),
      rotated_at: z.nullable(z.string()).check(z.describe("When it last got another key")),
      previous_ends_at: z
        .nullable(z.string())
        .check(z.describe("Until when a key before the newest is good as well; null when none is")),
    })
    .register(z.globalRegistry, { id: "Key" }),
);

/** Show a key. */
export function toKeyJson(key: KeptKey, nowMs: number): Written<typeof keySchema> {
  const { name, tenant, tools, quota, flags, subject, createdAt, expiresAt, rotatedAt, digests } = key;
  const ends = digests.flatMap(({ endsAt }) => (endsAt !== null && endsAt > nowMs ? [endsAt] : []));
  return {
    name,
    tenant,
    tools,
    quota: { limit: quota.limit, window_s: quota.windowS },
    flags,
    ...(subject !== undefined && { subject }),
    created_at: toText(createdAt),
    expires_at: expiresAt === null ? null : toText(expiresAt),
    rotated_at: rotatedAt === null ? null : toText(rotatedAt),
    previous_ends_at: ends.length === 0 ? null : toText(Math.max(...ends)),
  };
}

export function toText(ms: number): string {
  return new Date(ms).toISOString();
}
