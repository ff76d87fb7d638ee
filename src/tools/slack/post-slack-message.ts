import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { AnsweredFailure } from "../../core/catalog/tool-failure.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { textArgument } from "../kit/arguments.ts";

const answerSchema = looseSchema(() => ({
  ok: z.boolean(),
  error: z.nullish(z.string()),
  channel: z.nullish(z.string()),
  ts: z.nullish(z.string()),
}));

/**
 * Post a message as the person. Slack takes no key for it, so it is sent once, and one whose answer is lost is `unknown`; it takes
 * about one a second for a channel.
 *
 * Source: https://docs.slack.dev/reference/methods/chat.postMessage
 */
export const postSlackMessage = defineTool({
  name: "post_slack_message",
  summary: "Post a Slack message as the user",
  description:
    "Post a message in a Slack channel with the user's own account. It is sent once: a result of status `unknown` may have been posted. " +
    "Size: about 30 tokens.",
  category: "slack",
  actions: ["send", "write"],
  isWrite: true,
  input: () =>
    z.strictObject({
      channel: textArgument(80, "Channel, by its id or as '#name'; or a person's id, for a direct message."),
      text: z
        .string()
        .check(z.minLength(1), z.maxLength(4_000), z.describe("The message, in Slack's mrkdwn.")),
    }),
  hosts: ["slack.com"],
  connection: { slack: ["chat:write"] },
  timeoutMs: 12_000,
  typicalTokens: 30,
  maxResponseBytes: 256 * 1024,
  idempotent: false,
  orchestration: { mode: "sequential-only" },
  run: async ({ channel, text }, ctx) => {
    const response = await ctx.connection("slack").fetch("https://slack.com/api/chat.postMessage", {
      method: "POST",
      body: { channel, text },
    });
    const answer = parseUpstream(answerSchema(), response);
    if (!answer.ok || typeof answer.ts !== "string") throw refuse(answer.error ?? "");
    return { success: true, channel: answer.channel ?? channel, ts: answer.ts };
  },
});

/** Slack refuses under status 200. Its word chooses the failure, and is not passed on. */
function refuse(error: string): AnsweredFailure {
  if (["channel_not_found", "not_in_channel", "is_archived"].includes(error))
    return new AnsweredFailure("NOT_FOUND", {
      hint: "The user's account cannot post in that channel: there is none, it is archived, or the user is not in it.",
    });
  if (["invalid_auth", "token_revoked", "account_inactive", "not_authed"].includes(error))
    return new AnsweredFailure("CONNECTION_REQUIRED", {
      hint: "Slack does not take the user's account any more; the application has to connect it anew.",
    });
  return new AnsweredFailure("UPSTREAM_ERROR", {
    retryable: false,
    hint: "Slack refused the message; sending it again as it is will not help.",
  });
}
