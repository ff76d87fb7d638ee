import { useState } from "hono/jsx/dom";

import { type Answer, ask, type Asking, type Problem } from "./api.ts";

export interface Sending {
  readonly send: <T>(path: string, asking?: Asking) => Promise<Answer<T>>;
  readonly isBusy: boolean;
  /** Why the last one was refused. */
  readonly problem: Problem | null;
}

/** Send what somebody pressed for, and know whether it is on its way and why it was refused. */
export function useSend(): Sending {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const send = async <T>(path: string, asking?: Asking): Promise<Answer<T>> => {
    setBusy(true);
    const answer = await ask<T>(path, asking);
    setBusy(false);
    setProblem(answer.ok ? null : answer.problem);
    return answer;
  };
  return { send, isBusy, problem };
}
