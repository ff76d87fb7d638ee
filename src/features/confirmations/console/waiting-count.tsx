import { useEffect, useRef } from "../../../console/kit/jsx-hooks.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import type { Places } from "../../../console/kit/section.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { announce } from "../../../console/parts/announce.tsx";
import { count } from "../../../console/parts/count.ts";
import { Tile } from "../../../console/parts/facts.tsx";
import { Time } from "../../../console/parts/time.tsx";
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
    if (size > (before.current ?? 0)) announce(`${count(size, "action waits", "actions wait")} for approval`);
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

/** How many questions wait for a person, and since when, among the figures of the usage. */
export function WaitingFigure({ usage }: Places["figures"]) {
  const { waiting, oldest_at: oldest } = usage.confirmations;
  const figure =
    waiting === 0 ? "Nothing" : <a href={hrefTo("confirmations")}>{count(waiting, "request")}</a>;
  return (
    <Tile title="Waiting for a person" figure={figure}>
      {oldest === null ? "No approval request waits." : "The oldest since "}
      {oldest !== null && <Time at={oldest} />}
    </Tile>
  );
}
