import { later } from "../parts/later.tsx";
import type { Section } from "../kit/section.ts";

/** Tools are found, read and called. */
export const section: Section = {
  page: {
    name: "tools",
    title: "Tools",
    icon: "M4 6h14M4 11h14M4 16h9",
    View: later(() => import("./tools-view.tsx").then(({ ToolsView }) => ToolsView)),
  },
};
