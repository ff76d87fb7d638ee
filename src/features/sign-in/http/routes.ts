import * as z from "zod/mini";

import { pageFields, parseList, strictSchema } from "../../../feature/schema.ts";
import { askGate, type RequestContext, respondList } from "../../../feature/answer.ts";
import type { Route } from "../../../feature/route.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { mayDo } from "../../../feature/caller.ts";
import type { SignInStores } from "../objects/sign-in-stores.ts";
import { keyPrefix, tenantPrefix } from "../sign-in.ts";
import { toSignInJson } from "../sign-in-json.ts";
import { SIGN_INS, type SignInPlace } from "../store-methods.ts";
import { signInDeskOf } from "./check-token.ts";

/** `GET /v1/sign_ins?limit=&cursor=`: the key's own, or the tenant's for a key that manages keys, newest first. */
const listSignIns: Route = {
  route: "GET /v1/sign_ins",
  async handle(request, context) {
    const stores = openStores(context);
    if (!stores.ok) return stores;
    const query = parseList(new URL(request.url).searchParams, parseCursor, {});
    if (!query.ok) return query;
    const { limit, after } = query.value;
    const found = await askGate(
      () => stores.value.signIns(ownersOf(context), after, limit),
      "The sign-ins could not be read; ask again.",
    );
    if (!found.ok) return found;
    const { rows, hasMore } = found.value;
    return respondList("sign_ins", rows, {
      limit,
      hasMore,
      toJson: (one) => JSON.stringify(toSignInJson(one)),
      toCursor: ({ createdAt, name }) => `${createdAt}_${name}`,
    });
  },
  describe: () => ({
    id: "listSignIns",
    summary: "List the programs that signed in with the key, newest first",
    tag: "Sign-ins",
    query: z.strictObject(pageFields()),
    answer: {
      description: "One page: the key's own sign-ins, or with `manage_keys` the tenant's",
      schema: signInPageSchema(),
    },
    refusals: ["INVALID_QUERY", "MISCONFIGURED"],
  }),
};

/** `DELETE /v1/sign_ins/{id}`: end a sign-in, and with it its tokens. */
const deleteSignIn: Route = {
  route: "DELETE /v1/sign_ins/:id",
  async handle(_, context, id) {
    const stores = openStores(context);
    if (!stores.ok) return stores;
    if (!/^[\w-]{16}$/.test(id)) return err(NO_SIGN_IN);
    const hint = "Whether the sign-in has ended is not certain; send the same request again.";
    const ended = await askGate(() => stores.value.end(ownersOf(context), id), hint);
    if (!ended.ok) return ended;
    if (ended.value === null) return err(NO_SIGN_IN);
    signInDeskOf(context.configured).forget(ended.value);
    return ok(new Response(null, { status: 204 }));
  },
  describe: () => ({
    id: "deleteSignIn",
    summary: "End a sign-in, and with it its tokens",
    tag: "Sign-ins",
    answer: {
      description: "Within 30 seconds none of its tokens is good anywhere",
      schema: null,
      statuses: [204],
    },
    refusals: ["NOT_FOUND", "MISCONFIGURED"],
  }),
};

/** The programs that signed in. */
export const SIGN_IN_ENDPOINTS: readonly Route[] = [listSignIns, deleteSignIn];

/** The owners whose sign-ins a key sees: its own, or all of its tenant. */
function ownersOf({ caller }: RequestContext): string {
  const { tenant, name: key } = caller;
  return mayDo(caller, "manage_keys") ? tenantPrefix(tenant) : keyPrefix({ tenant, key });
}

function openStores({ configured }: RequestContext): Result<SignInStores, Refusal> {
  const { stores } = signInDeskOf(configured);
  return stores === null ? err(NO_STORES) : ok(stores);
}

function parseCursor(text: string): SignInPlace | null {
  const [, createdAt, name] = /^(\d{1,15})_([\w:-]{1,200})$/.exec(text) ?? [];
  return name === undefined ? null : { createdAt: Number(createdAt), name };
}

const NO_SIGN_IN = makeRefusal("NOT_FOUND", "The key has no sign-in of that id, or it has ended.");

const NO_STORES = makeRefusal(
  "MISCONFIGURED",
  `This deployment keeps no sign-ins; its operator has to bind the class SignInStore as ${SIGN_INS}.`,
);

const signInPageSchema = /* @__PURE__ */ strictSchema("SignInPage", () => ({
  sign_ins: z.array(
    z
      .strictObject({
        sign_in_id: z.string(),
        client_name: z.string().check(z.describe("As the program calls itself; anybody can give any name")),
        client_id: z.string(),
        key: z.string().check(z.describe("The name of the key that it is")),
        tools: z
          .array(z.string())
          .check(
            z.describe("What the person chose of the key: `tools`, `tools:read`, or `category:` and a name"),
          ),
        subject: z.optional(z.string()).check(z.describe("The person, where they signed in at the issuer")),
        created_at: z.string(),
      })
      .register(z.globalRegistry, { id: "SignIn" }),
  ),
  next_cursor: z.nullable(z.string()),
}));
