import { useState, useRef } from "hono/jsx/dom";
import { type Answer, ask, type Asking, type Problem } from "./api.ts";
import { holdPage } from "./hold-page.ts";
import type { WireEnvelope } from "./wire.ts";

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

/**
 * Send one of several requests under a key of its own, however often it is pressed: a double tap or a lost answer is one
 * request. Null where another is on its way.
 */
export function useSendOnce<Which extends string>() {
  const keys = useRef<Partial<Record<Which, string>>>({});
  const sent = useRef(false);
  const [isBusy, setBusy] = useState<Which | null>(null);
  const send = async (which: Which, path: string, body: unknown): Promise<Answer<WireEnvelope> | null> => {
    if (sent.current) return null;
    sent.current = true;
    setBusy(which);
    const headers = { "idempotency-key": (keys.current[which] ??= crypto.randomUUID()) };
    const answer = await holdPage(ask<WireEnvelope>(path, { method: "POST", body, headers, isExact: true }));
    sent.current = false;
    setBusy(null);
    return answer;
  };
  return { send, isBusy };
}
