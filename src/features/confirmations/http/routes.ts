import * as z from "zod/mini";
import { toBase64Url } from "../../../feature/kit.ts";
import {
  askGate,
  readRequest,
  type RequestContext,
  respondCounted,
  respondDocument,
  respondJson,
  respondList,
} from "../../../feature/answer.ts";
import { awaitChange } from "../../../cloudflare/http/await-change.ts";
import { hashOfSentKey } from "../../../cloudflare/http/key-ring.ts";
import { readIdempotencyKey } from "../../../cloudflare/http/read-request-body.ts";
import { answerCounted, answerUnrun } from "../../../cloudflare/http/respond-list.ts";
import type { Route } from "../../../feature/route.ts";
import { envelopeSchema } from "../../../core/answer/result-schema.ts";
import { toCursor } from "../../../core/contract/gate/job-query.ts";
import { escapeUnseen, isJsonObject, type JsonObject, pageFields } from "../../../feature/schema.ts";
import { toConfirmationUrl } from "../../../core/contract/outcome.ts";
import { pageSchema, waitField } from "../../../core/contract/list-query.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { toJsonEscape } from "../../../core/kit/visible-text.ts";
import type { SayReach } from "../../../feature/gives.ts";
import { digestOf, linkSchema, toLinkUrl } from "../approval-link.ts";
import { callConfirmations, refuseClaim } from "../confirmation.ts";
import { decisionSchema, waitingSchema } from "../decision.ts";
import { LISTED_STATUSES, parseConfirmationQuery } from "./confirmation-query.ts";
import { type Asked, prepareDecision, runApproved, sayNo } from "./decide.ts";
import { findConfirmation, knownTo, shownGroup } from "./find-confirmation.ts";
import { findReach } from "./find-reach.ts";
import {
  confirmationSchema,
  listedConfirmationSchema,
  toWireConfirmation,
  toWireListed,
} from "../wire-confirmation.ts";

/**
 * `GET /v1/confirmations?status=&limit=&cursor=`: the tenant's confirmations, newest first, without their arguments and
 * results. One that holds a tool which the key may not call is not listed, as it does not exist for it.
 */
export const listConfirmations: Route = {
  route: "GET /v1/confirmations",
  async handle(request, { gate, caller, catalog }) {
    const { origin, searchParams } = new URL(request.url);
    const query = parseConfirmationQuery(searchParams);
    if (!query.ok) return query;
    const { limit } = query.value;
    const tools = caller.tools.includes("*") ? undefined : [...catalog.names];
    const asked = { ...query.value, tools, subject: caller.subject };
    const found = await askGate(
      () => callConfirmations(gate, "confirmations", asked),
      "The tenant's confirmations could not be read; ask again.",
    );
    if (!found.ok) return found;
    const knows = knownTo(caller, catalog);
    const { rows, hasMore } = found.value;
    return respondList("confirmations", rows, {
      limit,
      hasMore,
      toJson: (one) => JSON.stringify(toWireListed(one, { url: toConfirmationUrl(one.id, origin), knows })),
      toCursor,
    });
  },
  describe: () => ({
    id: "listConfirmations",
    summary: "List what waits, or waited, for a person's yes, newest first",
    tag: "Confirmations",
    query: z.strictObject({
      status: z
        .optional(z.enum(LISTED_STATUSES))
        .check(z.describe("`waiting` is another word for `pending`")),
      ...pageFields(),
    }),
    answer: {
      description: "One page of confirmations: what each asks in lines, and no results",
      schema: pageSchema("confirmations", listedConfirmationSchema(), "ConfirmationPage"),
    },
  }),
};

/** Make `GET /v1/confirmations/{id}`: what a yes would run, and how far that reaches. */
export function makeShowConfirmation(sayReach: readonly SayReach[]): Route {
  return {
    route: "GET /v1/confirmations/:id",
    async handle(request, context, id) {
      const { url } = request;
      const found = await awaitChange(() => findConfirmation(id, context), {
        request,
        context,
        liveStatus: ({ record: { status } }) =>
          status === "pending" || status === "running" ? status : null,
      });
      if (!found.ok) return found;
      const { record, group, catalog } = found.value;
      const runs = shownGroup(found.value);
      const shown = toWireConfirmation(record, group, {
        runs,
        url: toConfirmationUrl(record.id, new URL(url).origin),
        knows: knownTo(context.caller, catalog),
        reach: await findReach(runs, context, sayReach),
      });
      // The same values for a program; a person who reads the text sees what would hide or turn the rest around.
      const json = escapeUnseen(JSON.stringify(shown), { escape: toJsonEscape });
      return respondCounted(json, context);
    },
    describe: () => ({
      id: "getConfirmation",
      summary: "Show what a person's yes would run",
      tag: "Confirmations",
      query: z.strictObject({ wait_s: waitField() }),
      answer: { description: "The parked actions with their arguments", schema: confirmationSchema() },
      refusals: ["NOT_FOUND"],
    }),
  };
}

/**
 * `POST /v1/confirmations/{id}`: a person's yes runs exactly what was parked, a no runs nothing; either is final and
 * answers an envelope of the parked actions. The same decision under the same `Idempotency-Key` has the same answer again.
 *
 * The key has the flag `approve`. It may differ from the one that asked: the same tenant's, and allowed every tool
 * involved.
 */
export const decideConfirmation: Route = {
  route: "POST /v1/confirmations/:id",
  runs: true,
  async handle(request, context, id) {
    const key = readIdempotencyKey(request);
    if (!key.ok) return key;
    const body = await readRequest(request, decisionSchema());
    if (!body.ok) return body;
    const { value, parsed } = body.value;
    const { decision, args_hash: shownHash, reason, remember_s: seconds, any_args: isAny } = parsed;
    if (isAny !== undefined && seconds === undefined) return err(ANY_ALONE);
    const giver = { key: context.caller.name, hash: await context.ports.outside(hashOfSentKey(request)) };
    const asked: Asked = {
      decision,
      shownHash,
      key: key.value,
      by: { name: context.caller.name, via: "key" },
      hash: giver.hash,
      ...(reason !== undefined && { reason }),
      ...(parsed.args !== undefined && { args: sentArgs(value) }),
      ...(seconds !== undefined && { wish: { seconds, isAny: isAny === true, giver } }),
    };
    const prepare = async () => {
      const found = await findConfirmation(id, context);
      return found.ok ? prepareDecision(found.value, asked, context) : found;
    };
    if (decision === "approve") {
      const prepared = await prepare();
      if (!prepared.ok) return answerUnrun(context, prepared);
      const open = prepared.value;
      if (open.kind === "repeated") return answerUnrun(context, await replay(open.answerJson, context));
      return respondDocument((listener) => runApproved(open, { ...context, ...listener }), request, context);
    }
    const reject = async (): Promise<Result<Response, Refusal>> => {
      const prepared = await prepare();
      if (!prepared.ok) return prepared;
      const open = prepared.value;
      if (open.kind === "repeated") return replay(open.answerJson, context);
      const said = await sayNo(open, context);
      return said.ok ? ok(respondJson(said.value)) : said;
    };
    return ok(await answerCounted(context, reject));
  },
  describe: () => ({
    id: "decideConfirmation",
    summary: "Say a person's yes, which runs what was parked, or no",
    tag: "Confirmations",
    body: { schema: decisionSchema().check(z.meta({ id: "Decision" })), example: { decision: "approve" } },
    answer: {
      description: "One result for every parked action; or how many have said yes, while more are wanted",
      schema: z.union([envelopeSchema(), waitingSchema()]),
    },
    refusals: ["NOT_FOUND", "CONFIRMATION_INVALID", "INVALID_REQUEST"],
    counted: "always",
    keyed: true,
  }),
};

/** The arguments as they were sent, not Zod's copy: a copy may already have dropped keys that must be refused. */
function sentArgs(value: unknown): Readonly<Record<string, JsonObject>> {
  const sent = isJsonObject(value) ? value["args"] : undefined;
  return sent as Readonly<Record<string, JsonObject>>;
}

function replay(answerJson: string, context: RequestContext): Promise<Result<Response, Refusal>> {
  return respondCounted(answerJson, context, { "idempotency-replayed": "true" });
}

/** `POST /v1/confirmations/{id}/link`: the link of a person without a key, for one decision under one name. */
export const linkConfirmation: Route = {
  route: "POST /v1/confirmations/:id/link",
  async handle(request, context, id) {
    const body = await readRequest(request, linkSchema());
    if (!body.ok) return body;
    const found = await findConfirmation(id, context);
    if (!found.ok) return found;
    const { ports, gate, caller } = context;
    const { name, edit = false, expires_in_s: seconds } = body.value.parsed;
    const token = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
    const expiresAt = seconds === undefined ? Infinity : ports.clock.now() + 1_000 * seconds;
    const maker = { key: caller.name, hash: await ports.outside(hashOfSentKey(request)) };
    const link = { digest: digestOf(token), confirmationId: id, name, edit, expiresAt, maker };
    const added = await askGate(
      () => callConfirmations(gate, "addLink", link),
      "The link could not be kept; ask for it again.",
    );
    if (!added.ok) return added;
    if (added.value === "too-many") return err(TOO_MANY);
    if (typeof added.value === "string") return err(refuseClaim(added.value));
    const url = toLinkUrl({ tenant: caller.tenant, token }, new URL(request.url).origin);
    const answer = { url, expires_at: new Date(added.value).toISOString() };
    return ok(respondJson(JSON.stringify(answer)));
  },
  describe: () => ({
    id: "linkConfirmation",
    summary: "Make a link by which a person without a key decides, once and under a name",
    tag: "Confirmations",
    body: { schema: linkSchema().check(z.meta({ id: "NewLink" })), example: { name: "Ada" } },
    answer: {
      description: "The link, which is shown once",
      schema: z
        .strictObject({ url: z.string(), expires_at: z.string() })
        .register(z.globalRegistry, { id: "ApprovalLink" }),
    },
    refusals: ["NOT_FOUND", "CONFIRMATION_INVALID", "INVALID_REQUEST"],
  }),
};

/** `DELETE /v1/confirmations/{id}/links`: end all links of a question; who has one finds that there is none. */
export const dropLinks: Route = {
  route: "DELETE /v1/confirmations/:id/links",
  async handle(_, context, id) {
    const found = await findConfirmation(id, context);
    if (!found.ok) return found;
    const dropped = await askGate(
      () => callConfirmations(context.gate, "dropLinks", id),
      "Whether the links have ended is not certain; send the same request again.",
    );
    return dropped.ok ? ok(new Response(null, { status: 204 })) : dropped;
  },
  describe: () => ({
    id: "dropConfirmationLinks",
    summary: "End all links of a question, that of its event among them",
    tag: "Confirmations",
    answer: { description: "None of them decides any more", schema: null, statuses: [204] },
    refusals: ["NOT_FOUND"],
  }),
};

const ANY_ALONE = makeRefusal(
  "INVALID_REQUEST",
  "'any_args' goes with 'remember_s', which says for how long; send both, or neither.",
);

const TOO_MANY = makeRefusal(
  "CONFIRMATION_INVALID",
  "The question has as many links as it may have; use one of those, or decide it with a key.",
);
