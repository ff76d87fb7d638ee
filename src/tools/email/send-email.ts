import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { fanOut } from "../kit/arguments.ts";
import { mailTexts } from "../kit/email-address.ts";

/** Short on purpose: it travels in every schema, and Resend checks addresses in full. No letter can be read in two ways. */
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

const addresses = () => z.array(z.email({ pattern: EMAIL }).check(z.maxLength(254))).check(z.maxLength(50));

const answerSchema = looseSchema(() => ({ id: z.string() }));

/**
 * Send an email with Resend.
 *
 * Resend remembers an idempotency key for 24 hours and answers the same key and content with the first answer, so a lost
 * attempt may be repeated. It allows a team two to five requests a second, hence two at a time and a slow first retry.
 *
 * Source: https://resend.com/docs/api-reference/emails/send-email
 */
export const sendEmail = defineTool({
  name: "send_email",
  summary: "Send a plain-text email in the background",
  description:
    "Send one plain-text email from this deployment's own address. It goes out in the background: the answer is a job, " +
    "whose data is the provider's message id. Size: about 20 tokens.",
  category: "email",
  actions: ["send"],
  isWrite: true,
  execution: "fire-and-forget",
  input: () =>
    z.strictObject({
      to: addresses().check(
        z.minLength(1),
        z.describe("Recipients' addresses, 1 to 50; all of them see each other."),
      ),
      ...mailTexts(),
      cc: z.optional(addresses()).check(z.describe("Addresses that get a copy, at most 50.")),
    }),
  hosts: ["api.resend.com"],
  secrets: ["RESEND_API_KEY", "EMAIL_FROM"],
  timeoutMs: 15_000,
  typicalTokens: 30,
  maxResponseBytes: 64 * 1024,
  idempotent: "with-key",
  // Five attempts then outlast a provider that is down for a minute; a mail is not awaited by the second.
  orchestration: fanOut(2, 10_000),
  run: async ({ to, subject, body, cc }, ctx) => {
    const response = await ctx.fetch("https://api.resend.com/emails", {
      method: "POST",
      headers: {
        Authorization: `Bearer ${ctx.secret("RESEND_API_KEY")}`,
        "Idempotency-Key": ctx.idempotencyKey,
      },
      body: {
        from: ctx.secret("EMAIL_FROM"),
        to,
        subject,
        text: body,
        ...(cc !== undefined && cc.length > 0 && { cc }),
      },
    });
    return { id: parseUpstream(answerSchema(), response).id };
  },
});
