import { defineTool } from "../../core/catalog/define-tool.ts";
import { mailArguments } from "../kit/email-address.ts";

/**
 * Send an email from the person's own Outlook address. Microsoft Graph takes no key for it and tells no id, so it is sent once, and one
 * whose answer is lost is `unknown`.
 *
 * Source: https://learn.microsoft.com/graph/api/user-sendmail
 */
export const sendOutlook = defineTool({
  name: "send_outlook",
  summary: "Send a plain-text email from the user's Outlook address",
  description:
    "Send one plain-text email from the user's own Outlook address; it is among the sent ones afterwards. It is sent once: a result of " +
    "status `unknown` may have gone out, so look with search_outlook before sending it again. Size: about 10 tokens.",
  category: "outlook",
  actions: ["send", "write"],
  isWrite: true,
  input: mailArguments,
  hosts: ["graph.microsoft.com"],
  connection: { microsoft: ["Mail.Send"] },
  timeoutMs: 15_000,
  typicalTokens: 10,
  maxResponseBytes: 64 * 1024,
  idempotent: false,
  orchestration: { mode: "fan-out-bounded", max_concurrency: 2 },
  run: async ({ to, subject, body, cc = [] }, ctx) => {
    await ctx.connection("microsoft").fetch("https://graph.microsoft.com/v1.0/me/sendMail", {
      method: "POST",
      body: {
        message: {
          subject,
          body: { contentType: "Text", content: body },
          toRecipients: [to].flat().map(toRecipient),
          ccRecipients: [cc].flat().map(toRecipient),
        },
      },
    });
    return { success: true };
  },
});

function toRecipient(address: string): object {
  return { emailAddress: { address } };
}
