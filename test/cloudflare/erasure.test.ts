import {
  createExecutionContext,
  evictDurableObject,
  listDurableObjectIds,
  runDurableObjectAlarm,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import * as z from "zod";

import { defineTool } from "../../src/core/catalog/define-tool.ts";
import type { BegunCalls, Remote } from "../../src/core/contract/gate/tenant-gate-methods.ts";
import { nameObject } from "../../src/core/contract/gate/job-shard.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { SUBJECT_SHARDS } from "../../src/core/contract/gate/caller.ts";
import { signInShards } from "../../src/features/sign-in/limits.ts";
import { ownerOf } from "../../src/features/sign-in/sign-in.ts";
import { shardOfKey } from "../../src/features/sign-in/store-methods.ts";
import { ALL_FEATURES } from "../support/all-features.ts";
import { configureKeys } from "../support/configured-keys.ts";
import wrangler from "../../wrangler.toml?raw";
import { eventually } from "../support/eventually.ts";
import { limitedMail } from "./limited-mail.ts";
import { trial } from "../support/trial.ts";

/** The classes of the Worker, as its configuration has them; that of files stands there as a comment. */
const CLASSES = [
  ...wrangler.matchAll(
    /\[\[durable_objects\.bindings\]\]\n(?:# )?name = "(\w+)"\n(?:# )?class_name = "(\w+)"/g,
  ),
].map(([, binding, name]) => [name!, binding!] as const);

/** The tables that stay: the quota, the steps of tables, and the time of the deletion. */
const STAYS = new Set(["quota", "schema_steps", "part_steps", "tools_version", "erased"]);

/** The classes whose objects know no tenant. */
const OF_NO_TENANT = new Set(["ToolGate"]);

/** The classes each of whose objects is of all tenants. */
const SHARED: Readonly<Record<string, (namespace: DurableObjectNamespace) => DurableObjectId[]>> = {
  KeyShard: (keys) => range(16).map((shard) => keys.idFromName(`keys ${shard}`)),
  SignInStore: (stores) => range(signInShards).map((shard) => stores.idFromName(`sign-ins ${shard}`)),
  OperatorLog: (logs) => [logs.idFromName("operator")],
};
const range = (count: number): number[] => [...Array(count).keys()];

const FLAGS = ["approve", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections"];
const TENANTS = ["acme", "acme-2", "acme.x"] as const;
/** A test holds up a call, and hears that it has begun. */
const slow = { begun: Promise.withResolvers<void>(), answer: Promise.withResolvers<void>() };
const held = {
  description: "Do it. Size: about 10 tokens.",
  category: "mail",
  input: z.strictObject({ n: z.optional(z.int()) }),
  hosts: ["mail.example.com"],
  execution: "sync",
  orchestration: { mode: "parallel-safe" },
} as const;
const HELD_TOOLS = [
  defineTool({
    ...held,
    name: "send_slowly",
    summary: "Send a mail, which takes long",
    actions: ["send"],
    isWrite: true,
    run: async () => {
      slow.begun.resolve();
      await slow.answer.promise;
      return { n: 1, text: "said".repeat(100) };
    },
  }),
  defineTool({
    ...held,
    name: "drop",
    summary: "Delete a mail",
    actions: ["delete"],
    isWrite: true,
    run: async () => ({}),
  }),
  defineTool({
    ...held,
    name: "mail_later",
    summary: "Send a mail later",
    actions: ["send"],
    isWrite: true,
    execution: "fire-and-forget",
    run: async () => ({}),
  }),
];
const { app } = createVolley({ tools: [limitedMail, ...HELD_TOOLS], features: ALL_FEATURES });
const worker = {
  ...env,
  TENANT_GATE: env.VOLLEY_GATE,
  VOLLEY_LOG: "off",
  VOLLEY_KEYS: await configureKeys(
    Object.fromEntries(
      [...TENANTS, "under-way", "evicted"].map((tenant) => [
        `key-of-${tenant}`,
        { name: "admin", tenant, flags: FLAGS },
      ]),
    ),
  ),
} as Record<string, unknown>;

async function send(tenant: string, method: string, path: string, body?: object): Promise<unknown> {
  const ctx = createExecutionContext();
  const headers = { authorization: `Bearer key-of-${tenant}`, "content-type": "application/json" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await app.fetch(new Request(`https://volley.test${path}`, init), worker, ctx);
  const text = await answer.text();
  await waitOnExecutionContext(ctx);
  if (answer.status >= 300) throw new Error(`Cannot ${method} ${path}: ${answer.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

/** Give a tenant something in an object of every class. */
async function fill(tenant: string): Promise<void> {
  const url = "https://shop.acme.dev/hooks";
  const declared = { summary: "Say it", input_schema: { type: "object", properties: {} } };
  await send(tenant, "PUT", "/v1/tools/registered", {
    ...declared,
    description: "Say it. Size: about 10 tokens.",
    category: "words",
    actions: ["read"],
    is_write: false,
    http: { method: "GET", url },
  });
  await send(tenant, "PUT", "/v1/flows/whole", {
    ...declared,
    actions: [{ id: "one", tool: "registered" }],
    answer: { $ref: "one#" },
  });
  await send(tenant, "POST", "/v1/execute_actions", { actions: [{ tool: "limited_mail" }] });
  await send(tenant, "POST", "/v1/keys", { name: "made", tools: ["*"] });
  await send(tenant, "PUT", "/v1/endpoints/shop", { url, customer: "c_1", events: ["*"] });
  await send(tenant, "PUT", "/v1/event_types/order.paid", {
    description: "Paid",
    schema: { type: "object" },
    example: {},
  });
  await send(tenant, "POST", "/v1/portal_links", { customer: "c_1" });
  if (tenant === "acme") await send(tenant, "POST", "/v1/events", { type: "order.paid", data: {} });
  for (const shard of range(SUBJECT_SHARDS))
    await runInDurableObject(
      namespaceOf("CONNECTIONS").getByName(`${tenant}/${shard}`),
      (_, { storage: { sql } }) => {
        sql.exec("INSERT INTO connections VALUES ('cn_1', 'ada', 'crm', 'default', 1, NULL, '{}')");
      },
    );
  for (const owner of ownersOf(tenant))
    for (const key of [`grant:${owner}:1`, `token:${owner}:1:a`, `spent:${owner}:1:b`, `again:${owner}:1:c`])
      await env.SIGN_INS.getByName(`sign-ins ${shardOfKey(key)}`).write(key, "{}", {
        metadata: null,
        expiresAtMs: null,
        expected: null,
        unused: false,
      });
  await env.WORKSPACES.getByName(tenant).change([
    { path: "notes.md", content: new TextEncoder().encode("hi") },
  ]);
}

/** Name an owner of sign-ins for each of the objects that keep those. */
function ownersOf(tenant: string): Iterable<string> {
  const owners = new Map<number, string>();
  for (let nth = 0; owners.size < signInShards; nth += 1) {
    const owner = ownerOf({ tenant, key: "admin", subject: `ada ${nth}` });
    owners.set(shardOfKey(`grant:${owner}:1`), owner);
  }
  return owners.values();
}

const namespaceOf = (binding: string) => worker[binding] as DurableObjectNamespace;

type Rows = Readonly<Record<string, readonly unknown[]>>;
/** The rows of all objects of a class, by the object and the table. */
type Dump = ReadonlyMap<string, Rows>;

/** Read the rows of an object, but for those that may stay. */
function rowsOf(stub: DurableObjectStub): Promise<Rows> {
  return runInDurableObject(stub, (_, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray();
    const kept = tables.filter(({ name }) => !/^(?:_|sqlite_)/.test(name) && !STAYS.has(name));
    return Object.fromEntries(
      kept
        .map(({ name }) => [name, sql.exec(`SELECT * FROM ${name}`).toArray()] as const)
        .filter(([, rows]) => rows.length > 0),
    );
  });
}

/** Read the objects of a class that tenants share, and those of others that are not known yet. */
async function dump([name, binding]: (typeof CLASSES)[number], known: ReadonlySet<string>): Promise<Dump> {
  const namespace = namespaceOf(binding);
  const ids = SHARED[name]?.(namespace) ?? (await listDurableObjectIds(namespace));
  const found = new Map<string, Rows>();
  for (const id of ids) {
    if (known.has(id.toString())) continue;
    const rows = await rowsOf(namespace.get(id));
    if (Object.keys(rows).length > 0) found.set(id.toString(), rows);
  }
  return found;
}

describe("Deleting a tenant", () => {
  /** The rows of each class before the tenant came, while it was there, and after it was deleted. */
  const seen = new Map<string, { before: Dump; during: Dump; after: Dump }>();

  beforeAll(async () => {
    const known = new Map<string, ReadonlySet<string>>();
    for (const [name, binding] of CLASSES) {
      const ids = name in SHARED ? [] : await listDurableObjectIds(namespaceOf(binding));
      known.set(name, new Set(ids.map((id) => id.toString())));
    }
    const look = async () => {
      // Counts of ten seconds are in memory until they are written down.
      await runDurableObjectAlarm(env.OPERATOR.getByName("operator"));
      const dumps = new Map<string, Dump>();
      for (const one of CLASSES) dumps.set(one[0], await dump(one, known.get(one[0])!));
      return dumps;
    };
    for (const tenant of TENANTS.slice(1)) await fill(tenant);
    const before = await look();
    await fill("acme");
    const during = await look();
    await send("acme", "POST", "/v1/tenant/delete", { tenant: "acme" });
    const after = await look();
    for (const [name] of CLASSES)
      seen.set(name, { before: before.get(name)!, during: during.get(name)!, after: after.get(name)! });
  });

  test.each(CLASSES)(
    "T03 leaves nothing of it in objects of the class %s, and everything of others whose names begin alike",
    (name) => {
      const { before, during, after } = seen.get(name)!;
      if (OF_NO_TENANT.has(name)) expect([...during]).toEqual([...before]);
      // A class that nothing is kept in has no case here: `fill` gives it one.
      else expect([...during]).not.toEqual([...before]);
      expect(after).toEqual(before);
    },
  );
});

trial.each(["under-way", "evicted"])(
  "F37 nothing is kept of a batch that goes on when its tenant is deleted, and what it sent keeps its result: %s",
  async (tenant) => {
    slow.begun = Promise.withResolvers();
    slow.answer = Promise.withResolvers();
    const { $ref } = { $ref: "sent#/n" };
    const answer = send(tenant, "POST", "/v1/execute_actions", {
      actions: [
        { id: "sent", tool: "send_slowly", args: {}, select: ["/n"] },
        { id: "drop", tool: "drop", args: { n: { $ref } } },
        { id: "later", tool: "mail_later", args: { n: { $ref } } },
      ],
    });
    await Promise.race([slow.begun.promise, answer]);
    const begunBy = Date.now();
    await eventually("a millisecond to pass", () => Date.now() > begunBy || undefined, { everyMs: 1 });
    await send(tenant, "POST", "/v1/tenant/delete", { tenant });
    const objects = range(LIMITS.outboxShards).map((shard) =>
      env.VOLLEY_GATE.getByName(nameObject(tenant, shard)),
    );
    if (tenant === "evicted") for (const stub of objects) await evictDurableObject(stub);
    slow.answer.resolve();
    expect(await answer).toMatchObject({
      results: [
        { id: "sent", status: "success", data: { n: 1 } },
        { id: "drop", status: "error", error: { code: "OVERLOADED" } },
        { id: "later", status: "error", error: { code: "OUTBOX_UNAVAILABLE" } },
      ],
    });
    for (const stub of objects) expect(await rowsOf(stub)).toEqual({});
    // A tenant that is still configured goes on with what begins afterwards.
    await send(tenant, "POST", "/v1/execute_actions", { actions: [{ tool: "mail_later", args: {} }] });
    expect(await send(tenant, "GET", "/v1/jobs")).toMatchObject({ jobs: [{ tool: "mail_later" }] });
  },
);

trial.each([
  ["RUNS", "claimRerun", [{ root: "r", rerun: "s", writes: ["w"], after: 0 }]],
  ["ENDPOINTS", "putType", [{ type: "order.paid", description: "Paid", schema: null, example: null }]],
  ["CONNECTIONS", "awaited", [[]]],
  ["WORKSPACES", "change", [[{ path: "notes.md", content: new TextEncoder().encode("hi") }]]],
])(
  "F37 an object of %s takes nothing that began before its tenant was deleted, after an eviction too",
  async (binding, method, args) => {
    const name = binding === "CONNECTIONS" ? "late/3" : "late";
    const stub = namespaceOf(binding).getByName(name) as DurableObjectStub & Remote<BegunCalls>;
    const begunAt = Date.now() - 1;
    expect(await stub.since(begunAt, method, ...args)).not.toBeNull();
    await stub.since(begunAt, "erase");
    expect(await rowsOf(stub)).toEqual({});
    for (let evicted = 0; evicted < 2; evicted += 1) {
      expect(await stub.since(begunAt, method, ...args)).toBeNull();
      expect(await rowsOf(stub)).toEqual({});
      await evictDurableObject(stub);
    }
    expect(await stub.since(Date.now() + 1, method, ...args)).not.toBeNull();
    // A deletion that was cut off is sent again.
    expect(await stub.since(begunAt, "erase")).not.toBeNull();
    expect(await rowsOf(stub)).toEqual({});
  },
);
