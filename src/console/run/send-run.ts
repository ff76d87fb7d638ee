import { makeOffline, type Problem } from "../kit/api.ts";
import { readEvents } from "../kit/read-events.ts";
import { currentOwner } from "../kit/session.ts";
import type { WireEnvelope, WirePlan, WireResult } from "../kit/wire.ts";

const RUN_PATH = "/v1/execute_actions";
/** Pauses before a run whose connection was lost is sent again under its key; after them it is given up. */
const PAUSES_MS = [500, 1_500, 4_000, 8_000];

interface Sent {
  readonly body: string;
  readonly idempotencyKey: string | null;
}

/** A call that has left its queues: `event: started`. */
export interface WireStart {
  readonly index: number;
  readonly id: string;
  readonly try: number;
  readonly started_ms: number;
}

interface Told {
  readonly signal: AbortSignal;
  readonly onStarted: (start: WireStart) => void;
  readonly onResult: (result: WireResult) => void;
  readonly onDone: (answer: WireEnvelope | WirePlan) => void;
  readonly onAgain: () => void;
}

/**
 * Send a batch. With a key it is sent again when the connection is lost: under the same key it runs once, however often it
 * is sent. It is never sent again when the tab has another owner: that key would run it anew.
 */
export async function sendRun({ body, idempotencyKey }: Sent, told: Told): Promise<Problem | null> {
  const { signal } = told;
  const owner = currentOwner();
  for (let turn = 0; ; turn += 1) {
    let isDone = false;
    const problem = await readEvents(
      RUN_PATH,
      {
        method: "POST",
        body,
        signal,
        ...(idempotencyKey !== null && { headers: { "idempotency-key": idempotencyKey } }),
      },
      ({ event, data }) => {
        if (event === "started") told.onStarted(data as WireStart);
        if (event === "result") told.onResult(data as WireResult);
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
    if (signal.aborted || owner !== currentOwner()) return lost;
    told.onAgain();
  }
}

/** The stream ended without saying that it was over. */
const CUT = makeOffline(
  "The stream ended before the batch did. What was sent goes on; the jobs and confirmations say what became of it.",
);
