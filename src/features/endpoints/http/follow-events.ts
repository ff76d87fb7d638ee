import * as z from "zod/mini";

import { askGate } from "../../../feature/answer.ts";
import { openEventStream, STREAM_HEADERS } from "../../../cloudflare/http/event-stream.ts";
import { parseQuery, refuseQuery } from "../../../feature/schema.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { sleep } from "../../../feature/kit.ts";
import type { FollowAnswer, KeptEvent } from "../directory-methods.ts";
import { toTime } from "../endpoint-json.ts";
import { PATTERN, PATTERN_IN_WORDS } from "../endpoint-schema.ts";
import * as LIMITS from "../limits.ts";
import { parseNumberCursor, routeOf, UNREADABLE } from "./scope.ts";

/**
 * `GET /v1/events/stream`: events as they are published, from now on or from behind `Last-Event-ID`. The id of an event is its place
 * among all events of the tenant, so none is lost while events are kept: the stream ends after a while, and its client comes back with
 * the last id that it has seen. Events that it did not ask for move that id too.
 *
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export const followEvents = routeOf(
  "GET /v1/events/stream",
  async (scope, { query, request, context }) => {
    const asked = parseQuery(query, { type: "text", customer: "text" });
    if (!asked.ok) return asked;
    const { type = "*", customer = null } = asked.value;
    const lastId = request.headers.get("last-event-id") ?? "";
    const from = lastId === "" ? null : parseNumberCursor(lastId);
    if (lastId !== "" && from === null)
      return err(refuseQuery("Last-Event-ID", "the id of an event of this stream", lastId));
    if (!PATTERN.test(type)) return err(refuseQuery("type", PATTERN_IN_WORDS, type));
    const { ports, defer } = context;
    const stream = ports.newId();
    const wanted = { stream, type, customer };
    const lookAfter = async (after: number | null): Promise<Result<FollowAnswer, Refusal>> => {
      const found = await askGate(() => scope.directory.follow({ ...wanted, after }), UNREADABLE);
      if (!found.ok) return found;
      return found.value === null ? err(TOO_MANY) : ok(found.value);
    };
    const first = await lookAfter(from);
    if (!first.ok) return first;
    const told = openEventStream(request.signal, ports.clock);
    const endsAt = ports.clock.now() + LIMITS.eventStreamMs;
    const tell = async (): Promise<void> => {
      const stopKeepAlive = told.keepAlive();
      let place = from;
      for (let found: Result<FollowAnswer, Refusal> = first; found.ok;) {
        const { events, next, hasMore } = found.value;
        const last = events.at(-1)?.seq ?? place;
        const moved = last === next ? "" : `id: ${next}\n\n`;
        const text = events.map(toText).join("") + moved;
        if (text !== "") await told.write(text);
        place = next;
        const leftMs = endsAt - ports.clock.now();
        const ms = hasMore ? 0 : Math.min(LIMITS.eventLookMs, leftMs);
        if (leftMs <= 0 || !(await attempt(() => sleep(ports.clock, ms, told.signal))).ok) break;
        found = await lookAfter(next);
      }
      stopKeepAlive();
      // Its client comes back when it ends, and finds its place free.
      await attempt(() => scope.directory.unfollow(stream));
      await told.close();
    };
    defer(tell());
    return ok(new Response(told.readable, { headers: STREAM_HEADERS }));
  },
  () => ({
    id: "followEvents",
    summary: "Follow events as they are published, as server-sent events",
    query: z.strictObject({
      type: z.optional(z.string()).check(z.describe("A type, or a prefix with `.*`")),
      customer: z.optional(z.string()),
    }),
    answer: {
      description: "Nothing besides the stream",
      schema: z.strictObject({}),
      events:
        "`event: event` with its place as `id` and `{event_id, type, timestamp, customer?, data}`, from now on or from behind `Last-Event-ID`; it ends after five minutes",
    },
    refusals: ["INVALID_QUERY", "QUOTA_EXCEEDED"],
  }),
);

const TOO_MANY = makeRefusal(
  "QUOTA_EXCEEDED",
  `The tenant has ${LIMITS.eventStreams} streams of events open; close one, or come back later.`,
  { retryAfterMs: 10_000 },
);

function toText({ seq, id, type, customer, at, data }: KeptEvent): string {
  const said = { event_id: id, type, timestamp: toTime(at), customer: customer ?? undefined };
  const head = JSON.stringify(said);
  return `event: event\ndata: ${head.slice(0, -1)},"data":${data}}\nid: ${seq}\n\n`;
}
