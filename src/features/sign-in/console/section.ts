import type { Section } from "../../../console/kit/section.ts";
import { SignInsView } from "./sign-ins-view.tsx";

/** The programs that signed in with a key, and their ends. */
export const section: Section = {
  feature: "sign-in",
  page: {
    name: "sign-ins",
    title: "Sign-ins",
    icon: "M12 4h6v14h-6M4 11h10M11 8l3 3-3 3",
    View: SignInsView,
  },
};
