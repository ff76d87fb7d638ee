import { hrefTo } from "../../../console/kit/route.ts";
import type { Places } from "../../../console/kit/section.ts";
import { count } from "../../../console/parts/count.ts";
import { Time } from "../../../console/parts/time.tsx";

/** How many questions wait for a person, and since when, among the figures of the usage. */
export function WaitingFigure({ usage }: Places["figures"]) {
  const { waiting, oldest_at: oldest } = usage.confirmations;
  return (
    <section class="card" aria-label="Waiting for a person">
      <h3>Waiting for a person</h3>
      <p class="figure">
        {waiting === 0 ? "Nothing" : <a href={hrefTo("confirmations")}>{count(waiting, "question")}</a>}
      </p>
      <p class="muted small">
        {oldest === null ? "No question waits." : "The oldest since "}
        {oldest !== null && <Time at={oldest} />}
      </p>
    </section>
  );
}
