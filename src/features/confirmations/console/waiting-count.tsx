import { useEffect, useRef } from "hono/jsx/dom";

import { useLoad } from "../../../console/kit/use-load.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { count } from "../../../console/parts/count.ts";
import type { ListedConfirmation } from "./confirmation-words.ts";

/** So often is asked what waits, while the page is seen: three small requests a minute of the second allowance. */
const EVERY_MS = 20_000;

/** The number of questions that wait for a person, in the navigation; nothing while it is not known, or none. */
export function WaitingCount() {
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
  return (
    <span class="count">
      {data.next_cursor === null ? size : `${size}+`}
      <span class="hidden-text"> waiting</span>
    </span>
  );
}
