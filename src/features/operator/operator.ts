import type { Restore } from "../../feature/schema.ts";

/** The binding of the objects that count for the operator. */
export const OPERATOR_LOGS = "OPERATOR";

/** Stands for tenants, or tools of a tenant, that there was no room to count apart. No name of either has a bracket. */
export const OTHERS = "(other)";

/** The counts of one tool: its name, its calls, those that failed, and how long they took. */
export type ToolRow = readonly [tool: string, calls: number, errors: number, took: readonly number[]];

/** The counts of one tenant: its name, and how many runs, actions, failed and throttled ones there were, and how long runs took. */
export type TenantRow = readonly [
  tenant: string,
  runs: number,
  actions: number,
  errors: number,
  throttled: number,
  took: readonly number[],
];

/** A tenant's counts with those of its tools. */
export interface CountedTenant {
  readonly row: TenantRow;
  readonly tools: readonly ToolRow[];
  /** When the first of the requests began that were counted; absent where it is not known any more. */
  readonly begunAt?: number | undefined;
}

export type DeadJobs = Readonly<Record<string, number>>;

/** One of a tenant's objects as it stands: its dead jobs, and the questions that wait for a person. */
export interface Standing {
  readonly object: string;
  readonly tenant: string;
  readonly dead: DeadJobs;
  readonly waiting: number;
}

/** Which part of the overview is wanted. */
export interface OverviewQuery {
  readonly hours: number;
  /** So many tenants, those with the most errors first. */
  readonly limit: number;
}

/** A tenant in the overview, with as many of its tools as are shown. */
export interface SeenTenant extends CountedTenant {
  readonly dead: DeadJobs;
  readonly waiting: number;
}

/** The counts of one hour of a tenant, for its export. */
export interface TenantHour extends CountedTenant {
  /** Hours since the epoch. */
  readonly hour: number;
}

export interface OperatorLogMethods {
  /** Add what an isolate has counted since its last report. */
  report(counted: readonly CountedTenant[]): void;
  /** Hear how one of a tenant's objects stands. */
  tell(standing: Standing): void;
  overview(query: OverviewQuery): { readonly tenants: readonly SeenTenant[]; readonly more: number };
  /** Read the hours of one tenant, the oldest first. */
  read(tenant: string): readonly TenantHour[];
  /** Forget a tenant; in how many hours it was counted. */
  erase(tenant: string): number;
}

/** Stands for dead jobs that say no code, and for those that were too many to look at. */
export const OTHER_CODE = "OTHER";

/** The code that a dead job ended with. */
export function codeOf(errorJson: string | null): string {
  return (JSON.parse(errorJson ?? "{}") as { readonly code?: string }).code ?? OTHER_CODE;
}

/** Put no counts back: they are the operator's, of what ran where it ran, and begin anew elsewhere. */
export const restoreCounts: Restore = () => [];
