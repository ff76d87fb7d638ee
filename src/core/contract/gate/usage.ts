import type { KeyQuota } from "./admission.ts";
import type { JobStatus } from "./job.ts";

/** The question that a key puts to its tenant's objects to learn what it has used. */
export interface UsageQuery {
  /** The limits whose state is wanted; none of the objects that count no quota. */
  readonly quotas: readonly KeyQuota[];
  /** The tools whose jobs are counted; every tool's where it is not said. */
  readonly jobsOf?: readonly string[] | undefined;
  /** The tools that a question may hold to be counted; every tool where it is not said. */
  readonly decides?: readonly string[] | undefined;
  /** Only jobs and questions that use the accounts of this subject are counted; all where it is not said. */
  readonly subject?: string | undefined;
}

/** The usage of one of a tenant's objects, or of all of them together. Times are milliseconds since the epoch. */
export interface UsageReport {
  /** Whole requests left right now, when the whole limit is available again, and when its key was used, to the hour, for each limit asked. */
  readonly quotas: readonly {
    readonly remaining: number;
    readonly resetMs: number;
    readonly usedAtMs: number | null;
  }[];
  readonly jobs: Readonly<Record<JobStatus, number>>;
  /** The live background work, by the backlog that it counts in: all of the tenant's. */
  readonly backlog: { readonly jobs: number; readonly webhooks: number; readonly runs: number };
  readonly waiting: { readonly count: number; readonly oldestAt: number | null };
  /** The things that the tenant keeps of its own, as the part counts them that keeps them. */
  readonly added: Readonly<Record<string, number>>;
}

/** Add what other objects of a tenant have to what its home has, which alone counts quota. */
export function addUsage(home: UsageReport, others: readonly UsageReport[]): UsageReport {
  const all = [home, ...others];
  const sum = <T extends Readonly<Record<string, number>>>(counts: readonly T[]): T => {
    const sumOf = (name: string): number => counts.reduce((total, one) => total + one[name]!, 0);
    return Object.fromEntries(Object.keys(counts[0]!).map((name) => [name, sumOf(name)])) as T;
  };
  return { ...home, jobs: sum(all.map(({ jobs }) => jobs)), backlog: sum(all.map(({ backlog }) => backlog)) };
}
