import type { Section } from "../../../console/kit/section.ts";
import { LastRun, RunsOfFlow } from "./run-table.tsx";
import { RunsOfWeek } from "./runs-of-week.tsx";
import { RunsView } from "./run-page.tsx";
import "./runs.css";

/** Runs are listed and shown, run again and opened in the editor; flows and the usage say what ran of theirs. */
export const section: Section = {
  feature: "runs",
  page: {
    name: "runs",
    title: "Runs",
    icon: "M3 5h10M8 11h11M5 17h8",
    View: RunsView,
    things: { kind: "Run", path: "/v1/runs/" },
  },
  pieces: {
    usage: { View: RunsOfWeek },
    flow: { View: RunsOfFlow },
    flowRow: { View: LastRun },
  },
};
