import { later } from "../../../console/parts/later.tsx";
import type { Section } from "../../../console/kit/section.ts";
import "./operator.css";

/** The operator looks across tenants: which of them fail, which wait, and whose dead jobs are to run again. */
export const section: Section = {
  feature: "operator",
  flag: "operator",
  page: {
    name: "operator",
    title: "Operator",
    icon: "M4 5h14v5H4zM4 12h14v5H4zM7 7.5h.01M7 14.5h.01",
    View: later(() => import("./operator-view.tsx").then(({ OperatorView }) => OperatorView)),
    isStart: true,
  },
};
