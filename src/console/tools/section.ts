import type { Section } from "../kit/section.ts";
import { ToolsView } from "./tools-view.tsx";

/** Tools are found, read and called. */
export const section: Section = {
  page: { name: "tools", title: "Tools", icon: "M4 6h14M4 11h14M4 16h9", View: ToolsView },
};
