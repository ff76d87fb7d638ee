import { parseExact, writeExact } from "../kit/exact-json.ts";
import { keepLastRun, readLastRun } from "../kit/session.ts";
import type { WireResult } from "../kit/wire.ts";
import type { Run } from "./run-state.ts";
import type { Arrival } from "./time-line.ts";

/** A longer text is not kept: the storage of a tab holds about five million characters, and the key is in it. */
const MOST_CHARACTERS = 1_000_000;

interface KeptRun extends Omit<Run, "arrivals" | "starts" | "cancel"> {
  readonly arrivals: readonly (readonly [number, Arrival])[];
}

/** Keep a run over a reload of the page; without the data of its results where that is too long. */
export function keepRun(run: Run): void {
  const whole = writeRun(run);
  const kept = whole.length <= MOST_CHARACTERS ? whole : writeRun(withoutData(run));
  keepLastRun(kept.length <= MOST_CHARACTERS ? kept : "null");
}

/** Read the run that was kept. One that was under way goes on: sent again under its key it is the same. */
export function readRun(): Run | null {
  const kept = parseExact(readLastRun() ?? "null") as KeptRun | null;
  // One that an earlier version kept was sent without a key.
  if (kept?.sent === undefined) return null;
  const run = { ...kept, starts: new Map(), arrivals: new Map(kept.arrivals), cancel: () => {} };
  if (run.phase !== "running") return run;
  return { ...run, startedAt: performance.now() - (run.lengthMs ?? 0), lengthMs: null };
}

function writeRun({ arrivals, ...run }: Run): string {
  const lengthMs = run.lengthMs ?? performance.now() - run.startedAt;
  return writeExact({ ...run, lengthMs, starts: undefined, arrivals: [...arrivals] });
}

function withoutData(run: Run): Run {
  const strip = (result: WireResult): WireResult =>
    "data" in result ? { ...result, data: "Too large to be kept over a reload of the page." } : result;
  const { arrivals, envelope } = run;
  return {
    ...run,
    arrivals: new Map([...arrivals].map(([index, one]) => [index, { ...one, result: strip(one.result) }])),
    envelope: envelope && { ...envelope, results: envelope.results.map(strip) },
  };
}
