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

/** Read types that are written with commas or spaces between them. */
export function splitTypes(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((type) => type !== ""))];
}
