import * as z from "zod";

import { defineTool } from "../../catalog/define-tool.ts";
import { lazySchema } from "../../contract/lazy-schema.ts";
import { emailAddress } from "../kit/email-address.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { fetchMessages, GMAIL } from "./gmail-api.ts";
import { toBase64Url, writeMail } from "./write-mail.ts";

const addresses = () => z.array(emailAddress()).max(50);

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
  name: "send_gmail",
  summary: "Send a plain-text email from the user's Gmail address",
  description:
    "Send one plain-text email from the user's own Gmail address. It is sent once: a result of status `unknown` may have " +
    "gone out, so look with search_gmail ('in:sent') before sending it again. Size: about 40 tokens.",
  actions: ["send", "write"],
  isWrite: true,
  input: () =>
    z.strictObject({
      to: addresses().min(1).describe("Recipients' addresses, 1 to 50; all of them see each other."),
      subject: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .regex(/^[^\r\n]*$/, "one line")
        .describe("Subject, one line."),
      body: z.string().min(1).max(20_000).describe("Plain text of the message."),
      cc: addresses().optional().describe("Addresses that get a copy, at most 50."),
    }),
  typicalTokens: 40,
  maxResponseBytes: 64 * 1024,
  idempotent: false,
  orchestration: { mode: "fan-out-bounded", max_concurrency: 2 },
  run: async ({ to, subject, body, cc = [] }, ctx) => {
    const raw = toBase64Url(new TextEncoder().encode(writeMail({ to, cc, subject, body })));
    const response = await fetchMessages(ctx, "/send", [], { method: "POST", body: { raw } });
    const { id, threadId } = parseUpstream(answerSchema(), response);
    return { success: true, message_id: id, thread_id: threadId };
  },
});
