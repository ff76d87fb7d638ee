import { later } from "../parts/later.tsx";
import type { Section } from "../kit/section.ts";

/** Background work is followed, cancelled and redriven. */
export const section: Section = {
  page: {
    name: "jobs",
    title: "Jobs",
    icon: "M11 3v8l5 3M11 20a9 9 0 1 1 0-18 9 9 0 0 1 0 18z",
    View: later(() => import("./jobs-view.tsx").then(({ JobsView }) => JobsView)),
    things: { kind: "Job", path: "/v1/jobs/" },
  },
};
