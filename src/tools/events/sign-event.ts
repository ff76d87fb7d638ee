import * as z from "zod/mini";

import type { ToolContext } from "../../core/catalog/define-tool.ts";
import { textArgument } from "../kit/arguments.ts";

/** The signing secret of the deployment, that of callbacks. */
export const EVENT_SECRET = "VOLLEY_WEBHOOK_SECRET";

/** The fields of an event, as a model says it. */
export const eventFields = () => ({
  event: textArgument(100, "The type of the event, e.g. 'order.paid'."),
  data: z._default(z.record(z.string(), z.unknown()), {}).check(z.describe("The event's own fields.")),
});

/** Where an event may go; that the address is public and https is for the guard of requests to say. */
export const eventUrl = () => z.url({ protocol: /^https?$/ }).check(z.maxLength(2_048));

/**
 * Write an event as Standard Webhooks lays it out.
 *
 * @param happenedAt milliseconds since the Unix epoch
 */
export function toEventBody({ event, data }: Event, happenedAt: number): string {
  return JSON.stringify({ type: event, timestamp: new Date(happenedAt).toISOString(), data });
}

interface Event {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Make the headers that let a receiver tell that an event is from us, and when it was sent: an attempt is signed at its own
 * time, under an id that is the same for all attempts.
 *
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function signEvent(id: string, body: string, ctx: ToolContext): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(ctx.time.now() / 1_000));
  const signatures = await ctx.sign(EVENT_SECRET, `${id}.${timestamp}.${body}`);
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.map((signature) => `v1,${signature}`).join(" "),
  };
}
