import { useFilter } from "../../../console/kit/use-browser.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { Choice } from "../../../console/parts/filters.tsx";
import { Link } from "../../../console/parts/link.tsx";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { Status } from "../../../console/parts/status.tsx";
import { ListTable } from "../../../console/parts/table.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { useAccess } from "./access.ts";
import { sayAttempts } from "./endpoint-words.ts";
import type { WireDelivery } from "./wire-endpoints.ts";

const EVERY_MS = 5_000;
const STATUSES = ["pending", "retrying", "delivered", "failed", "discarded"];

interface DeliveryListProps {
  /** The endpoint, the event or the run whose deliveries they are; all of them without any. */
  readonly of?: { readonly endpoint?: string; readonly event?: string; readonly run?: string };
}

/** Deliveries, the latest event first. */
export function DeliveryList({ of = {} }: DeliveryListProps) {
  const { root } = useAccess();
  const { filter, set, search } = useFilter(["status"]);
  const query = new URLSearchParams({ limit: "25", ...of }).toString();
  const pages = usePages<WireDelivery>(`${root}/deliveries?${query}${search}`, "deliveries", EVERY_MS);
  const hasEndpoint = of.endpoint !== undefined;
  return (
    <div class="stack tight">
      <div class="filters">
        <Choice
          label="Status of deliveries"
          any="Any status"
          values={STATUSES}
          chosen={filter.status}
          onChoose={set("status")}
        />
      </div>
      <Pending of={pages.first} what="the deliveries" />
      {pages.first.data !== null && pages.items.length === 0 && (
        <Empty key="none" title={search === "" ? "No deliveries yet" : "No such deliveries"}>
          {of.event !== undefined
            ? "No endpoint asked for this event."
            : "Each event for an endpoint stands here for 30 days."}
        </Empty>
      )}
      {pages.items.length > 0 && (
        <ListTable
          key="table"
          of={pages.items}
          by={(one) => one.delivery_id}
          columns={[
            [
              "Event",
              (one) => (
                <Link of={one.type} section="endpoints" to={null} query={{ delivery: one.delivery_id }} />
              ),
              "lead",
            ],
            !hasEndpoint && [
              "Endpoint",
              (one) => <Link of={one.endpoint} section="endpoints" to={one.endpoint} />,
            ],
            ["Status", (one) => <Status of={one.status} />],
            ["Last answer", sayAttempts],
            ["Published", (one) => <Time at={one.created_at} />],
          ]}
        />
      )}
      <MoreButton of={pages} />
    </div>
  );
}

/** The tool that publishes events. */
const PUBLISHES = "publish_event";

/** The deliveries of the events that a run published; nothing where it published none. */
export function DeliveriesOfRun({ id, tools }: { readonly id: string; readonly tools: readonly string[] }) {
  const path = `/v1/deliveries?limit=1&run=${encodeURIComponent(id)}`;
  const { data } = useLoad<{ readonly deliveries: readonly WireDelivery[] }>(
    tools.includes(PUBLISHES) ? path : null,
  );
  if (data === null || data.deliveries.length === 0) return null;
  return (
    <section class="stack tight" aria-label="Deliveries of its events">
      <h2>Deliveries of its events</h2>
      <DeliveryList of={{ run: id }} />
    </section>
  );
}
