import type { Configured, People } from "../../../cloudflare/configured.ts";

/** The people who can show that they are subjects of a tenant; null where none can. Another tenant's subject of the same name is another person. */
export function peopleOf(tenant: string, { people }: Configured): People | null {
  const found = people?.() ?? null;
  return found?.tenant === tenant ? found : null;
}
