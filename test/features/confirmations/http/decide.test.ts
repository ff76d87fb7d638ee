import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import * as CONFIRMATIONS_LIMITS from "../../../../src/features/confirmations/limits.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { document } from "../../../../src/features/document/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { documentedFetch } from "../../../support/documented-fetch.ts";
import { trial } from "../../../support/trial.ts";

const drop = defineTool({
  name: "drop_it",
  summary: "Drop it",
  description: "Drop it.",
  category: "shop",
  actions: ["delete"],
  isWrite: true,
  execution: "sync",
  input: z.strictObject({ id: z.string() }),
  hosts: ["api.example.com"],
  orchestration: { mode: "parallel-safe" },
  run: async (args, ctx) => {
    const { id } = args as { readonly id: string };
    return (await ctx.fetch(`https://api.example.com/drop?id=${id}`, { method: "DELETE" })).json();
  },
});

const dropSoon = defineTool({
  name: "drop_soon",
  summary: "Drop it soon",
  description: "Drop it soon.",
  category: "shop",
  actions: ["delete"],
  isWrite: true,
  execution: "sync",
  input: z.strictObject({ id: z.string() }),
  hosts: [],
  orchestration: { mode: "parallel-safe", confirm_ttl_s: 60 },
  run: async () => ({}),
});

interface Answered {
  readonly status: number;
  readonly replayed: string | null;
  readonly body: Readonly<Record<string, unknown>> & {
    readonly code?: string;
    readonly status?: string;
    readonly results?: readonly { readonly status: string; readonly error?: { readonly code: string } }[];
  };
}

/** A deployment that asks before it drops anything; its asker, who may not decide, and who may. */
async function deploy() {
  const volley = await createTestVolley({
    tools: [drop, dropSoon],
    features: [discovery(), addedTools(), confirmations(), document()],
    routes: {
      "DELETE https://api.example.com/drop": { dropped: true },
      "POST https://told.example.com/*": () => new Response(null, { status: 204 }),
    },
    env: {
      VOLLEY_WEBHOOK_SECRET: `whsec_${btoa("a secret of the test, 32 bytes..")}`,
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "asker", tenant: "acme", flags: ["manage_tools"] },
        decider: { name: "decider", tenant: "acme", flags: ["approve"] },
        narrow: { name: "narrow", tenant: "acme", flags: ["approve"], tools: ["discover_tools"] },
        stranger: { name: "stranger", tenant: "globex", flags: ["approve"] },
      }),
    },
  });
  const fetch = await documentedFetch(volley);
  const send = async (
    path: string,
    {
      by = "decider",
      method = "POST",
      body,
      key,
    }: { by?: string; method?: string; body?: object; key?: string } = {},
  ): Promise<Answered> => {
    const response = await fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${by}`,
        "content-type": "application/json",
        ...(key !== undefined && { "idempotency-key": key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      replayed: response.headers.get("idempotency-replayed"),
      body: (await response.json()) as Answered["body"],
    };
  };
  const ask = async (id = "1", tool = "drop_it"): Promise<string> => {
    const { results } = await volley.run({ actions: [{ tool, args: { id } }] });
    return (results[0] as unknown as { readonly confirmation: { readonly id: string } }).confirmation.id;
  };
  const show = (id: string, by?: string) =>
    send(`/v1/confirmations/${id}`, { method: "GET", ...(by !== undefined && { by }) });
  const decide = (id: string, body: object, more: { readonly by?: string; readonly key?: string } = {}) =>
    send(`/v1/confirmations/${id}`, { body, ...more });
  return { volley, send, ask, show, decide };
}

const APPROVE = { decision: "approve" };
const REJECT = { decision: "reject" };
const outcomes = ({ body }: Answered) => body.results?.map(({ status, error }) => error?.code ?? status);

describe("A question that is decided", () => {
  trial("T24 runs once at the first yes, and is used up for every other", async () => {
    const { volley, ask, show, decide } = await deploy();
    const id = await ask();
    expect((await show(id)).body).toMatchObject({ status: "pending", actions: [{ tool: "drop_it" }] });
    expect(volley.requests).toHaveLength(0);
    expect(outcomes(await decide(id, APPROVE))).toEqual(["success"]);
    expect(volley.requests).toHaveLength(1);
    for (const again of [APPROVE, REJECT])
      expect(await decide(id, again)).toMatchObject({ status: 409, body: { code: "CONFIRMATION_INVALID" } });
    expect(volley.requests).toHaveLength(1);
    expect((await show(id)).body).toMatchObject({ status: "done", results: [{ status: "success" }] });
  });

  trial(
    "T24 under a key has the same answer again under that key and decision, and under no other",
    async () => {
      const { volley, ask, decide } = await deploy();
      const id = await ask();
      const first = await decide(id, APPROVE, { key: "one" });
      expect(first.replayed).toBeNull();
      expect(await decide(id, APPROVE, { key: "one" })).toEqual({ ...first, replayed: "true" });
      expect((await decide(id, APPROVE, { key: "other" })).status).toBe(409);
      expect((await decide(id, APPROVE)).status).toBe(409);
      expect((await decide(id, REJECT, { key: "one" })).status).toBe(409);
      expect(volley.requests).toHaveLength(1);
      const refused = await ask("2");
      const no = await decide(refused, REJECT, { key: "no" });
      expect(outcomes(no)).toEqual(["CONFIRMATION_REJECTED"]);
      expect(await decide(refused, REJECT, { key: "no" })).toEqual({ ...no, replayed: "true" });
      expect((await decide(refused, APPROVE, { key: "no" })).status).toBe(409);
      expect(volley.requests).toHaveLength(1);
    },
  );

  test("T24 under a key with other arguments or another reason is another decision, which comes too late", async () => {
    const { volley, ask, decide } = await deploy();
    const id = await ask();
    const edited = { ...APPROVE, reason: "the second one", args: { a0: { id: "2" } } };
    const first = await decide(id, edited, { key: "one" });
    expect(outcomes(first)).toEqual(["success"]);
    const again = { args: { a0: { id: "2" } }, reason: "the second one", decision: "approve" };
    expect(await decide(id, again, { key: "one" })).toEqual({ ...first, replayed: "true" });
    for (const other of [
      APPROVE,
      { ...edited, args: { a0: { id: "3" } } },
      { ...edited, reason: "another one" },
      { ...APPROVE, reason: "the second one" },
    ])
      expect(await decide(id, other, { key: "one" })).toMatchObject({
        status: 409,
        body: { code: "CONFIRMATION_INVALID" },
      });
    expect(volley.requests).toHaveLength(1);
  });

  test.each([
    ["approve", "success"],
    ["reject", "CONFIRMATION_REJECTED"],
  ])("T23 is told to its batch's own address once, with its results: %s", async (decision, end) => {
    const { volley, decide } = await deploy();
    const actions = [{ tool: "drop_it", args: { id: "1" } }];
    const { results } = await volley.run({ actions, callback_url: "https://told.example.com/here" });
    const { id } = (results[0] as unknown as { readonly confirmation: { readonly id: string } }).confirmation;
    expect(outcomes(await decide(id, { decision }))).toEqual([end]);
    await volley.advance(60_000);
    const told = volley.requests.filter(({ url }) => url === "https://told.example.com/here");
    expect(told.map((request) => request.json())).toMatchObject([
      { type: "confirmation.decided", data: { confirmation_id: id, decision, answer: { results: [{}] } } },
    ]);
  });

  trial("T24 needs the flag, the tenant and the tools, and a body that says which decision", async () => {
    const { volley, ask, show, decide } = await deploy();
    const id = await ask();
    expect(await decide(id, APPROVE, { by: "test-key" })).toMatchObject({ status: 403 });
    for (const by of ["stranger", "narrow"]) {
      expect(await decide(id, APPROVE, { by })).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
      expect((await show(id, by)).status).toBe(404);
    }
    expect((await decide("none", APPROVE)).status).toBe(404);
    for (const body of [{}, { decision: "maybe" }, { decision: "approve", why: "so" }])
      expect((await decide(id, body)).status).toBe(422);
    expect((await decide(id, APPROVE, { key: "x".repeat(300) })).status).toBe(422);
    expect(volley.requests).toHaveLength(0);
    expect((await show(id)).body).toMatchObject({ status: "pending" });
  });

  trial(
    "T24 names the arguments that were shown, if its page sends them, and nothing runs where they are others",
    async () => {
      const { volley, ask, show, decide } = await deploy();
      const id = await ask();
      const { args_hash } = (await show(id)).body;
      expect(args_hash).toMatch(/^[0-9a-f]{64}$/);
      expect(await decide(id, { ...APPROVE, args_hash: "0".repeat(64) })).toMatchObject({
        status: 409,
        body: { code: "CONFIRMATION_INVALID" },
      });
      expect(volley.requests).toHaveLength(0);
      expect(outcomes(await decide(id, { ...APPROVE, args_hash }))).toEqual(["success"]);
    },
  );

  trial("T24 whose time is over cannot be decided", async () => {
    const { volley, ask, show, decide } = await deploy();
    const id = await ask();
    const { expires_at } = (await show(id)).body;
    await volley.advance(Date.parse(String(expires_at)) - volley.now());
    expect((await show(id)).body).toMatchObject({ status: "expired" });
    for (const decision of [APPROVE, REJECT]) expect((await decide(id, decision)).status).toBe(409);
    expect(volley.requests).toHaveLength(0);
  });

  trial(
    "T24 about a tool that was declared otherwise meanwhile runs nothing, and about one that is gone is not there for who may call some tools only",
    async () => {
      const { volley, send, ask, decide } = await deploy();
      const declaration = {
        summary: "Drop an order",
        description: "Drop an order.",
        category: "shop",
        actions: ["delete"],
        is_write: true,
        input_schema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
        http: { method: "DELETE", url: "https://api.example.com/drop", query: ["id"] },
      };
      const put = (changes: object) =>
        send("/v1/tools/drop_order", { by: "test-key", method: "PUT", body: { ...declaration, ...changes } });
      await put({});
      const id = await ask("1", "drop_order");
      await put({ http: { ...declaration.http, url: "https://api.example.com/drop/all" } });
      expect(await decide(id, APPROVE)).toMatchObject({
        status: 409,
        body: { code: "CONFIRMATION_INVALID" },
      });
      // A no is no danger.
      expect(outcomes(await decide(id, REJECT))).toEqual(["CONFIRMATION_REJECTED"]);
      const gone = await ask("2", "drop_order");
      await volley.fetch("/v1/tools/drop_order", { method: "DELETE" });
      expect(await decide(gone, APPROVE)).toMatchObject({
        status: 409,
        body: { code: "CONFIRMATION_INVALID" },
      });
      expect(volley.requests).toHaveLength(0);
    },
  );
});

trial(
  "A question waits for as long as its tools let it: the shortest of those that need the yes",
  async () => {
    const { volley } = await deploy();
    const waitOf = async (actions: readonly object[]) => {
      const { results } = await volley.run({ actions });
      return (results as unknown as { readonly confirmation: { readonly expires_at: string } }[]).map(
        ({ confirmation }) => Date.parse(confirmation.expires_at) - volley.now(),
      );
    };
    const of = (tool: string, more: object = {}) => ({ tool, args: { id: "1" }, ...more });
    const usual = CONFIRMATIONS_LIMITS.confirmationTtlMs;
    expect(await waitOf([of("drop_it"), of("drop_soon")])).toEqual([usual, 60_000]);
    const together = [of("drop_it", { id: "first" }), of("drop_soon", { depends_on: ["first"] })];
    expect(await waitOf(together)).toEqual([60_000, 60_000]);
  },
);

describe("A decision with other arguments", () => {
  trial("T24 holds them to the schema, and nothing runs where one does not fit", async () => {
    const { volley, ask, decide } = await deploy();
    const id = await ask();
    for (const args of [
      { a0: { id: 7 } },
      { a0: {} },
      { a0: { id: "2", all: true } },
      { other: { id: "2" } },
    ])
      expect([args, (await decide(id, { ...APPROVE, args })).status]).toEqual([args, 422]);
    expect((await decide(id, { ...REJECT, args: { a0: { id: "2" } } })).status).toBe(422);
    expect(volley.requests).toHaveLength(0);
    expect(outcomes(await decide(id, { ...APPROVE, args: { a0: { id: "2" } } }))).toEqual(["success"]);
    expect(volley.requests.map(({ url }) => url)).toEqual(["https://api.example.com/drop?id=2"]);
  });
});

describe("A link to a question", () => {
  trial("is over when its own time is, and a question has so many links and no more", async () => {
    const { volley, send, ask } = await deploy();
    const id = await ask();
    const link = (body: object) => send(`/v1/confirmations/${id}/link`, { body: { name: "Ada", ...body } });
    const open = async ({ body }: Answered) =>
      (await volley.fetch(new URL(String(body["url"])).pathname)).status;
    const [short, long] = [await link({ expires_in_s: 60 }), await link({})];
    await volley.advance(59_999);
    expect([await open(short), await open(long)]).toEqual([200, 200]);
    await volley.advance(1);
    expect([await open(short), await open(long)]).toEqual([410, 200]);
    for (let made = 2; made < CONFIRMATIONS_LIMITS.approvalLinks; made += 1)
      expect((await link({})).status).toBe(200);
    expect(await link({})).toMatchObject({ status: 409, body: { code: "CONFIRMATION_INVALID" } });
  });
});

describe("The questions of a tenant", () => {
  trial(
    "are listed newest first, by status and page by page, to a key that may call their tools",
    async () => {
      const { volley, send, ask, decide } = await deploy();
      const ids: string[] = [];
      for (const n of ["1", "2", "3"]) {
        ids.unshift(await ask(n));
        await volley.advance(1_000);
      }
      await decide(ids[1]!, REJECT);
      const list = async (query: string, by = "decider") => {
        const { body } = await send(`/v1/confirmations${query}`, { method: "GET", by });
        return body as unknown as {
          readonly confirmations: readonly { readonly id: string; readonly status: string }[];
          readonly next_cursor: string | null;
        };
      };
      const all = await list("");
      expect(all.confirmations.map(({ id }) => id)).toEqual(ids);
      expect(all.confirmations.map(({ status }) => status)).toEqual(["pending", "rejected", "pending"]);
      expect((await list("?status=waiting")).confirmations.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
      const first = await list("?limit=2");
      const second = await list(`?limit=2&cursor=${first.next_cursor}`);
      expect([...first.confirmations, ...second.confirmations].map(({ id }) => id)).toEqual(ids);
      expect(second.next_cursor).toBeNull();
      for (const by of ["narrow", "stranger"]) expect((await list("", by)).confirmations).toEqual([]);
      expect((await send(`/v1/confirmations?limit=${LIMITS.maxJobPage + 1}`, { method: "GET" })).status).toBe(
        400,
      );
    },
  );
});
