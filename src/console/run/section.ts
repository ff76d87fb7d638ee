import type { Section } from "../kit/section.ts";
import { RunView } from "./run-view.tsx";

/** A batch is written, planned and run. */
export const section: Section = {
  page: { name: "run", title: "Playground", icon: "M5 4l12 7-12 7z", View: RunView, isWhole: true },
};
