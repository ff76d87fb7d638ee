import * as z from "zod/mini";

import { lazySchema, type Written } from "../../../core/contract/lazy-schema.ts";

/** Schemes in which the sender has decided on every header. */
const PROVIDERS = ["standard-webhooks", "github", "stripe", "slack"] as const;

const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** A token (RFC 9110, 5.6.2), of a length that a header's name may have. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** A JSON Pointer (RFC 6901) to a part of a body. */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;

/** How deliveries to a flow prove who sent them, as its author writes it. `secret` is the name of one, never its text. */
export const hookTriggerSchema = lazySchema(() => {
  const secret = z.string().check(z.regex(SECRET_NAME));
  const name = z.string().check(z.regex(HEADER_NAME));
  const subject = z
    .optional(z.string().check(z.regex(POINTER)))
    .check(z.describe("Where the body says whose accounts the flow uses, as a JSON Pointer"));
  return z
    .discriminatedUnion(
      "verify",
      [
        z.strictObject({ verify: z.enum(PROVIDERS), secret, subject }),
        z.strictObject({
          verify: z.literal("hmac-sha256"),
          secret,
          header: name.check(z.describe("Holds the HMAC of the body in hex, or 'sha256=' and that")),
          id_header: z
            .optional(name)
            .check(z.describe("Holds the delivery's id; without it equal bodies are one delivery")),
          subject,
        }),
      ],
      `one of ${[...PROVIDERS, "hmac-sha256"].map((verify) => JSON.stringify(verify)).join(", ")}`,
    )
    .register(z.globalRegistry, { id: "WebhookTrigger" });
});

export type HookTrigger = Written<typeof hookTriggerSchema>;
