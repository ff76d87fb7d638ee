import type { Route } from "../../../console/kit/route.ts";
import { Title } from "../../../console/parts/title.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { EndpointList } from "./endpoint-list.tsx";
import { pageOf } from "./endpoint-page.tsx";
import { EventList, EventPage } from "./event-list.tsx";
import { PublishForm } from "./publish-form.tsx";
import { SectionTabs, type Tabs, TypeList } from "./section-tabs.tsx";

const TABS: Tabs = [
  ["", "Endpoints"],
  ["events", "Events"],
  ["deliveries", "Deliveries"],
  ["types", "Event types"],
  ["publish", "Publish"],
];

/** The tenant's endpoints by health, its events and their deliveries; or one of them. */
export function EndpointsView({ route: { id, query } }: { readonly route: Route }) {
  const event = query.get("event");
  const one = pageOf({ id, query });
  if (one !== null) return one;
  if (event !== null) return <EventPage key={`event ${event}`} id={event} />;
  const view = query.get("view") ?? "";
  return (
    <div class="stack" key="lists">
      <Title text="Endpoints" />
      <SectionTabs tabs={TABS} current={view} />
      <Lists key={view} view={view} />
    </div>
  );
}

function Lists({ view }: { readonly view: string }) {
  switch (view) {
    case "events":
      return <EventList />;
    case "deliveries":
      return <DeliveryList />;
    case "types":
      return <TypeList />;
    case "publish":
      return <PublishForm />;
    default:
      return <EndpointList />;
  }
}
