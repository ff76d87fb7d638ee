import { later } from "../../../console/parts/later.tsx";
import type { Section } from "../../../console/kit/section.ts";
import "./usage.css";

/** The usage says how much is left of a key's quota, and which work goes on, waits or fails. */
export const section: Section = {
  feature: "usage",
  page: {
    name: "usage",
    title: "Usage",
    icon: "M4 18V9M9.500 18V4M15 18v-6M3 18h16",
    View: later(() => import("./usage-view.tsx").then(({ UsageView }) => UsageView)),
    isWhole: true,
  },
};
