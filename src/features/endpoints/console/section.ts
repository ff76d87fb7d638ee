import { later } from "../../../console/parts/later.tsx";
import type { Section } from "../../../console/kit/section.ts";
import { DeliveriesOfRun } from "./delivery-list.tsx";
import "./endpoints.css";

/** Endpoints by health, events with their deliveries, and an event published by hand; a run shows the deliveries of its events. */
export const section: Section = {
  feature: "endpoints",
  flag: "manage_endpoints",
  page: {
    name: "endpoints",
    title: "Endpoints",
    icon: "M4 11h6M10 11l6-6M10 11l6 6M16 5h2M16 17h2",
    View: later(() => import("./endpoints-view.tsx").then(({ EndpointsView }) => EndpointsView)),
    things: { kind: "Endpoint", path: "/v1/endpoints/" },
  },
  pieces: { run: { View: DeliveriesOfRun } },
};
