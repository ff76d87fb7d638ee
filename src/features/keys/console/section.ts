import type { Section } from "../../../console/kit/section.ts";
import { KeyList } from "./key-list.tsx";

/** Keys of the tenant are made, rotated and revoked, below the usage. */
export const section: Section = {
  feature: "keys",
  pieces: { usage: { flag: "manage_keys", View: KeyList } },
};
