import * as z from "zod/mini";

import * as LIMITS from "../limits.ts";
import { pageFields, parseList, visibleText, type Written } from "../../../feature/schema.ts";
import {
  askGate,
  digestKey,
  readRequest,
  type RequestContext,
  respondJson,
  respondList,
  toHash,
} from "../../../feature/answer.ts";
import type { Route } from "../../../feature/route.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { Declared } from "../../../feature/define.ts";
import { KEY_NAME, toQuota } from "../../../feature/caller.ts";
import {
  type KeptKey,
  KEY_SHARDS,
  type KeyAnswer,
  type KeyDigest,
  type KeyPlace,
  type KeyRefusal,
  keySchema,
  makeKey,
  toKeyJson,
  toText,
} from "../stored-key.ts";
import { type KeyMaker, keyRequestSchema, makeKeptKey, makeRotation } from "../key-request.ts";
import type { MadeKeys } from "./check-key.ts";
import { madeKeysOf } from "./key-client.ts";

const UNCERTAIN = "Whether the key was kept is not certain; look at the list before you ask again.";

/** `POST /v1/keys`: make a key of the caller's tenant, or another of a name that has one. */
const postKey: Route = {
  route: "POST /v1/keys",
  async handle(request, context) {
    // Before anything is awaited: its time is that of the request.
    const maker = toMaker(context);
    const made = openKeys(context);
    if (!made.ok) return made;
    const body = await readRequest(request, keyRequestSchema(context.configured.declared));
    if (!body.ok) return body;
    const asked = body.value.parsed;
    const { configured, caller, ports } = context;
    const { name } = asked;
    if (configured.keys.callers.some((one) => one.tenant === caller.tenant && one.name === name))
      return err(
        makeRefusal(
          "NAME_TAKEN",
          `VOLLEY_KEYS has a key named '${name}' of this tenant; choose another name.`,
        ),
      );

    const key = asked.hash === undefined ? makeKey(crypto.getRandomValues(new Uint8Array(32))) : null;
    const hash = asked.hash ?? toHash(await ports.outside(digestKey(key!)));
    if (configured.keys.ofHash(hash) !== null) return err(refuseKept("hash-taken", name));
    const { overlap_s } = asked;
    const { shards } = made.value;
    let ask: () => Promise<KeyAnswer>;
    let former: readonly KeyDigest[] = [];
    if (overlap_s === undefined) {
      const kept = makeKeptKey(asked, hash, maker);
      if (!kept.ok) return kept;
      ask = () => shards.make(kept.value);
    } else {
      const known = await askGate(() => shards.read({ tenant: caller.tenant, name }), UNREADABLE);
      if (!known.ok) return known;
      if (known.value === null) return err(refuseKept("unknown", name));
      const rotation = makeRotation({ ...asked, overlap_s }, known.value, hash, maker);
      if (!rotation.ok) return rotation;
      ask = () => shards.rotate(rotation.value);
      former = known.value.digests;
    }
    const kept = await askGate(ask, UNCERTAIN);
    if (!kept.ok) return kept;
    if (!kept.value.ok) return err(refuseKept(kept.value.error, name));
    // The remembered digests of the same name are out of date.
    made.value.forget([...former, ...kept.value.value.digests].map((digest) => digest.hash));
    const answer: Written<typeof madeKeySchema> = {
      ...(key !== null && { key }),
      ...toKeyJson(kept.value.value, ports.clock.now()),
    };
    return ok(respondJson(JSON.stringify(answer), { status: 201 }));
  },
  describe: (declared) => ({
    id: "postKey",
    summary: "Make a key, or with `overlap_s` another one of a name that has one",
    tag: "Keys",
    body: { schema: keyRequestSchema(declared).check(z.meta({ id: "KeyRequest" })), example: EXAMPLE },
    answer: {
      description: "The key's record, and the key itself, which is shown this once",
      schema: madeKeySchema(declared),
      statuses: [201],
    },
    refusals: ["FORBIDDEN", "INVALID_REQUEST", "NAME_TAKEN", "NOT_FOUND", "MISCONFIGURED"],
  }),
};

/**
 * `GET /v1/keys?limit=&cursor=`: the keys of the caller's tenant, newest first, those of `VOLLEY_KEYS` beside them, each with when it was
 * last used: the gate notes that, once an hour at most.
 */
const listKeys: Route = {
  route: "GET /v1/keys",
  async handle(request, context) {
    const made = openKeys(context);
    if (!made.ok) return made;
    const query = parseList(new URL(request.url).searchParams, parseCursor, {});
    if (!query.ok) return query;
    const { limit, after } = query.value;
    const { caller, configured, gate, ports } = context;
    const callers = configured.keys.callers.filter(({ tenant }) => tenant === caller.tenant);
    const found = await askGate(async () => {
      const listed = await made.value.shards.list(caller.tenant, after, limit);
      const quotas = [...callers, ...listed.rows].map((key) => toQuota(key));
      return { ...listed, used: (await gate.usage({ quotas })).quotas };
    }, UNREADABLE);
    if (!found.ok) return found;
    const nowMs = ports.clock.now();
    const { rows, hasMore, used } = found.value;
    const usedAt = (at: number, sinceMs: number): string | null => {
      const { usedAtMs } = used[at]!;
      // An earlier key of the same name was used before this one was made.
      return usedAtMs === null || usedAtMs < sinceMs ? null : toText(usedAtMs);
    };
    const beside: Pick<Written<typeof keyPageSchema>, "configured"> = {
      ...(after === null && {
        configured: callers.map((one, at) => ({
          name: one.name,
          tools: one.tools,
          quota: { limit: one.quota.limit, window_s: one.quota.windowS },
          flags: one.flags,
          last_used_at: usedAt(at, 0),
        })),
      }),
    };
    const toJson = (key: KeptKey): string =>
      JSON.stringify({
        ...toKeyJson(key, nowMs),
        last_used_at: usedAt(callers.length + rows.indexOf(key), key.createdAt),
      });
    return respondList("keys", rows, { limit, hasMore, toJson, toCursor, beside });
  },
  describe: (declared) => ({
    id: "listKeys",
    summary: "List the tenant's keys, newest first",
    tag: "Keys",
    query: z.strictObject(pageFields()),
    answer: { description: "One page of keys", schema: keyPageSchema(declared) },
    refusals: ["MISCONFIGURED"],
  }),
};

/** `DELETE /v1/keys/{name}`: revoke every key of a name. A batch that runs by one goes on to its end. */
const deleteKey: Route = {
  route: "DELETE /v1/keys/:id",
  async handle(_, context, name) {
    const made = openKeys(context);
    if (!made.ok) return made;
    const { caller, configured } = context;
    if (configured.keys.callers.some((one) => one.tenant === caller.tenant && one.name === name))
      return err(
        makeRefusal(
          "NOT_FOUND",
          `'${visibleText(name)}' is of VOLLEY_KEYS; its operator takes it out there.`,
        ),
      );
    const hint = "Whether the key was revoked is not certain; send the same request again.";
    const revoked = await askGate(() => made.value.shards.revoke({ tenant: caller.tenant, name }), hint);
    if (!revoked.ok) return revoked;
    if (revoked.value === null) return err(refuseKept("unknown", name));
    made.value.forget(revoked.value);
    return ok(new Response(null, { status: 204 }));
  },
  describe: () => ({
    id: "deleteKey",
    summary: "Revoke every key of a name",
    tag: "Keys",
    answer: {
      description: "Within 30 seconds none of them is a key anywhere",
      schema: null,
      statuses: [204],
    },
    refusals: ["NOT_FOUND", "MISCONFIGURED"],
  }),
};

/** Keys that are made, listed and revoked while the deployment runs. */
export const KEY_ENDPOINTS: readonly Route[] = [listKeys, postKey, deleteKey];

/** The keys that are made while running. */
function openKeys({ configured }: RequestContext): Result<MadeKeys, Refusal> {
  const { made } = madeKeysOf(configured);
  return made === null ? err(NO_SHARDS) : ok(made);
}

const NO_SHARDS = makeRefusal(
  "MISCONFIGURED",
  `This deployment keeps no keys; its operator has to bind the class KeyShard as ${KEY_SHARDS}.`,
);

const UNREADABLE = "The tenant's keys could not be read; ask again.";

function toMaker({ caller, catalog, configured, ports }: RequestContext): KeyMaker {
  return {
    caller,
    nowMs: ports.clock.now(),
    // A tool's name that is a category's too would be more than the tool.
    mayGrant: (grant) =>
      caller.tools.includes("*") ||
      caller.tools.includes(grant) ||
      (catalog.get(grant) !== undefined && !configured.catalog.byCategory.has(grant)),
  };
}

function refuseKept(reason: KeyRefusal, name: string): Refusal {
  const shown = `'${visibleText(name)}'`;
  switch (reason) {
    case "taken":
      return makeRefusal(
        "NAME_TAKEN",
        `The tenant has a key named ${shown}; with 'overlap_s' it gets another one, or choose another name.`,
      );
    case "unknown":
      return makeRefusal("NOT_FOUND", `The tenant has made no key named ${shown}, or it has expired.`);
    case "changed":
      return makeRefusal("NAME_TAKEN", `The key ${shown} was changed just now; look at it and ask again.`);
    case "hash-taken":
      return makeRefusal(
        "INVALID_REQUEST",
        "/hash: another key has it already; make a fresh key for this name.",
        {
          issue: {
            path: "/hash",
            expected: "the digest of a key that is not in use",
            received: "one in use",
          },
        },
      );
    case "too-many-alive":
      return makeRefusal(
        "NAME_TAKEN",
        `${LIMITS.keysAlive + 1} keys of ${shown} would go on side by side; wait for an overlap to end, or ask with 'overlap_s' 0.`,
      );
    case "too-late":
      return makeRefusal("NOT_FOUND", `The tenant was deleted meanwhile; no key ${shown} was made.`);
    case "too-many":
      return makeRefusal(
        "INVALID_REQUEST",
        `The tenant has as many keys as it may where ${shown} would be kept (${LIMITS.keysPerShard}); delete some first.`,
      );
  }
}

function parseCursor(text: string): KeyPlace | null {
  const [, createdAt, name] = /^(\d{1,15})_(.*)$/.exec(text) ?? [];
  return name === undefined || !KEY_NAME.test(name) ? null : { createdAt: Number(createdAt), name };
}

function toCursor({ createdAt, name }: KeyPlace): string {
  return `${createdAt}_${name}`;
}

const madeKeySchema = (declared: Declared) =>
  z
    .extend(keySchema(declared), {
      key: z
        .optional(z.string())
        .check(z.describe("The key, unless its hash was sent; it cannot be shown again")),
    })
    .register(z.globalRegistry, { id: "MadeKey" });

const USED = {
  last_used_at: z.nullable(z.string()).check(z.describe("When it was last used, up to an hour late")),
};
const CONFIGURED = { name: true, tools: true, quota: true, flags: true } as const;

const keyPageSchema = (declared: Declared) =>
  z
    .strictObject({
      keys: z.array(z.extend(keySchema(declared), USED).register(z.globalRegistry, { id: "Key" })),
      next_cursor: z.nullable(z.string()),
      configured: z
        .optional(z.array(z.extend(z.pick(keySchema(declared), CONFIGURED), USED)))
        .check(
          z.describe("On the first page, the tenant's keys in VOLLEY_KEYS, which only the operator changes"),
        ),
    })
    .register(z.globalRegistry, { id: "KeyPage" });

const EXAMPLE = { name: "nightly-report", tools: ["*"], expires_at: "2099-01-01T00:00:00Z" };
