import { later } from "../../../console/parts/later.tsx";
import type { Section } from "../../../console/kit/section.ts";
import "./questions.css";
import { WaitingCount, WaitingFigure } from "./waiting-count.tsx";

/** Actions that wait for a person are listed, shown and decided; the navigation and the usage say how many wait. */
export const section: Section = {
  feature: "confirmations",
  page: {
    name: "confirmations",
    title: "Approvals",
    icon: "M4 11l5 5L19 6",
    View: later(() => import("./confirmations-view.tsx").then(({ ConfirmationsView }) => ConfirmationsView)),
    things: { kind: "Approval request", path: "/v1/confirmations/" },
    Count: WaitingCount,
  },
  pieces: { figures: { View: WaitingFigure } },
};
