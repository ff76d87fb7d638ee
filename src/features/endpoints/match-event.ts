import { type Condition, fitsCondition } from "../../core/contract/condition.ts";
import type { PublishedEvent } from "./delivery.ts";
import { type KeptEndpoint, stateOf } from "./endpoint.ts";

/** Types of our own events, about the tenant itself. */
const OWN = "volley.";

export function isOwn(type: string): boolean {
  return type.startsWith(OWN);
}

/** Say why an event is not for an endpoint; null where it is. */
export function findMismatch(
  endpoint: Pick<KeptEndpoint, "id" | "customer" | "events" | "paused" | "disabled">,
  { type, customer, about, only }: Pick<PublishedEvent, "type" | "customer" | "about" | "only">,
  fits: () => boolean,
): string | null {
  const state = stateOf(endpoint);
  if (only !== undefined && only !== endpoint.id) return "the event is for another endpoint";
  if (state !== "active") return `the endpoint is ${state}`;
  if (only !== undefined) return null;
  if (about === endpoint.id) return "the event is about this endpoint";
  if (customer !== null && customer !== endpoint.customer) return "it is for another customer";
  if (isOwn(type) && !isToldOf(endpoint)) return `events of '${OWN}*' go to endpoints without a customer`;
  if (!endpoint.events.some((pattern) => fitsPattern(pattern, type))) return "it asks for other types";
  return fits() ? null : "the data does not fit its filter";
}

/** Whether an endpoint may be told of the tenant itself: one of a customer is not. */
export function isToldOf({ customer }: Pick<KeptEndpoint, "customer">): boolean {
  return customer === undefined;
}

/** Whether a type is one that a pattern stands for. Our own are asked for by name. */
export function fitsPattern(pattern: string, type: string): boolean {
  if (pattern === "*") return !isOwn(type);
  return pattern.endsWith(".*") ? type.startsWith(pattern.slice(0, -1)) : pattern === type;
}

/** Make what tells whether an event's data fits a filter; the data is parsed once, and only where a filter asks. */
export function createFilter(data: string): (filter: Condition | null) => boolean {
  let parsed: { readonly value: unknown } | null = null;
  return (filter) => {
    if (filter === null) return true;
    parsed ??= { value: JSON.parse(data) as unknown };
    return fitsCondition(filter, parsed.value);
  };
}
