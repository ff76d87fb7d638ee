import * as LIMITS from "../../src/core/contract/limits.ts";

/** The cost of one read, alone and by many at once. */
export interface Sum {
  readonly name: string;
  readonly status: number;
  /** The statuses of those at once, and how many had each. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Bytes of one answer; of a stream that does not end, what came until its reader left. */
  readonly bytes: number;
  readonly isEndless: boolean;
  /** The CPU of all threads of the process, for one. */
  readonly cpuMs: number;
  /** How long those at once took together. */
  readonly tookMs: number;
  /** The most bytes that the isolate counted. */
  readonly heldMib: number;
  /** How much more memory than before the process had at most, and within 10 s after. */
  readonly peakMib: number;
  readonly laterMib: number;
  /** How much more the process and its heap have once V8 was made to collect what nothing refers to. */
  readonly collectedMib: number;
  readonly heapMib: number;
  /** 95 of 100 calls of a stranger took no longer, alone and beside them; null where none called. */
  readonly stranger: { readonly aloneMs: number; readonly besideMs: number } | null;
}

const MIB = 1024 * 1024;
/** The bounds: CPU of one request, memory above rest, memory that is kept, and a stranger's ratio. */
export const MOST = { cpuMs: 1_000, peakMib: 200, keptMib: 64, ratio: 2 } as const;

/** Say which bounds a read passes, the stranger's apart: that one compares doors on one thread. */
export function judge(sum: Sum): readonly string[] {
  const wrong: string[] = [];
  if (!sum.statuses[sum.status] || sum.status !== 200) wrong.push(`answers ${sum.status}`);
  if (sum.statuses["0"]) wrong.push(`${sum.statuses["0"]} got no answer`);
  if (sum.cpuMs > MOST.cpuMs) wrong.push(`${sum.cpuMs.toFixed(0)} ms of CPU`);
  if (sum.heldMib > LIMITS.isolateBytes / MIB) wrong.push(`${sum.heldMib.toFixed(0)} MiB are counted`);
  if (sum.peakMib > MOST.peakMib) wrong.push(`${sum.peakMib.toFixed(0)} MiB above rest`);
  // Memory that V8 has not collected yet is no leak: it is kept where it stays when V8 is made to.
  if (sum.laterMib > MOST.keptMib && sum.collectedMib > MOST.keptMib)
    wrong.push(`${sum.collectedMib.toFixed(0)} MiB above rest after 10 s and a collection`);
  if (!sum.isEndless && sum.bytes > LIMITS.answerBytes)
    wrong.push(`an answer of ${(sum.bytes / MIB).toFixed(1)} MiB`);
  return wrong;
}

/** How many times as long as alone a stranger waits; null where none called. */
export function ratioOf({ stranger }: Sum): number | null {
  return stranger === null ? null : stranger.besideMs / stranger.aloneMs;
}
