import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { Jurisdiction } from "../../src/core/contract/gate/caller.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { digestKey } from "../../src/cloudflare/http/key-ring.ts";
import { publishEvent } from "../../src/tools/events/publish-event.ts";
import { memorySearch } from "../../src/tools/workspace/memory-search.ts";
import { createProbeTools } from "../sandbox/probe-tools.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { ALL_FEATURES } from "../support/all-features.ts";
import { trial } from "../support/trial.ts";

interface Named<T> {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId): T;
}

/** Where an object was asked for, and by which name. */
type Seen = readonly [where: Jurisdiction | "anywhere", name: string];

/**
 * A namespace that knows jurisdictions, which workerd does not: as on the network, the same name is another object there.
 *
 * @param worker whose objects these are: what one Worker's tool gate waits for is no concern of the next one's
 */
function recordNames<T>(real: Named<T>, seen: Seen[], worker: string, where: Seen[0] = "anywhere"): object {
  return {
    idFromName(name: string) {
      seen.push([where, name]);
      return real.idFromName(`${name} of ${worker} in ${where}`);
    },
    get: (id: DurableObjectId) => real.get(id),
    // The network's refuses to go from one into another.
    ...(where === "anywhere" && {
      jurisdiction: (one: Jurisdiction) => recordNames(real, seen, worker, one),
    }),
  };
}

const hashOf = async (key: string): Promise<string> =>
  Array.from(await digestKey(key), (byte) => byte.toString(16).padStart(2, "0")).join("");

let workers = 0;

/** A whole Worker whose bindings record the names. Its tenant is one of its own. */
async function createWorker(bindings: object, entry: object = {}) {
  const tenant = `placed-${(workers += 1)}`;
  const asked: Record<"tenants" | "tools" | "workspaces" | "endpoints", Seen[]> = {
    tenants: [],
    tools: [],
    workspaces: [],
    endpoints: [],
  };
  const { app } = createVolley({
    tools: [...createProbeTools("https://probe.example.com"), memorySearch, publishEvent],
    features: ALL_FEATURES,
    send: async () => Response.json({ items: Array.from({ length: 400 }, (_, id) => ({ id })) }),
    // Time stands still: the time that this machine takes to answer for an object does not count.
    standIns: { clock: new VirtualClock(Date.now()) },
  });
  const all = {
    TENANT_GATE: recordNames(env.TENANT_GATE, asked.tenants, tenant),
    TOOL_GATE: recordNames(env.TOOL_GATE, asked.tools, tenant),
    WORKSPACES: recordNames(env.WORKSPACES, asked.workspaces, tenant),
    ENDPOINTS: recordNames(env.ENDPOINTS, asked.endpoints, tenant),
    ENDPOINT_SHARDS: env.ENDPOINT_SHARDS,
    VOLLEY_KEYS: JSON.stringify([
      {
        name: "k",
        hash: await hashOf("key"),
        tenant,
        tools: ["*"],
        flags: ["approve", "manage_endpoints"],
        // Enough for what is asked, and too little to be leased: a lease's timer would never end.
        quota: { limit: 10, window_s: 60 },
        ...entry,
      },
    ]),
    ...bindings,
  };
  const send = async (path: string, body?: object, headers: object = {}) => {
    const context = createExecutionContext();
    const response = await app.fetch(
      new Request(`https://volley.test${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: "Bearer key", "content-type": "application/json", ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
      all,
      context,
    );
    const text = await response.text();
    await waitOnExecutionContext(context);
    return { status: response.status, body: JSON.parse(text) as Answer };
  };
  return { tenant, asked, send };
}

interface Answer {
  readonly results: readonly {
    readonly job_id?: string;
    readonly meta: { readonly handle?: string };
    readonly confirmation?: { readonly id: string };
  }[];
}

/** Everything that a caller can ask of its tenant's objects. */
async function useEverything(send: Awaited<ReturnType<typeof createWorker>>["send"]): Promise<void> {
  const run = async (fields: object, headers: object = {}): Promise<Answer["results"]> => {
    const { status, body } = await send("/v1/execute_actions", fields, headers);
    expect(status).toBe(200);
    return body.results;
  };
  const [cut] = await run({ actions: [{ tool: "probe-search", args: { q: "a" } }], max_tokens: 300 });
  const ref = { $ref: `${cut!.meta.handle}#/items/0/id` };
  await run({ actions: [{ tool: "probe-any", args: { path: { $template: `/x{{${ref.$ref}}}` } } }] });
  // Six stay at home, and one goes to each of the others.
  const background = Array.from({ length: 13 }, (_, n) => ({ tool: "probe-background", args: { n } }));
  const jobs = await run({ actions: background }, { "idempotency-key": "once" });
  for (const { job_id: id } of jobs.slice(5)) {
    expect((await send(`/v1/jobs/${id}`)).body).toMatchObject({ job_id: id });
    await send(`/v1/jobs/${id}/cancel`, {});
    await send(`/v1/jobs/${id}/redrive`, {});
  }
  await send("/v1/jobs");
  const [parked, refused] = await Promise.all(
    ["1", "2"].map(async (id) => (await run({ actions: [{ tool: "probe-delete", args: { id } }] }))[0]!),
  );
  const pathOf = (one: Answer["results"][0]): string => `/v1/confirmations/${one.confirmation!.id}`;
  expect((await send(pathOf(parked!))).status).toBe(200);
  expect((await send(pathOf(parked!), { decision: "approve" })).status).toBe(200);
  expect((await send(pathOf(refused!), { decision: "reject" })).status).toBe(200);
  await run({ actions: [{ tool: "probe-global", args: { n: 1 } }] });
  await run({ actions: [{ tool: "memory_search", args: { query: "tea" } }] });
  await run({ actions: [{ tool: "publish_event", args: { type: "x", data: {} } }] });
  expect((await send("/v1/endpoints")).status).toBe(200);
}

const placesOf = (seen: readonly Seen[]) => new Set(seen.map(([where]) => where));

describe("A tenant's objects", () => {
  trial("have their plain names where no jurisdiction is configured, as they always had", async () => {
    const { tenant, asked, send } = await createWorker({});
    await useEverything(send);
    const shards = Array.from({ length: 7 }, (_, at) => `${tenant}\0outbox\0${at + 1}`);
    expect(new Set(asked.tenants.map(([, name]) => name))).toEqual(new Set([tenant, ...shards]));
    expect(placesOf(asked.tenants)).toEqual(new Set(["anywhere"]));
    expect(new Set(asked.tools.map(String))).toEqual(new Set(["anywhere,probe-global"]));
    expect(asked.workspaces).toEqual([["anywhere", tenant]]);
    expect(new Set(asked.endpoints.map(String))).toEqual(new Set([`anywhere,${tenant}`]));
  });

  trial.each([
    ["VOLLEY_JURISDICTION says", { VOLLEY_JURISDICTION: "eu" }, {}, "eu", "eu"],
    ["their key says", {}, { jurisdiction: "us" }, "us", "anywhere"],
    [
      "their key says, not VOLLEY_JURISDICTION",
      { VOLLEY_JURISDICTION: "eu" },
      { jurisdiction: "us" },
      "us",
      "eu",
    ],
  ] as const)(
    "are all where %s, and the tools' where the variable says",
    async (_, bindings, entry, where, tools) => {
      const { tenant, asked, send } = await createWorker(bindings, entry);
      await useEverything(send);
      expect(placesOf(asked.tenants)).toEqual(new Set([where]));
      expect(new Set(asked.tenants.map(([, name]) => name)).size).toBe(8);
      expect(asked.tenants.every(([, name]) => name.startsWith(tenant))).toBe(true);
      expect(placesOf(asked.tools)).toEqual(new Set([tools]));
      expect(asked.workspaces).toEqual([[where, tenant]]);
      expect(new Set(asked.endpoints.map(String))).toEqual(new Set([`${where},${tenant}`]));
    },
  );
});

describe("A configuration is refused, for every request and /healthz,", () => {
  let logged: string;
  beforeEach(() => {
    logged = "";
    vi.spyOn(console, "error").mockImplementation((...parts) => void (logged += parts.map(String).join(" ")));
  });
  afterEach(() => void vi.restoreAllMocks());

  const real = { TENANT_GATE: env.TENANT_GATE, TOOL_GATE: env.TOOL_GATE };
  test.each([
    [
      "whose jurisdiction does not exist",
      { VOLLEY_JURISDICTION: "mars" },
      /VOLLEY_JURISDICTION.*'eu', 'us' or empty/,
    ],
    ["whose jurisdiction is in capitals", { VOLLEY_JURISDICTION: "EU" }, /VOLLEY_JURISDICTION/],
    ["whose jurisdiction is a blank", { VOLLEY_JURISDICTION: " " }, /VOLLEY_JURISDICTION/],
    ["whose jurisdiction is no text", { VOLLEY_JURISDICTION: ["eu"] }, /VOLLEY_JURISDICTION/],
    [
      "whose runtime cannot place objects as the variable says",
      { ...real, VOLLEY_JURISDICTION: "eu" },
      /VOLLEY_JURISDICTION.*cannot keep objects in 'eu'/,
    ],
  ])("%s", async (_, bindings, message) => {
    const { send } = await createWorker(bindings);
    expect((await send("/healthz")).status).toBe(503);
    expect(await send("/v1/tools")).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
    expect(logged).toMatch(message);
  });

  test("whose runtime cannot place objects as a key says", async () => {
    const { send } = await createWorker(real, { jurisdiction: "us" });
    expect((await send("/healthz")).status).toBe(503);
    expect(logged).toMatch(/VOLLEY_KEYS.*cannot keep objects in 'us'/);
  });
});
