import "./connections.css";
import { later } from "../../../console/parts/later.tsx";
import { field } from "../../../console/kit/batch-fields.ts";
import type { Section } from "../../../console/kit/section.ts";

/** Accounts of the tenant's subjects: who has connected what, a link for one more, and its end. */
export const section: Section = {
  feature: "connections",
  flag: "manage_connections",
  page: {
    name: "connections",
    title: "Connections",
    icon: "M9 13a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M13 9a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
    View: later(() => import("./connections-view.tsx").then(({ ConnectionsView }) => ConnectionsView)),
    isWhole: true,
  },
  batchFields: [
    field("subject", "text", "Whose accounts its tools use"),
    field("connections", "object", "Which of several accounts, by connector"),
    field("on_connection", "text", "What an action does whose account is missing", "park error"),
    field("return_to", "text", "Where links that connect an account lead back to"),
  ],
};
