import type { ChaosAction } from "./volley-client.ts";

/** A tool of the sandbox that promises at most once. */
const ONCE = "probe-background-once";

/** A batch of jobs, each with a number that the upstream knows it by. */
export interface JobBatch {
  readonly numbers: readonly number[];
  /** Those of a tool that promises at most once. */
  readonly once: ReadonlySet<number>;
  readonly actions: readonly ChaosAction[];
}

/**
 * Make a batch of a read and eight jobs: two quick ones, two in flight for a while, one refused at first, one that waits
 * for the read; and a quick one and one in flight of a tool that promises at most once.
 *
 * @param inFlightMs how long those in flight take
 */
export function makeJobBatch(firstN: number, inFlightMs: () => number): JobBatch {
  const jobs = [
    {},
    {},
    { d: inFlightMs() },
    { d: inFlightMs() },
    { status: 500 },
    { d: 20 },
    {},
    { d: inFlightMs() },
  ];
  const background = jobs.map((args, i) => ({
    id: idOf(firstN + i),
    tool: i < 6 ? "probe-background" : ONCE,
    args: { n: firstN + i, ...args },
    ...(i === 5 && { depends_on: ["echo"] }),
  }));
  return {
    numbers: jobs.map((_, i) => firstN + i),
    once: new Set([firstN + 6, firstN + 7]),
    actions: [{ id: "echo", tool: "probe-echo", args: { n: firstN } }, ...background],
  };
}

/** The id of the action with this number. */
export function idOf(n: number): string {
  return `n${n}`;
}
