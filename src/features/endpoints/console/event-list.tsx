import { hasPage, useDeployment } from "../../../console/kit/deployment.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import { useLoad } from "../../../console/kit/use-load.ts";
import { useFilter } from "../../../console/kit/use-browser.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { Facts } from "../../../console/parts/facts.tsx";
import { Search } from "../../../console/parts/filters.tsx";
import { JsonView } from "../../../console/parts/json-view.tsx";
import { Link } from "../../../console/parts/link.tsx";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { toneOf } from "../../../console/parts/status.tsx";
import { ListTable } from "../../../console/parts/table.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { Title } from "../../../console/parts/title.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import type { WireEvent } from "./wire-endpoints.ts";

/** Published events, the latest first. */
export function EventList() {
  const { filter, set, search } = useFilter(["type", "customer"]);
  const pages = usePages<WireEvent>(`/v1/events?limit=50${search}`, "events", 5_000);
  return (
    <div class="stack tight">
      <div class="filters">
        {(["type", "customer"] as const).map((name) => (
          <Search key={name} label={name} any={`Any ${name}`} value={filter[name]} onText={set(name)} />
        ))}
      </div>
      <Pending of={pages.first} what="the events" />
      {pages.first.data !== null && pages.items.length === 0 && (
        <Empty key="none" title={search === "" ? "No events yet" : "No such events"}>
          They stand here for 30 days.
        </Empty>
      )}
      {pages.items.length > 0 && (
        <ListTable
          key="table"
          of={pages.items}
          by={(one) => one.event_id}
          columns={[
            [
              "Type",
              (one) => <Link of={one.type} section="endpoints" to={null} query={{ event: one.event_id }} />,
              "lead",
            ],
            ["Event", (one) => <bdi class="mono small">{one.event_id}</bdi>],
            ["Customer", (one) => <bdi>{one.customer ?? "all"}</bdi>],
            ["Published", (one) => <Time at={one.at} />],
          ]}
        />
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
          <Facts
            of={[
              ["Id", <bdi class="mono">{event.event_id}</bdi>],
              ["For", <bdi>{event.customer ?? "every customer"}</bdi>],
              ["Published", <Time at={event.at} />],
              event.run_id !== undefined && ["By the run", <RunLink id={event.run_id} />],
            ]}
          />
          <JsonView value={event.data} label="Data" />
        </section>
      )}
      {event !== null && (
        <section key="deliveries" class="stack tight" aria-label="Its deliveries">
          <h2>Deliveries</h2>
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
