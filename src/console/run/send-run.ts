import { CHANGED, changes, makeOffline, type Problem } from "../kit/api.ts";
import { readEvents } from "../kit/read-events.ts";
import { currentOwner } from "../kit/session.ts";
import type { WireEnvelope, WirePlan, WireResult } from "../kit/wire.ts";

const RUN_PATH = "/v1/execute_actions";
/** Pauses before a run whose connection was lost is sent again under its key; after them it is given up. */
const PAUSES_MS = [500, 1_500, 4_000, 8_000];
/** Between two looks at one that runs still, which a page that was loaded again waits for: as many as its longest deadline has. */
const RUNNING_PAUSE_MS = 1_500;
const RUNNING_LOOKS = 60;

interface Sent {
  readonly body: string;
  readonly idempotencyKey: string;
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
 * Send a batch, and again when the connection is lost: under the same key it runs once, however often it is sent. It is never sent
 * again when the tab has another owner: that key would run it anew.
 */
export async function sendRun({ body, idempotencyKey }: Sent, told: Told): Promise<Problem | null> {
  const { signal } = told;
  const owner = currentOwner();
  let [losses, looks] = [0, 0];
  for (;;) {
    let isDone = false;
    const problem = await readEvents(
      RUN_PATH,
      { method: "POST", body, signal, headers: { "idempotency-key": idempotencyKey } },
      ({ event, data }) => {
        if (event === "started") told.onStarted(data as WireStart);
        if (event === "result") told.onResult(data as WireResult);
        if (event !== "done") return;
        isDone = true;
        changes.dispatchEvent(new Event(CHANGED));
        told.onDone(data as WireEnvelope | WirePlan);
      },
    );
    if (isDone) return null;
    const lost = problem ?? CUT;
    const isRunning = lost.code === "IDEMPOTENCY_IN_PROGRESS";
    const pause = isRunning ? (looks < RUNNING_LOOKS ? RUNNING_PAUSE_MS : undefined) : PAUSES_MS[losses];
    if (signal.aborted || !(isRunning || lost.code === "OFFLINE") || pause === undefined) return lost;
    if (isRunning) looks += 1;
    else losses += 1;
    await new Promise((resolve) => {
      setTimeout(resolve, pause);
      signal.addEventListener("abort", resolve, { once: true });
    });
    if (signal.aborted || owner !== currentOwner()) return lost;
    if (!isRunning) told.onAgain();
  }
}

/** The stream ended without saying that it was over. */
const CUT = makeOffline(
  "The stream ended before the batch did. What was sent goes on: look at Runs, Jobs and Approvals before you run it again.",
);
