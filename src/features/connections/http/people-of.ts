import type { Configured } from "../../../feature/define.ts";
import { givenBy, type People } from "../../../feature/gives.ts";

/** The people who can show that they are subjects of a tenant; null where none can. Another tenant's subject of the same name is another person. */
export function peopleOf(tenant: string, configured: Configured): People | null {
  const [people] = givenBy(configured.features, "people");
  const found = people?.(configured) ?? null;
  return found?.tenant === tenant ? found : null;
}
