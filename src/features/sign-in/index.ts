import * as z from "zod/mini";
import { sliceRows } from "../../feature/kit.ts";
import { defineFeature, type TenantPart } from "../../feature/define.ts";
import { mayDo } from "../../feature/caller.ts";
import { signInDeskOf } from "./http/check-token.ts";
import { challengeMcp, createSignInRouter, openToPages } from "./http/public-routes.ts";
import { readIdentity } from "./http/read-identity.ts";
import { SIGN_IN_ENDPOINTS } from "./http/routes.ts";
import { createSignInStore } from "./objects/sign-in-store.ts";
import { toSignInJson } from "./sign-in-json.ts";
import { restoreSignIns, tenantPrefix } from "./sign-in.ts";
import type { SignInPlace } from "./store-methods.ts";

/** MCP clients that know only OAuth sign in: a person lets them in with a key, or a sign-in elsewhere, and says how far. Kept in objects of the class `SignInStore`, bound as `SIGN_INS`. */
export function signIn() {
  return defineFeature({
    name: "sign-in",
    needs: ["discovery", "mcp"],
    variables: { VOLLEY_IDENTITY: { read: readIdentity } },
    routes: () => [
      { for: "any key", paths: SIGN_IN_ENDPOINTS },
      { for: "anyone", router: createSignInRouter() },
    ],
    around: (next) => openToPages(challengeMcp(next)),
    openCallers: (configured, sources) => signInDeskOf(configured).finding(sources),
    gives: { people: (configured) => signInDeskOf(configured).people },
    tenantPart: SIGN_INS_OF_TENANT,
    objects: {
      SignInStore: {
        binding: "SIGN_INS",
        create: ({ clock }) => createSignInStore(undefined, clock),
      },
    },
  });
}

/** Sign-ins of one page, from every object. */
const PAGE = 500;

/** The programs that signed in with a tenant's keys: exported for a caller that may manage keys, and never a token. */
const SIGN_INS_OF_TENANT: TenantPart = {
  field: "sign_ins",
  describeExport: () => z.array(z.looseObject({ sign_in_id: z.string() })),
  async exportJson({ caller, configured }, from) {
    const { stores } = signInDeskOf(configured);
    if (stores === null || !mayDo(caller, "manage_keys")) return null;
    const prefix = tenantPrefix(caller.tenant);
    return sliceRows((after: SignInPlace | null) => stores.signIns(prefix, after, PAGE), from, {
      toText: (one) => JSON.stringify(toSignInJson(one)),
      toPlace: ({ createdAt, name }) => ({ createdAt, name }),
    });
  },
  restore: restoreSignIns,
  erased: "Sign-ins of programs, with their tokens",
  async erase({ caller, configured }) {
    const { stores } = signInDeskOf(configured);
    return stores === null ? 0 : stores.forget(tenantPrefix(caller.tenant));
  },
};
