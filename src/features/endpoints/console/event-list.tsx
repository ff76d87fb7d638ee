import { useState } from "hono/jsx/dom";
import { hasPage, useDeployment } from "../../../console/kit/deployment.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { JsonView } from "../../../console/parts/json-view.tsx";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { toneOf } from "../../../console/parts/status.tsx";
import { TableHead } from "../../../console/parts/table-head.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import type { WireEvent } from "./wire.ts";

/** Published events, the latest first. */
export function EventList() {
  const [filter, setFilter] = useState({ type: "", customer: "" });
  const set = Object.entries(filter).filter(([, value]) => value !== "");
  const query = new URLSearchParams([["limit", "50"], ...set]);
  const pages = usePages<WireEvent>(`/v1/events?${query.toString()}`, "events", 5_000);
  return (
    <div class="stack tight">
      <div class="filters">
        {(["type", "customer"] as const).map((name) => (
          <label key={name}>
            <span class="hidden-text">{name}</span>
            <input
              type="search"
              placeholder={`Any ${name}`}
              spellcheck={false}
              onChange={(event: Event) =>
                setFilter({ ...filter, [name]: (event.currentTarget as HTMLInputElement).value.trim() })
              }
            />
          </label>
        ))}
      </div>
      <Pending of={pages.first} what="the events" />
      {pages.first.data !== null && pages.items.length === 0 && (
        <Empty key="none" title={set.length === 0 ? "No events yet" : "No such events"}>
          They stand here for 30 days.
        </Empty>
      )}
      {pages.items.length > 0 && (
        <div key="table" class="card flush">
          <table class="table list">
            <TableHead names={["Type", "Event", "Customer", "Published"]} />
            <tbody>
              {pages.items.map(({ event_id: id, type, customer, at }) => (
                <tr key={id}>
                  <td class="lead">
                    <a href={hrefTo("endpoints", null, { event: id })}>
                      <bdi>{type}</bdi>
                    </a>
                  </td>
                  <td data-label="Event">
                    <bdi class="mono small">{id}</bdi>
                  </td>
                  <td data-label="Customer">
                    <bdi>{customer ?? "all"}</bdi>
                  </td>
                  <td data-label="Published">
                    <Time at={at} />
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

/** The run that published an event, as a link where the Worker keeps runs. */
function RunLink({ id }: { readonly id: string }) {
  const text = <bdi class="mono">{id}</bdi>;
  return hasPage(useDeployment(), "runs") ? <a href={hrefTo("runs", id)}>{text}</a> : text;
}
