import { useState } from "hono/jsx/dom";
import { hrefTo } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { Status } from "../../../console/parts/status.tsx";
import { TableHead } from "../../../console/parts/table-head.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { useAccess } from "./access.ts";
import { sayAttempts } from "./endpoint-words.ts";
import type { WireDelivery } from "./wire.ts";

const EVERY_MS = 5_000;
const STATUSES = ["pending", "retrying", "delivered", "failed", "discarded"];

interface DeliveryListProps {
  /** The endpoint, the event or the run whose deliveries they are; all of them without any. */
  readonly of?: { readonly endpoint?: string; readonly event?: string; readonly run?: string };
}

/** Deliveries, the latest event first. */
export function DeliveryList({ of = {} }: DeliveryListProps) {
  const { root } = useAccess();
  const [status, setStatus] = useState("");
  const query = new URLSearchParams({ limit: "25", ...of, ...(status !== "" && { status }) });
  const pages = usePages<WireDelivery>(`${root}/deliveries?${query.toString()}`, "deliveries", EVERY_MS);
  const hasEndpoint = of.endpoint !== undefined;
  return (
    <div class="stack tight">
      <div class="filters">
        <label>
          <span class="hidden-text">Status of deliveries</span>
          <select onChange={(event: Event) => setStatus((event.currentTarget as HTMLSelectElement).value)}>
            <option value="">Any status</option>
            {STATUSES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Pending of={pages.first} what="the deliveries" />
      {pages.first.data !== null && pages.items.length === 0 && (
        <Empty key="none" title={status === "" ? "No deliveries yet" : "No such deliveries"}>
          {of.event !== undefined
            ? "No endpoint asked for this event."
            : "Each event for an endpoint stands here for 30 days."}
        </Empty>
      )}
      {pages.items.length > 0 && (
        <div key="table" class="card flush">
          <table class="table list">
            <TableHead
              names={["Event", ...(hasEndpoint ? [] : ["Endpoint"]), "Status", "Last answer", "At"]}
            />
            <tbody>
              {pages.items.map((one) => (
                <tr key={one.delivery_id}>
                  <td class="lead">
                    <a href={hrefTo("endpoints", null, { delivery: one.delivery_id })}>
                      <bdi>{one.type}</bdi>
                    </a>
                  </td>
                  {!hasEndpoint && (
                    <td key="endpoint" data-label="Endpoint">
                      <a href={hrefTo("endpoints", one.endpoint)}>
                        <bdi>{one.endpoint}</bdi>
                      </a>
                    </td>
                  )}
                  <td data-label="Status">
                    <Status of={one.status} />
                  </td>
                  <td data-label="Last answer">{sayAttempts(one)}</td>
                  <td data-label="At">
                    <Time at={one.created_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <MoreButton of={pages} />
    </div>
  );
}

/** The tool that publishes events. */
const PUBLISHES = "publish_event";

interface DeliveriesOfRunProps {
  readonly id: string;
  readonly tools: readonly string[];
}

/** The deliveries of the events that a run published; nothing where it published none. */
export function DeliveriesOfRun({ id, tools }: DeliveriesOfRunProps) {
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
