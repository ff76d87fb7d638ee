import { useEffect, useRef, useState } from "hono/jsx/dom";

import { ask, type Problem } from "../kit/api.ts";
import { readEvents } from "../kit/read-events.ts";
import type { WireEnvelope, WirePlan, WireResult } from "../kit/wire.ts";
import type { NamedAction } from "./name-actions.ts";
import type { Arrival } from "./time-line.ts";

/** A run while it goes on and when it is over. */
export interface Run {
  readonly phase: "running" | "ended" | "stopped" | "cancelled";
  readonly startedAt: number;
  readonly actions: readonly NamedAction[];
  /** What `dry_run` says of the same batch: who waits for whom. Asked for beside the run, so that it costs no time. */
  readonly plan: WirePlan | null;
  readonly arrivals: ReadonlyMap<number, Arrival>;
  /** The JSON texts of the results, by index. */
  readonly texts: ReadonlyMap<number, string>;
  readonly envelope: WireEnvelope | null;
  readonly problem: Problem | null;
  /** How often it was sent again. */
  readonly resent: number;
  readonly lengthMs: number | null;
}

export interface RunRequest {
  /** The body, as JSON text: its numbers keep their digits. */
  readonly body: string;
  readonly planBody: string;
  readonly actions: readonly NamedAction[];
  readonly idempotencyKey: string | null;
}

const PATH = "/v1/execute_actions";
/** Pauses before a run whose connection was lost is sent again under its key; after them it is given up. */
const PAUSES_MS = [500, 1_500, 4_000, 8_000];

export interface Runner {
  readonly run: Run | null;
  /** @returns what came of it, when it is over */
  readonly start: (request: RunRequest) => Promise<Run>;
  readonly cancel: () => void;
}

/** Run batches by the stream of their events, one at a time. */
export function useRun(): Runner {
  const [run, setRun] = useState<Run | null>(null);
  const aborting = useRef<AbortController | null>(null);
  useEffect(() => () => aborting.current?.abort(), []);

  const start = async (request: RunRequest): Promise<Run> => {
    aborting.current?.abort();
    const aborter = new AbortController();
    aborting.current = aborter;
    const startedAt = performance.now();
    let now: Run = {
      phase: "running",
      startedAt,
      actions: request.actions,
      plan: null,
      arrivals: new Map(),
      texts: new Map(),
      envelope: null,
      problem: null,
      resent: 0,
      lengthMs: null,
    };
    const change = (what: Partial<Run>): void => {
      now = { ...now, ...what };
      // Of a run that another has taken the place of, nothing is shown.
      if (aborting.current === aborter) setRun(now);
    };
    change({});
    void ask<WirePlan>(PATH, { method: "POST", body: request.planBody, signal: aborter.signal }).then(
      (answer) => {
        if (answer.ok && "plan" in answer.data) change({ plan: answer.data });
      },
    );
    const problem = await send(request, {
      signal: aborter.signal,
      onResult: (result, text) => {
        const atMs = performance.now() - startedAt;
        change({
          arrivals: now.arrivals.has(result.index)
            ? now.arrivals
            : new Map(now.arrivals).set(result.index, { result, atMs }),
          texts: new Map(now.texts).set(result.index, text),
        });
      },
      onDone: (answer) => change("plan" in answer ? { plan: answer } : { envelope: answer }),
      onAgain: () => change({ resent: now.resent + 1 }),
    });
    const lengthMs = performance.now() - startedAt;
    if (aborter.signal.aborted) change({ phase: "cancelled", lengthMs });
    else if (problem !== null) change({ phase: "stopped", problem, lengthMs });
    else change({ phase: "ended", lengthMs });
    return now;
  };
  return { run, start, cancel: () => aborting.current?.abort() };
}

interface Told {
  readonly signal: AbortSignal;
  readonly onResult: (result: WireResult, text: string) => void;
  readonly onDone: (answer: WireEnvelope | WirePlan) => void;
  readonly onAgain: () => void;
}

/** Send a batch, and with a key again when the connection is lost: under the same key it runs once, however often it is sent. */
async function send({ body, idempotencyKey }: RunRequest, told: Told): Promise<Problem | null> {
  const { signal } = told;
  for (let turn = 0; ; turn += 1) {
    let isDone = false;
    const problem = await readEvents(
      PATH,
      {
        method: "POST",
        body,
        signal,
        ...(idempotencyKey !== null && { headers: { "idempotency-key": idempotencyKey } }),
      },
      ({ event, data, text }) => {
        if (event === "result") told.onResult(data as WireResult, text);
        if (event !== "done") return;
        isDone = true;
        told.onDone(data as WireEnvelope | WirePlan);
      },
    );
    if (isDone) return null;
    const lost = problem ?? CUT;
    const isAgain = lost.code === "OFFLINE" || lost.code === "IDEMPOTENCY_IN_PROGRESS";
    const pause = PAUSES_MS[turn];
    if (signal.aborted || idempotencyKey === null || !isAgain || pause === undefined) return lost;
    await new Promise((resolve) => {
      setTimeout(resolve, pause);
      signal.addEventListener("abort", resolve, { once: true });
    });
    if (signal.aborted) return lost;
    told.onAgain();
  }
}

/** The stream ended without saying that it was over. */
const CUT: Problem = {
  code: "OFFLINE",
  title: "Broken off",
  detail:
    "The stream ended before the batch did. What was sent goes on; the jobs and confirmations say what became of it.",
  status: 0,
  requestId: null,
};
