import * as z from "zod/mini";

import type { TakenRows } from "../../../core/kit/take-rows.ts";
import { mayDo } from "../../../core/contract/gate/caller.ts";
import type { TenantPart } from "../../../cloudflare/feature.ts";
import { restoreSignIns, tenantPrefix } from "../sign-in.ts";
import { toSignInJson } from "../sign-in-json.ts";
import type { KeptSignIn, SignInPlace } from "../store-methods.ts";
import { signInDeskOf } from "./check-token.ts";

/** Sign-ins of one page, from every object. */
const PAGE = 500;

/** The programs that signed in with a tenant's keys: exported for a caller that may manage keys, and never a token. */
export const SIGN_INS_OF_TENANT: TenantPart = {
  field: "sign_ins",
  describeExport: () => z.array(z.looseObject({ sign_in_id: z.string() })),
  async exportJson({ caller, configured }) {
    const { stores } = signInDeskOf(configured);
    if (stores === null || !mayDo(caller, "manage_keys")) return null;
    const shown: object[] = [];
    for (let after: SignInPlace | null = null; ;) {
      const page: TakenRows<KeptSignIn> = await stores.signIns(tenantPrefix(caller.tenant), after, PAGE);
      shown.push(...page.rows.map(toSignInJson));
      if (!page.hasMore) return JSON.stringify(shown);
      after = page.rows.at(-1)!;
    }
  },
  restore: restoreSignIns,
  erased: "Sign-ins of programs, with their tokens",
  async erase({ caller, configured }) {
    const { stores } = signInDeskOf(configured);
    return stores === null ? 0 : stores.forget(tenantPrefix(caller.tenant));
  },
};
