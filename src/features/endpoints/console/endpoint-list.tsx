import { useState } from "hono/jsx/dom";

import { hrefTo } from "../../../console/kit/route.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { Status } from "../../../console/parts/status.tsx";
import { TableHead } from "../../../console/parts/table-head.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { useAccess } from "./access.ts";
import { healthOf, sortByHealth } from "./endpoint-words.ts";
import type { WireEndpoint } from "./wire.ts";

const EVERY_MS = 10_000;
const PAGE = 100;
const STATES = ["active", "paused", "disabled"];
/** So many types are named in a row. */
const MOST_TYPES = 3;

/** Endpoints, those first that fail or were disabled. */
export function EndpointList() {
  const { root, isTenant, mayChange } = useAccess();
  const [state, setState] = useState("");
  const [customer, setCustomer] = useState("");
  const query = new URLSearchParams({
    limit: String(PAGE),
    ...(state !== "" && { state }),
    ...(customer !== "" && { customer }),
  });
  const pages = usePages<WireEndpoint>(`${root}/endpoints?${query.toString()}`, "endpoints", EVERY_MS);
  const isFiltered = state !== "" || customer !== "";
  const valueOf = (event: Event): string => (event.currentTarget as HTMLInputElement).value.trim();
  return (
    <div class="stack tight">
      <div class="filters">
        <label>
          <span class="hidden-text">State</span>
          <select onChange={(event: Event) => setState(valueOf(event))}>
            <option value="">Any state</option>
            {STATES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        {isTenant && (
          <label key="customer">
            <span class="hidden-text">Customer</span>
            <input
              type="search"
              placeholder="Any customer"
              spellcheck={false}
              onChange={(event: Event) => setCustomer(valueOf(event))}
            />
          </label>
        )}
        {mayChange && (
          <a key="new" class="button primary new-endpoint" href={hrefTo("endpoints", null, { view: "new" })}>
            Add an endpoint
          </a>
        )}
      </div>
      <Pending of={pages.first} what="the endpoints" />
      {pages.first.data !== null && pages.items.length === 0 && (
        <Empty key="none" title={isFiltered ? "No such endpoints" : "No endpoints yet"}>
          {isFiltered
            ? "Another state or customer may have some."
            : "An endpoint is an address of yours that is told of events the moment they happen."}
        </Empty>
      )}
      {pages.items.length > 0 && (
        <div key="table" class="card flush">
          <table class="table list">
            <TableHead names={["Endpoint", ...(isTenant ? ["Customer"] : []), "Health", "Events", "Since"]} />
            <tbody>
              {sortByHealth(pages.items).map((one) => (
                <Row key={one.id} endpoint={one} isTenant={isTenant} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {pages.hasMore && (
        <p key="part" class="muted small">
          These are the {pages.items.length} newest, by their health. The filter by state finds all of one.
        </p>
      )}
      <MoreButton of={pages} />
    </div>
  );
}

function Row({ endpoint, isTenant }: { readonly endpoint: WireEndpoint; readonly isTenant: boolean }) {
  const { id, url, customer, events, created_at: created, failing_since: failing } = endpoint;
  return (
    <tr>
      <td class="lead endpoint-lead">
        <a href={hrefTo("endpoints", id)}>
          <bdi>{endpoint.description ?? id}</bdi>
        </a>
        <bdi class="muted small mono">{url}</bdi>
      </td>
      {isTenant && (
        <td key="customer" data-label="Customer">
          <bdi>{customer ?? "–"}</bdi>
        </td>
      )}
      <td data-label="Health">
        <Status of={healthOf(endpoint)} />
      </td>
      <td data-label="Events">
        <EventTags events={events} />
      </td>
      <td data-label={failing === undefined ? "Made" : "Fails since"}>
        <Time at={failing ?? created} />
      </td>
    </tr>
  );
}

export function EventTags({
  events,
  most = MOST_TYPES,
}: {
  readonly events: readonly string[];
  readonly most?: number;
}) {
  return (
    <span class="event-tags">
      {events.slice(0, most).map((type) => (
        <span key={type} class="tag">
          {type === "*" ? "every event" : type}
        </span>
      ))}
      {events.length > most && <span class="muted small">and {events.length - most} more</span>}
    </span>
  );
}
