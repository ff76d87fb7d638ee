import * as z from "zod/mini";

import { defineTool } from "../../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../../core/catalog/tool-failure.ts";
import { attempt } from "../../../core/kit/result.ts";
import { checkEvent, eventFields, refuseMisfit } from "../check-event.ts";
import { ENDPOINTS } from "../endpoint.ts";
import type { Directory, ObjectNamespace } from "../objects/endpoint-objects.ts";

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
    "how many endpoints it is for; 0 is no failure. Size: about 30 tokens.",
  category: "events",
  actions: ["send"],
  isWrite: true,
  execution: "sync",
  input: () => z.strictObject(eventFields()),
  hosts: [],
  bindings: [ENDPOINTS],
  typicalTokens: 30,
  idempotent: "with-key",
  orchestration: {
    mode: "parallel-safe",
    backoff: { strategy: "exponential", initial_ms: 500 },
    on_error: "partial-success",
  },
  run: async ({ type, data, customer }, ctx) => {
    const event = checkEvent({ type, customer }, data);
    if (!event.ok) throw new ToolFailure("INVALID_ARGS", { hint: event.error.hint });
    const namespace = ctx.binding<ObjectNamespace<Directory>>(ENDPOINTS);
    const directory = namespace.get(namespace.idFromName(ctx.caller.tenant));
    const described = await attempt(() => directory.type(type));
    if (!described.ok) throw new ToolFailure("UPSTREAM_ERROR", UNANSWERED);
    const refused = await refuseMisfit(described.value, event.value.data);
    if (refused !== null) throw new ToolFailure("INVALID_ARGS", { hint: refused.hint });
    const published = await attempt(() => directory.publish({ ...event.value, key: ctx.idempotencyKey }));
    if (!published.ok) throw new ToolFailure("UPSTREAM_ERROR", UNANSWERED);
    if (!published.value.ok)
      throw new ToolFailure("INVALID_ARGS", {
        hint: "Another event was published under this idempotency key.",
      });
    const { eventId, endpoints } = published.value.value;
    return { event_id: eventId, endpoints };
  },
});

const UNANSWERED = { hint: "The tenant's endpoints did not answer; try again." };
