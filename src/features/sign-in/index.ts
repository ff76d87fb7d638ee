import { defineFeature } from "../../feature/define.ts";
import { challengeMcp, createSignInRouter, openToPages } from "./http/public-routes.ts";
import { SIGN_IN_ENDPOINTS } from "./http/routes.ts";
import { readIdentity } from "./http/read-identity.ts";
import { signInDeskOf } from "./http/check-token.ts";
import { SIGN_INS_OF_TENANT } from "./http/export-sign-ins.ts";
import { createSignInStore } from "./objects/sign-in-store.ts";

/** MCP clients that know only OAuth sign in: a person lets them in with a key, or a sign-in elsewhere, and says how far. Kept in objects of the class `SignInStore`, bound as `SIGN_INS`. */
export function signIn() {
  return defineFeature({
    name: "sign-in",
    needs: ["discovery", "mcp"],
    variables: { VOLLEY_IDENTITY: { read: readIdentity } },
    routes: [
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
    // Plain Node lacks a module of the platform that the library below these asks for: a program cannot sign in there.
    load: () =>
      Promise.allSettled([
        import("./http/issuer.ts"),
        import("./http/authorize.ts"),
        import("./http/answer-oauth.ts"),
        import("./http/oauth-server.ts"),
      ]),
  });
}
