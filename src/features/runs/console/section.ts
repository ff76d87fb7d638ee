import type { Section } from "../../../console/kit/section.ts";
import "./runs.css";
import { RunsOfDay } from "./runs-of-day.tsx";
import { RunsView } from "./runs-view.tsx";

/** What ran is listed and shown, run again and opened in the editor; the usage says what ran in a day. */
export const section: Section = {
  feature: "runs",
  page: {
    name: "runs",
    title: "Runs",
    icon: "M3 5h16M6 11h9M9 17h10",
    View: RunsView,
    things: { kind: "Run", path: "/v1/runs/" },
  },
  pieces: { usage: { View: RunsOfDay } },
};
