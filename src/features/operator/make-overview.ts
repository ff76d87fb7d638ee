import { addTimes, type Histogram } from "./histogram.ts";
import type { SeenTenant, Standing, TenantRow, ToolRow } from "./operator.ts";
import { addCounts, type Counts, noCounts } from "./tally-book.ts";

interface Sum extends Counts {
  readonly dead: Map<string, number>;
  deadJobs: number;
  waiting: number;
}

/** Counts of tenants over some hours, added up from the parts of the hours. Memory is that of the tenants, whatever the hours are. */
export class OverviewSum {
  readonly #tenants = new Map<string, Sum>();

  get size(): number {
    return this.#tenants.size;
  }

  add(rows: Iterable<TenantRow>): void {
    for (const row of rows) addCounts(this.#of(row[0]), row);
  }

  stand({ tenant, dead, waiting }: Standing): void {
    const sum = this.#of(tenant);
    sum.waiting += waiting;
    for (const [code, count] of Object.entries(dead)) {
      sum.dead.set(code, (sum.dead.get(code) ?? 0) + count);
      sum.deadJobs += count;
    }
  }

  /** The tenants with the most trouble: failed actions and dead jobs, then throttled ones, then runs. */
  first(limit: number): readonly Omit<SeenTenant, "tools">[] {
    const all = [...this.#tenants].sort(
      ([name, a], [other, b]) =>
        b.errors + b.deadJobs - (a.errors + a.deadJobs) ||
        b.throttled - a.throttled ||
        b.runs - a.runs ||
        (name < other ? -1 : 1),
    );
    return all.slice(0, limit).map(([tenant, sum]) => ({
      row: [tenant, sum.runs, sum.actions, sum.errors, sum.throttled, sum.took],
      dead: Object.fromEntries(sum.dead),
      waiting: sum.waiting,
    }));
  }

  #of(tenant: string): Sum {
    const known = this.#tenants.get(tenant);
    if (known !== undefined) return known;
    const made = { ...noCounts(), dead: new Map<string, number>(), deadJobs: 0, waiting: 0 };
    this.#tenants.set(tenant, made);
    return made;
  }
}

/** Add up the tools of one tenant over some hours, and keep those that fail most, then those that are called most. */
export function sumTools(hours: Iterable<readonly ToolRow[]>, limit: number): readonly ToolRow[] {
  const tools = new Map<string, { calls: number; errors: number; took: Histogram }>();
  for (const rows of hours)
    for (const [tool, calls, errors, took] of rows) {
      const sum = tools.get(tool) ?? { calls: 0, errors: 0, took: [] };
      tools.set(tool, sum);
      sum.calls += calls;
      sum.errors += errors;
      addTimes(sum.took, took);
    }
  return [...tools]
    .sort(([name, a], [other, b]) => b.errors - a.errors || b.calls - a.calls || (name < other ? -1 : 1))
    .slice(0, limit)
    .map(([tool, { calls, errors, took }]) => [tool, calls, errors, took] as const);
}
