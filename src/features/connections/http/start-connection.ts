import * as z from "zod/mini";

import { CONNECTION_NAME, DEFAULT_NAME, refuseReturn } from "../subject.ts";
import { strictSchema, visibleText } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { askGate, readRequest, respondJson } from "../../../feature/answer.ts";
import type { ConnectionPlace } from "../connection.ts";
import { type Connector, connectorOf } from "../connectors/connector.ts";
import { keysOf } from "../credentials.ts";
import { shardOfSubject } from "../../../core/contract/gate/caller.ts";
import { toLinkPath } from "../link-token.ts";
import type { Shards } from "../objects/connection-shards.ts";
import { toTime } from "../wire-connection.ts";
import { connectionSetupOf } from "./connection-setup.ts";
import { type OpenedConnections, routeOf, refuseOtherSubject, subjectOf } from "./open-connections.ts";

const wishSchema = strictSchema(() => ({
  connector: z.string().check(z.describe("One of VOLLEY_CONNECTORS")),
  subject: subjectOf(),
  name: z
    .optional(z.string().check(z.regex(CONNECTION_NAME)))
    .check(z.describe("Which one, where a subject has several of a connector; `default` unless said")),
  scopes: z
    .optional(
      z.array(z.string().check(z.minLength(1), z.maxLength(200))).check(z.maxLength(LIMITS.connectionScopes)),
    )
    .check(z.describe("The connector's own unless said, and those that it has already")),
  site: z
    .optional(z.string().check(z.minLength(1), z.maxLength(253)))
    .check(
      z.describe(
        "The part of the provider's addresses that is the account's own: the Shopify shop, Zendesk subdomain, Salesforce domain, Intercom region",
      ),
    ),
  return_to: z
    .optional(z.string().check(z.maxLength(LIMITS.connectionTextCharacters)))
    .check(
      z.describe(
        "Where the person goes back to, with `connection_id` and `code`: of an origin in VOLLEY_RETURN_ORIGINS",
      ),
    ),
  secret: z
    .optional(z.string().check(z.minLength(1), z.maxLength(LIMITS.connectionTextCharacters)))
    .check(z.describe("The subject's key, for a connector of the kind `key`; it is never shown")),
}));

const startedSchema = strictSchema("StartedConnection", () => ({
  connection_id: z.string(),
  connect_url: z.optional(z.string()).check(z.describe("For the person, once; absent where a key was sent")),
  expires_at: z.optional(z.string()),
  state: z.optional(z.literal("active")).check(z.describe("Where a key was sent")),
}));

/** `POST /v1/connections`: connect an account of a subject, or connect it anew. */
export const startConnection = routeOf(
  "POST /v1/connections",
  async (opened, { request, context }) => {
    const body = await readRequest(request, wishSchema());
    if (!body.ok) return body;
    const {
      connector: wanted,
      subject,
      name = DEFAULT_NAME,
      scopes,
      return_to: returnTo,
      secret,
      site,
    } = body.value.parsed;
    const other = refuseOtherSubject(context, subject);
    if (other !== null) return err(other);
    const found = findConnector(opened, wanted, context.caller.tenant);
    if (!found.ok) return found;
    const place = { subject, connector: found.value.name, name };
    const { shards } = opened;
    const isKept = checkSite(found.value, site);
    if (isKept !== null) return err(isKept);
    if (found.value.kind === "key") {
      if (secret === undefined)
        return err(refuse("/secret", "the subject's key, because it is a connector of keys", "nothing"));
      if (scopes !== undefined || returnTo !== undefined)
        return err(
          refuse(
            scopes === undefined ? "/return_to" : "/scopes",
            "nothing, because a key is sent and no link is made",
            "a value",
          ),
        );
      const { pattern, inWords } = keysOf(found.value.as);
      // The key itself is in no answer.
      if (!pattern.test(secret)) return err(refuse("/secret", inWords, "another text"));
      return keepKey(shards, place, secret);
    }
    if (secret !== undefined)
      return err(refuse("/secret", "nothing, because the subject signs in at this connector", "a value"));
    const { returnOrigins } = connectionSetupOf(context.configured);
    const elsewhere = refuseReturn(returnTo, returnOrigins, { code: "INVALID_REQUEST", path: "" });
    if (elsewhere !== null) return err(elsewhere);
    const wish = { scopes: scopes ?? [], returnTo: returnTo ?? null, site };
    const started = await askGate(
      () => shards(shardOfSubject(subject)).start(place, wish),
      "Whether the link was made is not certain; ask for another one.",
    );
    if (!started.ok) return started;
    if (started.value.kind === "too-many") return err(tooMany(started.value.of));
    const { id, secret: text, expiresAt } = started.value.link;
    const path = toLinkPath({ tenant: context.caller.tenant, id, secret: text });
    const answer = {
      connection_id: id,
      connect_url: `${new URL(request.url).origin}${path}`,
      expires_at: toTime(expiresAt),
    };
    return ok(respondJson(JSON.stringify(answer), { status: 201 }));
  },
  () => ({
    id: "startConnection",
    summary:
      "Connect an account of a subject: make the link that the person opens, or keep the subject's key",
    body: {
      schema: wishSchema().check(z.meta({ id: "ConnectionWish" })),
      example: { connector: "google", subject: "user_42" },
    },
    answer: {
      description: "The link, good once and for ten minutes",
      schema: startedSchema(),
      statuses: [201],
    },
    refusals: ["INVALID_REQUEST", "FORBIDDEN"],
  }),
);

async function keepKey(
  shards: Shards,
  place: ConnectionPlace,
  secret: string,
): Promise<Result<Response, Refusal>> {
  const kept = await askGate(
    () => shards(shardOfSubject(place.subject)).keepKey(place, secret),
    "Whether the key was kept is not certain; send it again.",
  );
  if (!kept.ok) return kept;
  if (kept.value.kind === "too-many") return err(tooMany(kept.value.of));
  const answer = { connection_id: kept.value.connection.id, state: "active" };
  return ok(respondJson(JSON.stringify(answer), { status: 201 }));
}

function findConnector(
  { connectors }: OpenedConnections,
  name: string,
  tenant: string,
): Result<Connector, Refusal> {
  const connector = connectorOf(connectors, name, tenant);
  if (connector !== undefined) return ok(connector);
  const known = [...connectors.keys()].filter((one) => connectorOf(connectors, one, tenant) !== undefined);
  return err(
    refuse(
      "/connector",
      known.length === 0 ? "a connector, and there is none for this tenant" : `one of ${known.join(", ")}`,
      `'${visibleText(name)}'`,
    ),
  );
}

/** Refuse a site that the connector does not take, or the lack of one that it needs; null where neither is. */
function checkSite(connector: Connector, site: string | undefined): Refusal | null {
  const form = connector.kind === "key" ? null : connector.site;
  if (form === null)
    return site === undefined
      ? null
      : refuse(
          "/site",
          "nothing, because the addresses of this connector are the same for all accounts",
          `'${visibleText(site)}'`,
        );
  if (site === undefined) return form.fallback === null ? refuse("/site", form.inWords, "nothing") : null;
  return form.pattern.test(site) ? null : refuse("/site", form.inWords, `'${visibleText(site)}'`);
}

function refuse(path: string, expected: string, received: string): Refusal {
  const issue = { path, expected, received };
  return makeRefusal("INVALID_REQUEST", `${path}: expected ${expected}, received ${received}.`, { issue });
}

function tooMany(of: "subject" | "tenant"): Refusal {
  return makeRefusal(
    "INVALID_REQUEST",
    of === "subject"
      ? `The subject has ${LIMITS.connectionsOfSubject} connections, as many as it may; end some first.`
      : "The tenant has as many connections as it may where this one would be kept; end some first.",
  );
}
