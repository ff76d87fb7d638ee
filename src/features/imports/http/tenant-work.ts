import type { RequestContext } from "../../../feature/answer.ts";
import { createSlot } from "../../../feature/define.ts";
import { ImportWork } from "../import-work.ts";
import { getOrMake, makeRoom } from "../../../core/kit/get-or-make.ts";

/** Tenants whose work an isolate remembers. The one that came first is forgotten, and begins its minute anew. */
const TENANTS = 1_000;

const workByTenant = createSlot(() => new Map<string, ImportWork>());

/** The work that imports of the caller's tenant have left, in this isolate. */
export function workOfTenant({
  caller: { tenant },
  configured,
}: Pick<RequestContext, "caller" | "configured">): ImportWork {
  const all = workByTenant(configured);
  return getOrMake(all, tenant, () => {
    makeRoom(all, TENANTS);
    return new ImportWork();
  });
}
