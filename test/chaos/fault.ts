import { exchange } from "./volley-client.ts";

/** When a fault strikes: before the batch is sent, in the turn its first `initiated` arrives, or some time after it. */
export interface Strike {
  readonly when: "before" | "initiated" | number;
  /** A path of the chaos worker's door. */
  readonly door: string;
}

export interface Fault {
  /** As the table calls it. */
  readonly label: string;
  readonly strikes: readonly Strike[];
  /** How long the jobs in flight take; 200 to 600 ms unless said otherwise. The lease is 1,000 ms. */
  readonly inFlightMs?: number;
}

export const CUT: Strike = { when: "before", door: "cut?ms=200" };
/** Until a busy machine answers. */
const PATIENCE_MS = 60_000;
const HEAL = ["cut?ms=0", "clock?ms=0"];

/** Faults of the platform under a runtime that goes on, each in a loop of its own. */
export const FAULTS: readonly Fault[] = [
  { label: "invocation cut off 200 ms after its answer", strikes: [CUT] },
  {
    label: "object crashed in an admission, before it wrote",
    strikes: [{ when: "before", door: "crash-before-write" }],
  },
  {
    label: "object crashed in an admission, after it wrote",
    strikes: [{ when: "before", door: "crash-after-write" }],
  },
  { label: "objects crashed right after `initiated`", strikes: [{ when: "initiated", door: "crash" }] },
  { label: "alarms lost, invocation cut off", strikes: [CUT, { when: "initiated", door: "alarm-lost" }] },
  {
    label: "alarms 1.5 s late, invocation cut off",
    strikes: [CUT, { when: "initiated", door: "alarm-late?ms=1500" }],
  },
  {
    label: "alarms delivered three times, invocation cut off",
    strikes: [CUT, { when: 1_000, door: "alarm-twice" }],
  },
  { label: "attempts that outlive their lease", strikes: [], inFlightMs: 1_500 },
  {
    label: "clock 1.5 s forward, alarms at once",
    strikes: [
      { when: "initiated", door: "clock?ms=1500" },
      { when: "initiated", door: "alarm-twice" },
    ],
  },
  {
    label: "clock 1.5 s back, invocation cut off",
    strikes: [CUT, { when: "initiated", door: "clock?ms=-1500" }],
  },
];

/** Knock at the chaos worker's door. Rejects when the door does not open: then nothing is broken, and the test shows nothing. */
export async function knock(url: string, door: string): Promise<void> {
  const answer = await exchange(`${url}/chaos/${door}`, { method: "POST", timeoutMs: PATIENCE_MS });
  const { applied } = JSON.parse(answer?.text ?? '{"applied":0}') as { applied: number };
  if (applied === 0) throw new Error(`Cannot break anything: '${door}' found nothing, ${answer?.status}`);
}

/** Take back what stays broken until it is told otherwise. */
export async function heal(url: string): Promise<void> {
  for (const door of HEAL) await knock(url, door);
}
