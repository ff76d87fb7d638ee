import { createRandom } from "../../test/support/random.ts";

/** The faults of an upstream for a part of the calls that it gets. */
export type FaultKind = "500" | "429" | "reset" | "hang" | "huge" | "invalid" | "drip" | "outage";

/** Times are milliseconds since the load began. */
export interface FaultWindow {
  readonly kind: FaultKind;
  readonly fromMs: number;
  readonly toMs: number;
  /** The part of the calls that it strikes. */
  readonly share: number;
}

export interface Schedule {
  readonly seed: number;
  readonly lengthMs: number;
  readonly windows: readonly FaultWindow[];
  /** When the runtime is killed. */
  readonly kills: readonly number[];
}

const KINDS: readonly FaultKind[] = ["500", "429", "reset", "hang", "huge", "invalid", "drip", "outage"];
const FIRST_MS = 2_000;
const WINDOW_MS = 6_000;
const PAUSE_MS = 8_000;
const SPREAD_MS = 3_000;
const SHARE = 0.15;
/** After so long every kind of fault has been once. */
export const CYCLE_MS = KINDS.length * (WINDOW_MS + PAUSE_MS);
/** Nearly everything fails, so that breakers open; shorter than a job's attempts take. */
const OUTAGE = { share: 0.9, ms: 3_000 };

/**
 * Say when what is broken, by a seed. Every kind of fault comes once in 112 s, in an order that changes, so all parts of a
 * run have the same. Three kills come early and one near the end: the life between them is long enough to see a leak in, and
 * what comes back last has a full history.
 */
export function makeSchedule({ seed, minutes }: { seed: number; minutes: number }): Schedule {
  const random = createRandom(seed);
  const lengthMs = minutes * 60_000;
  const windows: FaultWindow[] = [];
  for (let at = FIRST_MS; at < lengthMs; at += CYCLE_MS)
    for (const [place, kind] of shuffle(KINDS, random).entries()) {
      const fromMs = at + place * (WINDOW_MS + PAUSE_MS) + Math.floor(random() * SPREAD_MS);
      const isOutage = kind === "outage";
      const toMs = fromMs + (isOutage ? OUTAGE.ms : WINDOW_MS);
      // The last ones are over before the load is, so that all of them have been in full.
      if (toMs < lengthMs) windows.push({ kind, fromMs, toMs, share: isOutage ? OUTAGE.share : SHARE });
    }
  const parts = minutes < 5 ? [0.35] : [0.05, 0.1, 0.15, 0.94];
  const kills = parts.map((part) => Math.floor(lengthMs * part + random() * 5_000));
  return { seed, lengthMs, windows, kills };
}

/** The fault that strikes now, or none. */
export function faultAt({ windows }: Schedule, ms: number): FaultWindow | null {
  return windows.find(({ fromMs, toMs }) => ms >= fromMs && ms < toMs) ?? null;
}

/** Say the schedule in lines, so that a run can be read afterwards. */
export function describeSchedule({ seed, lengthMs, windows, kills }: Schedule): string {
  const faults = windows.map(({ kind, fromMs, toMs }) => `${kind} ${toS(fromMs)}-${toS(toMs)}`);
  return [
    `seed ${seed}, ${lengthMs / 60_000} min of load`,
    `killed at ${kills.map(toS).join(", ")} s`,
    `faults of the upstream, in s: ${faults.join(", ")}`,
  ].join("\n");
}

function toS(ms: number): string {
  return (ms / 1_000).toFixed(0);
}

function shuffle<T>(list: readonly T[], random: () => number): T[] {
  const left = [...list];
  return list.map(() => left.splice(Math.floor(random() * left.length), 1)[0]!);
}
