import { useEffect } from "../kit/jsx-hooks.ts";
import { makeKey } from "../kit/make-idempotency-key.ts";
import { learnPaths } from "../kit/known-paths.ts";
import { currentOwner } from "../kit/session.ts";
import { type SetKept, useKept } from "../kit/use-kept.ts";
import { keepRun, readRun } from "./last-run.ts";
import type { NamedAction } from "./name-actions.ts";
import { begunRun, type Run, withAnswer } from "./run-state.ts";
import { sendRun } from "./send-run.ts";

export interface RunRequest {
  /** The body, as JSON text: its numbers keep their digits. It asks for `progress`. */
  readonly body: string;
  readonly actions: readonly NamedAction[];
  /** One of its own where it is null. */
  readonly idempotencyKey: string | null;
}

export interface Runner {
  readonly run: Run | null;
  /** Send a run whose connection was lost again, under its key: it is the same run. */
  readonly again: () => void;
  /** @returns what came of it, when it is over; null when the tab has another owner by then */
  readonly start: (request: RunRequest) => Promise<Run | null>;
}

/** The run that this page follows; null where it follows none. */
let followed: Run["sent"] | null = null;

/**
 * Run batches by the stream of their events, one at a time, each under a key: nothing that becomes of the page aborts a read, and a page that
 * is loaded again finds its run. It belongs to the tab, and goes on while other sections are shown.
 */
export function useRun(): Runner {
  const [run, setRun] = useKept<Run | null>("run", readRun);
  useEffect(() => {
    if (run?.phase === "running" && followed === null) void follow(run, setRun);
  }, []);
  return {
    run,
    again: () => void (run && follow({ ...begunRun(run), arrivals: run.arrivals }, setRun)),
    start: ({ body, actions, idempotencyKey }) => {
      const sent = { body, idempotencyKey: idempotencyKey ?? makeKey() };
      return follow(begunRun({ sent, actions }), setRun);
    },
  };
}

async function follow(begun: Run, setRun: SetKept<Run | null>): Promise<Run | null> {
  const owner = currentOwner();
  const isOurs = (): boolean => owner === currentOwner();
  const aborter = new AbortController();
  const { signal } = aborter;
  const { sent } = begun;
  followed = sent;
  let now: Run = { ...begun, cancel: () => aborter.abort() };
  let told = begun.arrivals;
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
  const problem = await sendRun(sent, {
    signal,
    onStarted: ({ index, started_ms: startedMs, try: attempt }) => {
      const begun = now.starts.get(index) ?? [];
      change({ starts: new Map(now.starts).set(index, [...begun, { startedMs, attempt }]) });
    },
    onResult: (result) => {
      if (now.arrivals.has(result.index)) return;
      change({ arrivals: new Map(now.arrivals).set(result.index, { result, atMs: sinceStart() }) });
    },
    onDone: (answer) => change(withAnswer(answer, told)),
    onAgain: () => {
      told = now.arrivals;
      change({ resent: now.resent + 1 });
    },
  });
  const lengthMs = sinceStart();
  if (signal.aborted) change({ phase: "cancelled", lengthMs });
  else if (problem !== null) change({ phase: "stopped", problem, lengthMs });
  else change({ phase: "ended", lengthMs });
  removeEventListener("pagehide", keep);
  if (followed === sent) followed = null;
  keep();
  if (!isOurs()) return null;
  for (const { result } of now.arrivals.values())
    if (result.status === "success" && result.tool !== null) learnPaths(result.tool, result.data);
  return now;
}
