import * as LIMITS from "./limits.ts";

/** How an endpoint's last attempt went; `none` where it has never answered. */
export type LastAnswer = "quick" | "slow" | "failed" | "none";

/** An endpoint that asks for a place. */
export interface Asker {
  readonly last: LastAnswer;
  /** Calls to it that are under way, and whether one of them takes longer than a quick answer does. */
  readonly calls: number;
  readonly lags: boolean;
}

/** The places of an object that are taken, and how many of them by calls to endpoints that may hold theirs for long. */
export interface Taken {
  readonly all: number;
  readonly suspect: number;
}

/**
 * Say whether an endpoint may have a place: `now`, `spare` where none waits that may have one now, or null until a call ends.
 *
 * An endpoint has one place, and those that were slow or failed last, or never answered, have a third of them together. Spare are what is
 * left but for a third, which stays free for what comes next: more calls of an endpoint that answers quickly, and first ones.
 */
export function sharePlace(asker: Asker, taken: Taken, places: number): "now" | "spare" | null {
  if (taken.all >= places) return null;
  const third = Math.max(1, Math.floor(places / 3));
  const isSuspect = isSuspectCall(asker);
  if (asker.calls === 0 && (!isSuspect || taken.suspect < third)) return "now";
  const maySpare = asker.calls === 0 ? asker.last === "none" : !isSuspect;
  return maySpare && taken.all < places - third ? "spare" : null;
}

/** Whether calls to an endpoint may hold their places for long. */
export function isSuspectCall({ last, lags }: Pick<Asker, "last" | "lags">): boolean {
  return last !== "quick" || lags;
}

/** The last answer of an endpoint whose attempt is over. */
export function toLastAnswer({
  failed,
  tookMs,
}: {
  readonly failed: boolean;
  readonly tookMs: number;
}): LastAnswer {
  if (failed) return "failed";
  return tookMs > LIMITS.endpointQuickMs ? "slow" : "quick";
}
