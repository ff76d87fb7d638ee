import type { KeptRun } from "./rerun/kept-run.ts";
import type { ListedRun } from "./run-log-methods.ts";

/** The fields of a kept action that are measures of its result, with their names there. */
const MEASURES: Readonly<Record<string, string>> = {
  started_ms: "started_ms",
  duration_ms: "duration_ms",
  queued_ms: "queued_ms",
  attempts: "attempts",
  tries: "tries",
  bytes: "bytes",
  items: "items",
  deduplicated_of: "deduplicated_of",
  demoted: "demoted",
  replayed: "idempotency_replayed",
};
/** Those that a result says besides. */
const SAID = ["job_id", "confirmation", "because", "data", "error", "private", "cut", "redacted"];

interface Action {
  readonly id: string;
  readonly tool: string;
  readonly status: string;
  readonly started_ms?: number | undefined;
  readonly duration_ms?: number | undefined;
  readonly [field: string]: unknown;
}

/** Write the actions of a run that is over as the results that they were, as far as they are kept. */
export function toResults(actions: readonly Action[]): readonly string[] {
  return actions.map((action, index) => {
    const pick = (names: readonly (readonly [from: string, to: string])[]): object =>
      Object.fromEntries(
        names.flatMap(([from, to]) => (action[from] === undefined ? [] : [[to, action[from]]])),
      );
    const { id, tool, status } = action;
    return JSON.stringify({
      index,
      id,
      tool,
      status,
      ...pick(SAID.map((name) => [name, name])),
      meta: pick(Object.entries(MEASURES)),
    });
  });
}

/** Write the envelope of a run that is over. */
export function toKeptEnvelope(
  { run_id, summary, duration_ms }: ListedRun,
  { plan, actions }: { readonly plan: KeptRun["plan"]; readonly actions: readonly Action[] },
  results: readonly string[],
): string {
  const stats = {
    duration_ms,
    critical_path_ms: criticalPathMs(plan.edges, actions),
    sequential_ms: actions.reduce((sum, { duration_ms: ms = 0 }) => sum + ms, 0),
    max_parallelism: mostAtOnce(actions),
  };
  return `{"batch_id":${JSON.stringify(run_id)},"results":[${results.join(",")}],"summary":${JSON.stringify(summary)},"stats":${JSON.stringify(stats)}}`;
}

/** The longest chain of durations along what waited for what. Edges lead from earlier actions of the plan's order to later ones. */
function criticalPathMs(edges: KeptRun["plan"]["edges"], actions: readonly Action[]): number {
  const durations = new Map(actions.map(({ id, duration_ms: ms = 0 }) => [id, ms]));
  const before = Map.groupBy(edges, ({ to }) => to);
  const paths = new Map<string, number>();
  const pathTo = (id: string): number => {
    const known = paths.get(id);
    if (known !== undefined) return known;
    // An edge that leads back, as only a log of another version could have, is none.
    paths.set(id, 0);
    const longest = Math.max(0, ...(before.get(id) ?? []).map(({ from }) => pathTo(from)));
    const path = longest + (durations.get(id) ?? 0);
    paths.set(id, path);
    return path;
  };
  return Math.max(0, ...actions.map(({ id }) => pathTo(id)));
}

/** How many actions were under way at once, at most. */
function mostAtOnce(actions: readonly Action[]): number {
  const changes = actions.flatMap(({ started_ms: at, duration_ms: ms = 0 }) =>
    at === undefined ? [] : [[at, 1] as const, [at + Math.max(ms, 1), -1] as const],
  );
  changes.sort(([a, x], [b, y]) => a - b || x - y);
  let [now, most] = [0, 0];
  for (const [, change] of changes) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}
