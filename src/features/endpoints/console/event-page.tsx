import { hrefTo } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { JsonView } from "../../../console/parts/json-view.tsx";
import { Pending } from "../../../console/parts/notes.tsx";
import { toneOf } from "../../../console/parts/status.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { RunLink } from "./run-link.tsx";
import type { WireEvent } from "./wire.ts";

/** One event: its data, and what became of its deliveries. */
export function EventPage({ id }: { readonly id: string }) {
  const loaded = useLoad<WireEvent>(`/v1/events/${encodeURIComponent(id)}`, {
    everyMs: 5_000,
    isExact: true,
  });
  const event = loaded.data;
  return (
    <div class="stack">
      <Title
        text={event?.type ?? "Event"}
        back={{ href: hrefTo("endpoints", null, { view: "events" }), label: "Events" }}
      />
      <Pending
        of={loaded}
        what="the event"
        gone={{ title: "There is no such event", children: "They are kept for 30 days." }}
      />
      {event !== null && (
        <section key="facts" class="card" aria-label="What it is">
          <div class="row">
            {Object.entries(event.deliveries ?? {})
              .filter(([, size]) => size > 0)
              .map(([status, size]) => (
                <span key={status} class={`status tone-${toneOf(status)}`}>
                  {size} {status}
                </span>
              ))}
          </div>
          <dl class="facts">
            <dt>Id</dt>
            <dd>
              <bdi class="mono">{event.event_id}</bdi>
            </dd>
            <dt>For</dt>
            <dd>
              <bdi>{event.customer ?? "every customer"}</bdi>
            </dd>
            <dt>Published</dt>
            <dd>
              <Time at={event.at} />
            </dd>
            {event.run_id !== undefined && [
              <dt key="run">By the run</dt>,
              <dd key="run id">
                <RunLink id={event.run_id} />
              </dd>,
            ]}
          </dl>
          <JsonView value={event.data} label="Data" />
        </section>
      )}
      {event !== null && (
        <section key="deliveries" class="stack tight" aria-label="Its deliveries">
          <h2>Its deliveries</h2>
          <DeliveryList of={{ event: id }} />
        </section>
      )}
    </div>
  );
}
