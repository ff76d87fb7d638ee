import { hrefTo } from "../../../console/kit/route.ts";
import { useFilter } from "../../../console/kit/use-browser.ts";
import { usePages } from "../../../console/kit/use-pages.ts";
import { Choice, Search } from "../../../console/parts/filters.tsx";
import { MoreButton } from "../../../console/parts/more-button.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { Status, Tags } from "../../../console/parts/status.tsx";
import { ListTable } from "../../../console/parts/table.tsx";
import { Time } from "../../../console/parts/time.tsx";
import { useAccess } from "./access.ts";
import { healthOf, sortByHealth } from "./endpoint-words.ts";
import type { WireEndpoint } from "./wire-endpoints.ts";

const EVERY_MS = 10_000;
const PAGE = 100;
const STATES = ["active", "paused", "disabled"];
/** So many types are named in a row. */
const MOST_TYPES = 3;

/** Endpoints, those first that fail or were disabled. */
export function EndpointList() {
  const { root, isTenant, mayChange } = useAccess();
  const { filter, set, search } = useFilter(["state", "customer"]);
  const pages = usePages<WireEndpoint>(`${root}/endpoints?limit=${PAGE}${search}`, "endpoints", EVERY_MS);
  const isFiltered = search !== "";
  return (
    <div class="stack tight">
      <div class="filters">
        <Choice label="State" any="Any state" values={STATES} chosen={filter.state} onChoose={set("state")} />
        {isTenant && (
          <Search
            key="customer"
            label="Customer"
            any="Any customer"
            value={filter.customer}
            onText={set("customer")}
          />
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
        <ListTable
          key="table"
          of={sortByHealth(pages.items)}
          by={({ id }) => id}
          columns={[
            ["Endpoint", (one) => <Name of={one} />, "lead endpoint-lead"],
            isTenant && ["Customer", ({ customer }) => <bdi>{customer ?? "–"}</bdi>],
            ["State", (one) => <Status of={healthOf(one)} />],
            ["Events", ({ events }) => <Tags of={sayEvents(events)} most={MOST_TYPES} />],
            ["Failing since", (one) => <Time at={one.failing_since} />],
          ]}
        />
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

function Name({ of: { id, url, description } }: { readonly of: WireEndpoint }) {
  return (
    <>
      <a href={hrefTo("endpoints", id)}>
        <bdi>{description ?? id}</bdi>
      </a>
      <bdi class="muted small mono">{url}</bdi>
    </>
  );
}

export function sayEvents(events: readonly string[]): readonly string[] {
  return events.map((type) => (type === "*" ? "every event" : type));
}
