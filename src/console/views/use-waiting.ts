import { useEffect, useRef } from "hono/jsx/dom";

import { useLoad } from "../kit/use-load.ts";
import { announce } from "../parts/announce.tsx";
import { count } from "../parts/count.ts";
import type { ListedConfirmation } from "./confirmation-words.ts";

/** So often is asked what waits, while the page is seen: three small requests a minute of the second allowance. */
const EVERY_MS = 20_000;

/** The number of questions that wait for a person, as the navigation shows it; null while it is not known, or none. */
export function useWaiting(): string | null {
  const { data } = useLoad<{
    readonly confirmations: readonly ListedConfirmation[];
    readonly next_cursor: string | null;
  }>("/v1/confirmations?status=waiting&limit=20", { everyMs: EVERY_MS });
  const size = data?.confirmations.length ?? 0;
  const before = useRef(0);
  useEffect(() => {
    if (size > (before.current ?? 0))
      announce(`${count(size, "action waits", "actions wait")} for a person’s yes`);
    before.current = size;
  }, [size]);
  if (data === null || size === 0) return null;
  return data.next_cursor === null ? String(size) : `${size}+`;
}
