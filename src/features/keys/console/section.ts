import { later } from "../../../console/parts/later.tsx";
import type { Section } from "../../../console/kit/section.ts";

/** Keys of the tenant are made, rotated and revoked. */
export const section: Section = {
  feature: "keys",
  flag: "manage_keys",
  page: {
    name: "keys",
    title: "Keys",
    icon: "M14 8a4 4 0 1 0-4.500 4L3 18v2h3v-2h2v-2h2l1.500-4A4 4 0 0 0 14 8z",
    View: later(() => import("./keys-view.tsx").then(({ KeysView }) => KeysView)),
    isWhole: true,
  },
};
