import { sayDuration } from "../../../console/parts/say-duration.ts";
import type { WireDelivery, WireEndpoint } from "./wire-endpoints.ts";

/** How an endpoint fares: its state, but for an active one whose attempts fail. */
export type Health = "failing" | "disabled" | "paused" | "active";

/** The worst first. */
const ORDER: readonly Health[] = ["failing", "disabled", "paused", "active"];

type Seen = Pick<WireEndpoint, "state" | "failing_since" | "disabled_because">;

export function healthOf({ state, failing_since: since }: Seen): Health {
  return state === "active" && since !== undefined ? "failing" : state;
}

/** Put those first that somebody has to look at. Among equals the order stays. */
export function sortByHealth<E extends Seen>(endpoints: readonly E[]): readonly E[] {
  return endpoints.toSorted((a, b) => ORDER.indexOf(healthOf(a)) - ORDER.indexOf(healthOf(b)));
}

const BECAUSE: Readonly<Record<NonNullable<Seen["disabled_because"]>, string>> = {
  gone: "It answered 410, which says that it is gone for good.",
  asked: "Its answer asked for no more deliveries.",
  failing: "Every attempt of five days failed.",
};

export function sayDisabled({ disabled_because: because }: Seen): string {
  return because === undefined ? "" : BECAUSE[because];
}

/** Say how an attempt ended, in a few words. */
export function sayAnswer({ status, code }: WireDelivery["attempts"][number]): string {
  const why = code?.toLowerCase().replaceAll("_", " ");
  if (status === undefined) return why ?? "no answer";
  return why === undefined ? `HTTP ${status}` : `HTTP ${status}, ${why}`;
}

const REASONS: Readonly<Record<string, string>> = {
  NAME_NOT_FOUND:
    "The name of its address is not known in the DNS. Check the address, or wait until a new name is known.",
  CONNECTION_REFUSED:
    "The server took no connection. Check that it runs, and that its port is open to the internet.",
  TLS_FAILED:
    "The server’s certificate was not accepted. Check that it is valid, complete and for this name.",
  TIMEOUT: "No answer came within 15 seconds. Answer at once, and do the work afterwards.",
  EGRESS_DENIED: "The address does not lead to the public internet, so nothing is sent there.",
  BACKLOG_FULL: "Too many deliveries waited for this endpoint. Send again what failed once it answers again.",
};

const STATUS_REASONS: readonly (readonly [from: number, to: number, said: string])[] = [
  [
    300,
    399,
    "It leads elsewhere, and redirects are not followed. Give the endpoint the address that answers itself.",
  ],
  [
    401,
    401,
    "The receiver wants to know who sends. Take its sign-in away here, and verify the signature instead.",
  ],
  [403, 403, "The receiver refused it. A firewall may stand before it, or its check of the signature fails."],
  [404, 404, "There is nothing at this address. Check the path."],
  [405, 405, "The address takes no POST. Check the path."],
  [410, 410, "It says that it is gone for good, so the endpoint was disabled."],
  [413, 413, "The receiver takes no body of this size."],
  [429, 429, "The receiver has too many requests; the next ones wait for it."],
  [400, 499, "The receiver refused it. Its answer may say why; often its check of the signature fails."],
  [502, 504, "A server before the receiver could not reach it, or waited in vain. Check that it runs."],
  [500, 599, "The receiver failed. Its own log has the reason."],
];

/** Say why an attempt failed and what helps, in a sentence or two; null of one that did not, or where nothing is known. */
export function sayReason({ status = 0, code = "" }: WireDelivery["attempts"][number]): string | null {
  const known = REASONS[code];
  if (known !== undefined) return known;
  return (
    STATUS_REASONS.find(([from, to]) => status >= from && status <= to)?.[2] ??
    (status === 0 ? NO_ANSWER : null)
  );
}

const NO_ANSWER = "No answer came. Check that the address can be reached from the internet.";

export function isGood({ status = 0 }: WireDelivery["attempts"][number]): boolean {
  return status >= 200 && status < 300;
}

/** Say where a delivery stands: its last answer and how many attempts there were. */
export function sayAttempts({ attempts }: Pick<WireDelivery, "attempts">): string {
  const last = attempts.at(-1);
  if (last === undefined) return "not tried yet";
  const many = attempts.length === 1 ? "" : `, attempt ${attempts.length}`;
  return `${sayAnswer(last)} in ${sayDuration(last.duration_ms)}${many}`;
}

/** Read types that are written with commas between them. */
export function splitTypes(text: string): readonly string[] {
  return [...new Set(text.split(",").map((type) => type.trim()))].filter((type) => type !== "");
}

/** Name the refused types. Where no type was sent, say how to choose one. */
export function sayTypes(issues: readonly { readonly path: string; readonly received: string }[]): string {
  const wrong = issues.filter(({ path }) => path !== "/events");
  const names = new Set(wrong.map(({ received }) => received.replace(/^the string /, "")));
  const first =
    names.size === 0 ? "Choose at least one event, or write" : `Not a type: ${[...names].join(", ")}. Write`;
  return `${first} types such as order.paid or order.*, with commas between them.`;
}
