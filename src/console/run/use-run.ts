import { holdPage } from "../kit/hold-page.ts";
import { learnPaths } from "../kit/known-paths.ts";
import { currentOwner } from "../kit/session.ts";
import { type SetKept, useKept } from "../kit/use-kept.ts";
import { keepRun, readRun } from "./last-run.ts";
import type { NamedAction } from "./name-actions.ts";
import { begunRun, type Run } from "./run.ts";
import { sendRun } from "./send-run.ts";

export interface RunRequest {
  /** The body, as JSON text: its numbers keep their digits. It asks for `progress`. */
  readonly body: string;
  readonly actions: readonly NamedAction[];
  readonly idempotencyKey: string | null;
}

export interface Runner {
  readonly run: Run | null;
  /** @returns what came of it, when it is over; null when the tab has another owner by then */
  readonly start: (request: RunRequest) => Promise<Run | null>;
}

/**
 * Run batches by the stream of their events, one at a time. A run belongs to the tab: it goes on while other sections are
 * shown, and nothing but its own `cancel` aborts it.
 */
export function useRun(): Runner {
  const [run, setRun] = useKept<Run | null>("run", readRun);
  return { run, start: (request) => holdPage(start(request, setRun)) };
}

async function start(request: RunRequest, setRun: SetKept<Run | null>): Promise<Run | null> {
  const owner = currentOwner();
  const isOurs = (): boolean => owner === currentOwner();
  const aborter = new AbortController();
  const { signal } = aborter;
  let now = begunRun(request.actions, () => aborter.abort());
  const change = (changed: Partial<Run>): void => {
    now = { ...now, ...changed };
    setRun(now);
  };
  const keep = (): void => {
    if (isOurs()) keepRun(now);
  };
  const sinceStart = (): number => performance.now() - now.startedAt;
  change({});
  keep();
  addEventListener("pagehide", keep);
  const problem = await sendRun(request, {
    signal,
    onStarted: ({ index, started_ms: startedMs, try: attempt }) => {
      const begun = now.starts.get(index) ?? [];
      change({ starts: new Map(now.starts).set(index, [...begun, { startedMs, attempt }]) });
    },
    onResult: (result) => {
      if (now.arrivals.has(result.index)) return;
      change({ arrivals: new Map(now.arrivals).set(result.index, { result, atMs: sinceStart() }) });
    },
    onDone: (answer) => change("plan" in answer ? { plan: answer } : { envelope: answer }),
    onAgain: () => change({ resent: now.resent + 1 }),
  });
  const lengthMs = sinceStart();
  if (signal.aborted) change({ phase: "cancelled", lengthMs });
  else if (problem !== null) change({ phase: "stopped", problem, lengthMs });
  else change({ phase: "ended", lengthMs });
  removeEventListener("pagehide", keep);
  keep();
  if (!isOurs()) return null;
  for (const { result } of now.arrivals.values())
    if (result.status === "success" && result.tool !== null) learnPaths(result.tool, result.data);
  return now;
}
