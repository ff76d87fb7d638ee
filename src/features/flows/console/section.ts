import { later } from "../../../console/parts/later.tsx";
import type { Section } from "../../../console/kit/section.ts";

/** Flows are listed, shown with their plan and issues, run by a form and deleted. */
export const section: Section = {
  feature: "flows",
  page: {
    name: "flows",
    title: "Flows",
    icon: "M4 5h5v5H4zM13 12h5v5h-5zM9 7.500h4a2.500 2.500 0 0 1 2.500 2.500v2",
    View: later(() => import("./flows-view.tsx").then(({ FlowsView }) => FlowsView)),
    toolCategory: "flows",
  },
};
