import type { Section } from "../../../console/kit/section.ts";
import { Declaration } from "./declaration.tsx";

/** A tool of the tenant's own shows its declaration on its page, where it can be deleted. */
export const section: Section = {
  feature: "added-tools",
  pieces: { tool: { flag: "manage_tools", View: Declaration } },
};
