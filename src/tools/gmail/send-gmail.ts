import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { lazySchema } from "../../core/contract/lazy-schema.ts";
import { mayUseAccount } from "../kit/google-access.ts";
import { emailAddresses } from "../kit/email-address.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { fetchMessages, GMAIL } from "./gmail-api.ts";
import { toBase64Url, writeMail } from "./write-mail.ts";

const answerSchema = lazySchema(() => z.looseObject({ id: z.string(), threadId: z.string() }));

/**
 * Send an email from the account's own address.
 *
 * Gmail takes no idempotency key, and finds a mail by its Message-ID only once it has been indexed, so nothing tells in time
 * whether one went out whose answer was lost: it is sent once, and such a one is `unknown`.
 *
 * Source: https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/send
 */
export const sendGmail = defineTool({
  ...GMAIL,
  ...mayUseAccount("gmail.send"),
  name: "send_gmail",
  summary: "Send a plain-text email from the user's Gmail address",
  description:
    "Send one plain-text email from the user's own Gmail address. It is sent once: a result of status `unknown` may have " +
    "gone out, so look with search_gmail ('in:sent') before sending it again. Size: about 40 tokens.",
  actions: ["send", "write"],
  isWrite: true,
  input: () =>
    z.strictObject({
      to: emailAddresses().check(
        z.describe("Recipient's address, or up to 50 in a list; all of them see each other."),
      ),
      subject: z
        .string()
        .check(
          z.trim(),
          z.minLength(1),
          z.maxLength(200),
          z.regex(/^[^\r\n]*$/, "one line"),
          z.describe("Subject, one line."),
        ),
      body: z.string().check(z.minLength(1), z.maxLength(20_000), z.describe("Plain text of the message.")),
      cc: z.optional(emailAddresses()).check(z.describe("Address that gets a copy, or up to 50 in a list.")),
    }),
  typicalTokens: 40,
  maxResponseBytes: 64 * 1024,
  idempotent: false,
  orchestration: { mode: "fan-out-bounded", max_concurrency: 2 },
  run: async ({ to, subject, body, cc = [] }, ctx) => {
    const raw = toBase64Url(
      new TextEncoder().encode(writeMail({ to: [to].flat(), cc: [cc].flat(), subject, body })),
    );
    const response = await fetchMessages(ctx, "/send", [], { method: "POST", body: { raw } });
    const { id, threadId } = parseUpstream(answerSchema(), response);
    return { success: true, message_id: id, thread_id: threadId };
  },
});
