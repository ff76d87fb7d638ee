/** Numbers that bound this feature, each with its reason; the others are core's. */

export {
  callbackUrlLength,
  eventTypeLength,
  gateTimeoutMs,
  headerSlots,
  issues,
  pageBytes,
  responseReserveBytes,
  workPerAlarm,
} from "../../core/contract/limits.ts";

/** Objects that deliver a tenant's events to its endpoints: each makes a sixteenth of the deliveries of an event that all of them want. */
export const endpointShards = 16;
/** A call of a tenant's directory, which asks up to sixteen objects within `gateTimeoutMs` each. */
export const directoryTimeoutMs = 10_000;
/** Endpoints in an object up to which another one of the same customer comes into it too: so few are delivered to within a second. */
export const endpointsTogether = 8;
/** Endpoints of one tenant: an index of them is held in memory, some two megabytes. */
export const endpoints = 10_000;
/** Endpoints of one customer, up to which a portal link makes another, unless `VOLLEY_PORTAL` says otherwise. */
export const portalEndpoints = 50;
/** Bytes of an endpoint as it is sent, and as it is kept: all of an object are in memory. */
export const endpointBytes = 16 * 1024;
/** Patterns of types that one endpoint asks for. */
export const endpointEvents = 100;
/** Headers of its own that an endpoint is sent. */
export const endpointHeaders = 20;
/** Characters of an event's id; a webhook's id travels in a header. */
export const eventIdLength = 255;
/** Events in one request: a queue that is emptied in portions seldom has more. */
export const eventsInBatch = 100;
/** Bytes of such a request: a hundred of some size; an isolate counts what it holds of them. */
export const eventBatchBytes = 4 * 1024 * 1024;
/** Bytes of an event's data, as JSON: what one action may have as arguments. */
export const eventDataBytes = 64 * 1024;
/** Event types that a tenant describes. */
export const eventTypes = 500;
/** How long events and their deliveries are kept. */
export const eventRetentionMs = 30 * 24 * 3_600_000;
/** How long an event's id, or the key of its request, stands for the same event. */
export const eventRepeatMs = 24 * 3_600_000;
/** Events or deliveries of one endpoint that are forgotten in one turn. */
export const eventsPruned = 500;
/** Deliveries that may wait for one endpoint; another one fails at once, and can be recovered. */
export const endpointBacklog = 10_000;
/** One attempt to deliver an event, until its answer is there. */
export const deliveryTimeoutMs = 15_000;
/** The longest wait that an endpoint may ask for. */
export const deliveryRetryAfterMs = 24 * 3_600_000;
/** Bytes of an answer's text, as UTF-8, that are kept with an attempt. */
export const deliveryResponse = 1_024;
/** Attempts that are kept of one delivery, the latest: ten, and a few that somebody asked for. */
export const deliveryAttempts = 15;
/** Deliveries that one object makes at once, where the runtime does not limit them to fewer. */
export const deliveriesAtOnce = 32;
/** An answer that took longer is slow: its endpoint shares a third of an object's places with those that fail. */
export const endpointQuickMs = 2_000;
/** An endpoint that nothing got through to for so long is disabled. */
export const endpointFailingMs = 5 * 24 * 3_600_000;
/** Its first and its last failure are at least so far apart: one bad hour disables no endpoint. */
export const endpointFailedApartMs = 12 * 3_600_000;
/** The longest that an overloaded endpoint's other deliveries wait, where it does not say how long. */
export const endpointSlowMs = 5 * 60_000;
/** How long two secrets of an endpoint may sign side by side: a month is time to change every receiver. */
export const secretOverlapS = 30 * 24 * 3_600;
/** Secrets of one endpoint that sign at once. */
export const endpointSecrets = 3;
/** Endpoints of one object whose secrets are sealed anew in one call; the next one goes on. */
export const endpointsResealed = 200;
/** Events that one request recovers, the oldest first; the next request goes on. */
export const eventsRecovered = 1_000;
/** Endpoints that a dry run of an event tells of. */
export const endpointsExplained = 1_000;
/** Bytes of the body that a flow makes of an event: as much as the data of one may be. */
export const viaBodyBytes = 64 * 1024;
/** Bodies that one object remembers, so that a flow runs once for all of its endpoints that get the same event: two megabytes. */
export const viaBodiesRemembered = 32;
/** How long a portal link lasts at most. */
export const portalLinkS = 7 * 24 * 3_600;
/** How long one lasts unless said: time to look, not to pass it on. */
export const portalLinkUsualS = 900;
/** Portal links of a tenant that are good at the same time. */
export const portalLinks = 1_000;
/** Origins that may frame the page of portal links: the policy that names them goes with every answer. */
export const portalOrigins = 20;
/** Streams of events that a tenant has open at once: each looks at its directory twice a second. */
export const eventStreams = 20;
/** How long a stream of events is open; its client comes back. */
export const eventStreamMs = 300_000;
/** How long a stream waits before it looks again. */
export const eventLookMs = 500;
/** When a stream that has told no end is taken for gone: twenty of its looks. */
export const eventStreamGoneMs = 10_000;
/** Events that one look goes through, whether its stream asks for them or not. */
export const eventsFollowed = 500;
