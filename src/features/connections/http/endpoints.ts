import * as z from "zod/mini";

import { SUBJECT, SUBJECT_IN_WORDS } from "../../../core/contract/gate/caller.ts";
import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { refuseOtherParameters, refuseQuery } from "../../../core/contract/parse-request.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { askGate } from "../../../core/edge/http/ask-gate.ts";
import { awaitChange } from "../../../core/edge/http/await-change.ts";
import { readRequest } from "../../../core/edge/http/read-request-body.ts";
import type { RequestContext } from "../../../core/edge/http/request-context.ts";
import { respondJson } from "../../../core/edge/http/respond.ts";
import type { Endpoint } from "../../../core/edge/openapi/endpoint.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import { visibleText } from "../../../core/kit/visible-text.ts";
import type { ConnectionPlace } from "../connection.ts";
import { type Connector, connectorOf, type Connectors } from "../connectors/connector.ts";
import { shardOfId, shardOfSubject, toLinkPath } from "../link-token.ts";
import { type AskShard, listAll } from "../objects/connection-shards.ts";
import type { ListPlace, SeenConnection } from "../shard-methods.ts";
import { CONNECTION_NAME, DEFAULT_NAME, OTHER_SUBJECT } from "../subject.ts";
import { connectionSchema, toTime, toWireConnection } from "../wire-connection.ts";
import { connectionDeskOf } from "./connection-desk.ts";
import { connectionSetupOf } from "./connection-setup.ts";

const TAG = "Connections";

const subjectField = () =>
  z
    .string()
    .check(z.regex(SUBJECT, SUBJECT_IN_WORDS), z.describe("Whose account it is: a word of the caller's own"));

const wishSchema = lazySchema(() =>
  z.strictObject({
    connector: z.string().check(z.describe("One of VOLLEY_CONNECTORS")),
    subject: subjectField(),
    name: z
      .optional(z.string().check(z.regex(CONNECTION_NAME)))
      .check(z.describe("Which one, where a subject has several of a connector; `default` unless said")),
    scopes: z
      .optional(
        z
          .array(z.string().check(z.minLength(1), z.maxLength(200)))
          .check(z.maxLength(LIMITS.connectionScopes)),
      )
      .check(z.describe("The connector's own unless said, and those that it has already")),
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
  }),
);

const startedSchema = lazySchema(() =>
  z
    .strictObject({
      connection_id: z.string(),
      connect_url: z
        .optional(z.string())
        .check(z.describe("For the person, once; absent where a key was sent")),
      expires_at: z.optional(z.string()),
      state: z.optional(z.literal("active")).check(z.describe("Where a key was sent")),
    })
    .register(z.globalRegistry, { id: "StartedConnection" }),
);

/** `POST /v1/connections`: connect an account of a subject, or connect it anew. */
const startConnection: Endpoint = {
  route: "POST /v1/connections",
  runsNothing: true,
  async handle(request, context) {
    const opened = open(context);
    if (!opened.ok) return opened;
    const body = await readRequest(request, wishSchema());
    if (!body.ok) return body;
    const {
      connector: wanted,
      subject,
      name = DEFAULT_NAME,
      scopes,
      return_to: returnTo,
      secret,
    } = body.value.parsed;
    const other = refuseOtherSubject(context, subject);
    if (other !== null) return err(other);
    const found = findConnector(opened.value, wanted, context.caller.tenant);
    if (!found.ok) return found;
    const place = { subject, connector: found.value.name, name };
    const { ask } = opened.value;
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
      return keepKey(ask, place, secret);
    }
    if (secret !== undefined)
      return err(refuse("/secret", "nothing, because the subject signs in at this connector", "a value"));
    const origins = connectionSetupOf(context.configured).returnOrigins;
    if (returnTo !== undefined && !isReturn(returnTo, origins)) return err(refuseReturn(returnTo));
    const wish = { scopes: scopes ?? [], returnTo: returnTo ?? null };
    const started = await askGate(
      () => ask(shardOfSubject(subject), (shard) => shard.start(place, wish)),
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
  describe: () => ({
    id: "startConnection",
    summary:
      "Connect an account of a subject: make the link that the person opens, or keep the subject's key",
    tag: TAG,
    body: {
      schema: wishSchema().check(z.meta({ id: "ConnectionWish" })),
      example: { connector: "google", subject: "user_42" },
    },
    answer: {
      description: "The link, good once and for ten minutes",
      schema: startedSchema(),
      statuses: [201],
    },
    refusals: ["INVALID_REQUEST", "FORBIDDEN", "MISCONFIGURED", "UNAVAILABLE"],
  }),
};

async function keepKey(
  ask: AskShard,
  place: ConnectionPlace,
  secret: string,
): Promise<Result<Response, Refusal>> {
  const kept = await askGate(
    () => ask(shardOfSubject(place.subject), (shard) => shard.keepKey(place, secret)),
    "Whether the key was kept is not certain; send it again.",
  );
  if (!kept.ok) return kept;
  if (kept.value.kind === "too-many") return err(tooMany(kept.value.of));
  const answer = { connection_id: kept.value.connection.id, state: "active" };
  return ok(respondJson(JSON.stringify(answer), { status: 201 }));
}

const pageSchema = lazySchema(() =>
  z
    .strictObject({ connections: z.array(connectionSchema()), next_cursor: z.nullable(z.string()) })
    .register(z.globalRegistry, { id: "ConnectionPage" }),
);

/** `GET /v1/connections?subject=&connector=`: the newest first. */
const listConnections: Endpoint = {
  route: "GET /v1/connections",
  runsNothing: true,
  async handle(request, context) {
    const opened = open(context);
    if (!opened.ok) return opened;
    const query = parseQuery(new URL(request.url).searchParams, context);
    if (!query.ok) return query;
    const { ask } = opened.value;
    const { subject, limit } = query.value;
    const asked = { ...query.value, limit: limit + 1 };
    const found = await askGate(
      () =>
        subject === null ? listAll(ask, asked) : ask(shardOfSubject(subject), (shard) => shard.list(asked)),
      UNREADABLE,
    );
    if (!found.ok) return found;
    const shown = found.value.slice(0, limit);
    const last = shown.at(-1);
    const next = found.value.length > limit && last !== undefined ? toCursor(last) : null;
    const page = { connections: shown.map(toWireConnection), next_cursor: next };
    return ok(respondJson(JSON.stringify(page)));
  },
  describe: () => ({
    id: "listConnections",
    summary: "List connections, the newest first",
    tag: TAG,
    query: z.strictObject({
      subject: z.optional(subjectField()),
      connector: z.optional(z.string()),
      limit: z.optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxJobPage))),
      cursor: z.optional(z.string()).check(z.describe("The next_cursor of an earlier page")),
    }),
    answer: { description: "A page of connections, without tokens", schema: pageSchema() },
    refusals: ["INVALID_QUERY", "FORBIDDEN", "MISCONFIGURED", "UNAVAILABLE"],
  }),
};

/** `GET /v1/connections/{id}`: one connection; with `wait_s` when its state has changed. */
const showConnection: Endpoint = {
  route: "GET /v1/connections/:id",
  runsNothing: true,
  async handle(request, context, id) {
    const opened = open(context);
    if (!opened.ok) return opened;
    const found = await awaitChange(() => find(opened.value.ask, id, context), {
      request,
      context,
      liveStatus: (connection) => connection.state,
    });
    return found.ok ? ok(respondJson(JSON.stringify(toWireConnection(found.value)))) : found;
  },
  describe: () => ({
    id: "getConnection",
    summary: "Show a connection",
    tag: TAG,
    query: z.strictObject({
      wait_s: z
        .optional(z.int().check(z.minimum(0), z.maximum(LIMITS.maxWaitS)))
        .check(z.describe("Answer when its state changes, after so many seconds at most")),
    }),
    answer: { description: "The connection, without tokens", schema: connectionSchema() },
    refusals: ["NOT_FOUND", "INVALID_QUERY", "MISCONFIGURED", "UNAVAILABLE"],
  }),
};

/** `DELETE /v1/connections/{id}`: forget its tokens, and take them back at the provider where it can be. */
const deleteConnection: Endpoint = {
  route: "DELETE /v1/connections/:id",
  runsNothing: true,
  async handle(_, context, id) {
    const opened = open(context);
    if (!opened.ok) return opened;
    const found = await find(opened.value.ask, id, context);
    if (!found.ok) return found;
    const removed = await askGate(
      () => opened.value.ask(shardOfId(id)!, (shard) => shard.remove(id)),
      "Whether the connection is gone is not certain; send the same request again.",
    );
    if (!removed.ok) return removed;
    return removed.value ? ok(new Response(null, { status: 204 })) : err(NO_CONNECTION);
  },
  describe: () => ({
    id: "deleteConnection",
    summary: "End a connection: its tokens are forgotten, and taken back at the provider where it can be",
    tag: TAG,
    answer: { description: "It is gone", schema: null, statuses: [204] },
    refusals: ["NOT_FOUND", "MISCONFIGURED", "UNAVAILABLE"],
  }),
};

const confirmSchema = lazySchema(() =>
  z.strictObject({
    code: z.string().check(z.describe("The code that the browser came back with, for one use")),
    subject: subjectField().check(z.describe("Who was in that browser, by the caller's own session")),
  }),
);

/** `POST /v1/connections/{id}/confirm`: say who came back. */
const confirmConnection: Endpoint = {
  route: "POST /v1/connections/:id/confirm",
  runsNothing: true,
  async handle(request, context, id) {
    const opened = open(context);
    if (!opened.ok) return opened;
    const body = await readRequest(request, confirmSchema());
    if (!body.ok) return body;
    const { code, subject } = body.value.parsed;
    const other = refuseOtherSubject(context, subject);
    if (other !== null) return err(other);
    const found = await find(opened.value.ask, id, context);
    if (!found.ok) return found;
    const said = await askGate(
      () => opened.value.ask(shardOfId(id)!, (shard) => shard.confirm(id, { code, subject })),
      "Whether the connection was confirmed is not certain; look at it.",
    );
    if (!said.ok) return said;
    switch (said.value.kind) {
      case "active":
        return ok(respondJson(JSON.stringify(toWireConnection(said.value.connection))));
      case "other-subject":
        return err(OTHER_CAME);
      case "no-code":
        return err(NO_CODE);
      case "unknown":
        return err(NO_CONNECTION);
    }
  },
  describe: () => ({
    id: "confirmConnection",
    summary:
      "Say who came back from the provider: the right subject makes the connection active, another one ends it",
    tag: TAG,
    body: {
      schema: confirmSchema().check(z.meta({ id: "ConnectionConfirmation" })),
      example: { code: "q83vEjRWeJA8jL0qEyXq0pYw6XoHn0yYV6JmHyYh1sE", subject: "user_42" },
    },
    answer: { description: "The connection, which is active", schema: connectionSchema() },
    refusals: [
      "NOT_FOUND",
      "INVALID_REQUEST",
      "FORBIDDEN",
      "CONFIRMATION_INVALID",
      "MISCONFIGURED",
      "UNAVAILABLE",
    ],
  }),
};

export const CONNECTION_ENDPOINTS: readonly Endpoint[] = [
  startConnection,
  listConnections,
  showConnection,
  deleteConnection,
  confirmConnection,
];

interface Opened {
  readonly ask: AskShard;
  readonly connectors: Connectors;
}

function open({ configured, caller }: RequestContext): Result<Opened, Refusal> {
  const { connectors } = connectionSetupOf(configured);
  if (connectors.size === 0) return err(NO_CONNECTORS);
  const ask = connectionDeskOf(configured).open(caller);
  return ask.ok ? ok({ ask: ask.value, connectors }) : ask;
}

function findConnector({ connectors }: Opened, name: string, tenant: string): Result<Connector, Refusal> {
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

async function find(
  ask: AskShard,
  id: string,
  context: RequestContext,
): Promise<Result<SeenConnection, Refusal>> {
  const shard = shardOfId(id);
  if (shard === null) return err(NO_CONNECTION);
  const found = await askGate(() => ask(shard, (stub) => stub.get(id)), UNREADABLE);
  if (!found.ok) return found;
  const isOwn = context.caller.subject === undefined || found.value?.subject === context.caller.subject;
  return found.value === null || !isOwn ? err(NO_CONNECTION) : ok(found.value);
}

/** A key that acts for one subject names no other. */
function refuseOtherSubject({ caller }: RequestContext, subject: string): Refusal | null {
  return caller.subject === undefined || caller.subject === subject ? null : OTHER_SUBJECT;
}

function isReturn(text: string, origins: ReadonlySet<string>): boolean {
  const url = URL.parse(text);
  return url !== null && url.username === "" && url.password === "" && origins.has(url.origin);
}

function refuseReturn(text: string): Refusal {
  const origin = URL.parse(text)?.origin ?? text;
  return refuse("/return_to", "an address of an origin in VOLLEY_RETURN_ORIGINS", `'${visibleText(origin)}'`);
}

function refuse(path: string, expected: string, received: string): Refusal {
  const issue = { path, expected, received };
  return makeRefusal("INVALID_REQUEST", `${path}: expected ${expected}, received ${received}.`, { issue });
}

interface Query {
  readonly subject: string | null;
  readonly connector: string | null;
  readonly limit: number;
  readonly after: ListPlace | null;
}

function parseQuery(query: URLSearchParams, { caller }: RequestContext): Result<Query, Refusal> {
  const other = refuseOtherParameters(query, ["subject", "connector", "limit", "cursor"]);
  if (other !== null) return err(other);
  const subject = query.get("subject") ?? caller.subject ?? null;
  if (subject !== null && !SUBJECT.test(subject))
    return err(refuseQuery("subject", SUBJECT_IN_WORDS, subject));
  if (caller.subject !== undefined && subject !== caller.subject) return err(OTHER_SUBJECT);
  const text = query.get("limit") ?? String(LIMITS.jobPage);
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LIMITS.maxJobPage)
    return err(refuseQuery("limit", `a whole number from 1 to ${LIMITS.maxJobPage}`, text));
  const cursor = query.get("cursor");
  const [, createdAt, id] = /^(\d{1,15})_(cn_[0-9a-f]{25})$/.exec(cursor ?? "") ?? [];
  if (cursor !== null && id === undefined)
    return err(refuseQuery("cursor", "the next_cursor of an earlier page", cursor));
  const after = id === undefined ? null : { createdAt: Number(createdAt), id };
  return ok({ subject, connector: query.get("connector"), limit, after });
}

function toCursor({ createdAt, id }: ListPlace): string {
  return `${createdAt}_${id}`;
}

function tooMany(of: "subject" | "tenant"): Refusal {
  return makeRefusal(
    "INVALID_REQUEST",
    of === "subject"
      ? `The subject has ${LIMITS.connectionsOfSubject} connections, as many as it may; end some first.`
      : "The tenant has as many connections as it may where this one would be kept; end some first.",
  );
}

const NO_CONNECTORS = makeRefusal(
  "MISCONFIGURED",
  "This deployment has no connectors; its operator sets VOLLEY_CONNECTORS and VOLLEY_VAULT_KEY.",
);
const NO_CONNECTION = makeRefusal("NOT_FOUND", "There is no connection of that id.");
const OTHER_CAME = makeRefusal(
  "FORBIDDEN",
  "Another subject came than the one that the link was made for, so what came with it is forgotten; make a new link.",
);
const NO_CODE = makeRefusal(
  "CONFIRMATION_INVALID",
  "The code is not the one of this connection, was used, or is over; make a new link.",
);
const UNREADABLE = "The tenant's connections could not be read; ask again.";
