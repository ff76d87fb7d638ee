import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { subjectField } from "../../core/contract/gate/caller.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { attempt, type Result } from "../../core/kit/result.ts";

/** Words parted by dots; those that begin with `volley.` are ours. */
const TYPE = /^(?!volley\.)[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** The objects in which a tenant's events are, as much of them as this asks. */
interface Directories {
  idFromName(tenant: string): object;
  get(id: object): {
    publish(
      event: object,
    ): Promise<
      Result<
        { readonly eventId: string; readonly endpoints: number },
        { readonly kind: "conflict" } | { readonly kind: "misfit"; readonly hint: string }
      >
    >;
  };
}

/**
 * Publish an event to the tenant's endpoints. The call's idempotency key is the event's, so a call that is made again publishes
 * nothing twice.
 */
export const publishEvent = defineTool({
  name: "publish_event",
  summary: "Publish an event to all endpoints that ask for its type",
  description:
    "Publish an event to the webhook endpoints that ask for its type, of one customer only where `customer` is given. It is recorded " +
    "first and delivered in the background, for days where a receiver is down; each delivery is signed. Gives {event_id, endpoints}: " +
    "how many endpoints it is for; 0 is no failure. deliver_event is for a URL that is no endpoint. Size: about 30 tokens.",
  category: "events",
  actions: ["send"],
  isWrite: true,
  input: () =>
    z.strictObject({
      type: z
        .string()
        .check(
          z.maxLength(LIMITS.eventTypeLength),
          z.regex(TYPE),
          z.describe("The type of the event, e.g. 'order.paid'."),
        ),
      data: z._default(z.record(z.string(), z.unknown()), {}).check(z.describe("The event's own fields.")),
      customer: z.optional(subjectField("Only the endpoints of this customer get it.")),
    }),
  hosts: [],
  bindings: ["ENDPOINTS"],
  typicalTokens: 30,
  idempotent: "with-key",
  orchestration: {
    mode: "parallel-safe",
    backoff: { strategy: "exponential", initial_ms: 500 },
    on_error: "partial-success",
  },
  run: async ({ type, data, customer = null }, ctx) => {
    const namespace = ctx.binding<Directories>("ENDPOINTS");
    const directory = namespace.get(namespace.idFromName(ctx.caller.tenant));
    const run = ctx.runId;
    const event = {
      type,
      data: JSON.stringify(data),
      customer,
      key: ctx.idempotencyKey,
      ...(run !== undefined && { run }),
    };
    const published = await attempt(() => directory.publish(event));
    if (!published.ok)
      throw new ToolFailure("UPSTREAM_ERROR", { hint: "The tenant's endpoints did not answer; try again." });
    if (published.value.ok) {
      const { eventId, endpoints } = published.value.value;
      return { event_id: eventId, endpoints };
    }
    const refusal = published.value.error;
    const hint =
      refusal.kind === "misfit" ? refusal.hint : "Another event was published under this idempotency key.";
    throw new ToolFailure("INVALID_ARGS", { hint });
  },
});
