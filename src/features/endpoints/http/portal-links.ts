import * as z from "zod/mini";
import { askGate, readRequest, respondJson } from "../../../feature/answer.ts";
import type { Route } from "../../../feature/route.ts";
import { SUBJECT } from "../../../feature/caller.ts";
import { parseQuery, refuseQuery, strictSchema } from "../../../feature/schema.ts";
import { err, makeRefusal, ok } from "../../../feature/refuse.ts";
import { toTime } from "../endpoint-json.ts";
import { customerField } from "../endpoint-schema.ts";
import { routeOf } from "./scope.ts";
import * as LIMITS from "../limits.ts";

const linkSchema = strictSchema(() => ({
  customer: customerField(),
  expires_in_s: z
    .optional(z.int().check(z.minimum(1), z.maximum(LIMITS.portalLinkS)))
    .check(z.describe(`Seconds until it ends; ${LIMITS.portalLinkUsualS} unless said`)),
  read_only: z.optional(z.boolean()).check(z.describe("It shows everything and changes nothing")),
}));

const madeLinkSchema = strictSchema("PortalLink", () => ({ url: z.string(), expires_at: z.string() }));

/** `POST /v1/portal_links`: a link by which a customer looks after its endpoints. Its token stands in the fragment, which no server is sent. */
const makeLink = routeOf(
  "POST /v1/portal_links",
  async (scope, { request, context }) => {
    const body = await readRequest(request, linkSchema());
    if (!body.ok) return body;
    const {
      customer,
      expires_in_s: seconds = LIMITS.portalLinkUsualS,
      read_only: readOnly = false,
    } = body.value.parsed;
    const { caller, ports } = context;
    const token = makePortalToken(caller.tenant, crypto.getRandomValues(new Uint8Array(32)));
    const expiresAt = ports.clock.now() + seconds * 1_000;
    const hash = await ports.sha256(token);
    const kept = await askGate(
      () => scope.directory.putLink({ hash, customer, expiresAt, readOnly }),
      "Whether the link was made is not certain; make another one.",
    );
    if (!kept.ok) return kept;
    if (!kept.value) return err(TOO_MANY);
    const url = `${new URL(request.url).origin}/portal#token=${token}`;
    return ok(respondJson(JSON.stringify({ url, expires_at: toTime(expiresAt) }), { status: 201 }));
  },
  () => ({
    id: "makePortalLink",
    summary: "Make a link by which a customer looks after its own endpoints",
    body: {
      schema: linkSchema().check(z.meta({ id: "PortalLinkRequest" })),
      example: { customer: "c_42", expires_in_s: 900 },
    },
    answer: { description: "The link, shown this once", schema: madeLinkSchema(), statuses: [201] },
    refusals: ["INVALID_REQUEST"],
  }),
);

/** `DELETE /v1/portal_links?customer=`: end all links of a customer. */
const endLinks = routeOf(
  "DELETE /v1/portal_links",
  async (scope, { query }) => {
    const parsed = parseQuery(query, { customer: "text" });
    if (!parsed.ok) return parsed;
    const { customer = "" } = parsed.value;
    if (!SUBJECT.test(customer))
      return err(refuseQuery("customer", "the customer whose links end", customer));
    const hint = "Whether the links have ended is not certain; send the same request again.";
    const ended = await askGate(() => scope.directory.deleteLinks(customer), hint);
    return ended.ok ? ok(new Response(null, { status: 204 })) : ended;
  },
  () => ({
    id: "endPortalLinks",
    summary: "End all portal links of a customer",
    query: z.strictObject({ customer: customerField() }),
    answer: { description: "None of them is good any more", schema: null, statuses: [204] },
    refusals: ["INVALID_QUERY"],
  }),
);

const TOO_MANY = makeRefusal(
  "INVALID_REQUEST",
  `The tenant has ${LIMITS.portalLinks} links that are good; end some, or let them end sooner.`,
);

export const PORTAL_LINK_ENDPOINTS: readonly Route[] = [makeLink, endLinks];

/** The form of a portal link's token: its tenant, which says where to look for it, and what cannot be guessed. */
const TOKEN = /^vpl_([A-Za-z0-9_.-]{1,64})_([0-9a-f]{64})$/;

/** Make a token. @param random 32 unguessable bytes */
function makePortalToken(tenant: string, random: Uint8Array): string {
  return `vpl_${tenant}_${[...random].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** The tenant of a token; null if a text is not one. */
export function tenantOfToken(token: string): string | null {
  return TOKEN.exec(token)?.[1] ?? null;
}
