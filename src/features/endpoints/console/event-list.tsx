import { useState } from "hono/jsx/dom";

import { hrefTo } from "../../../console/kit/route.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { TableHead } from "../../../console/parts/table-head.tsx";
import { Time } from "../../../console/parts/time.tsx";
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
