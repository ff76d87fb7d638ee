import { useRef, useState } from "hono/jsx/dom";

import { type Answer, ask } from "./api.ts";
import { holdPage } from "./hold-page.ts";

/**
 * Send one of several requests under a key of its own, however often it is pressed: a double tap or a lost answer is one
 * request. Null where another is on its way.
 */
export function useSendOnce<Which extends string>() {
  const keys = useRef<Partial<Record<Which, string>>>({});
  const sent = useRef(false);
  const [isBusy, setBusy] = useState<Which | null>(null);
  const send = async <T>(which: Which, path: string, body: unknown): Promise<Answer<T> | null> => {
    if (sent.current) return null;
    sent.current = true;
    setBusy(which);
    const headers = { "idempotency-key": (keys.current![which] ??= crypto.randomUUID()) };
    const answer = await holdPage(ask<T>(path, { method: "POST", body, headers, isExact: true }));
    sent.current = false;
    setBusy(null);
    return answer;
  };
  return { send, isBusy };
}
