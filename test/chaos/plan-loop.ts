/** How one loop makes life hard. */
export interface LoopPlan {
  /** When the runtime is killed: with the answer, up to 30 ms after it, or while the request is still under way. */
  readonly kill: "with-answer" | "after-answer" | "during-request";
  /** Whether `initiated` is read from an event stream, before the batch has ended. */
  readonly streamed: boolean;
  /** After the restart nothing is sent until every interrupted job has acted again: only the alarm can run them. */
  readonly alarmOnly: boolean;
  /** Kill the runtime once more when the first taken-over attempt reaches the provider. */
  readonly killAgain: boolean;
}

/** Vary one thing after the other: every third loop is the alarm's alone, every fifth dies before it has answered. */
export function planLoop(loop: number): LoopPlan {
  const kill = loop % 5 === 4 ? "during-request" : loop % 2 === 0 ? "with-answer" : "after-answer";
  return {
    kill,
    streamed: kill === "with-answer" && loop % 4 === 0,
    alarmOnly: loop % 3 === 0,
    killAgain: loop % 3 === 1 || loop % 6 === 3,
  };
}
