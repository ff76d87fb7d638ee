import { afterAll, beforeAll, expect, test } from "vitest";

import { EXAMPLES_HOST } from "../sandbox/upstreams/examples.ts";
import type { WireEnvelope } from "../support/execute-batch.ts";
import { startSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";
import type { RunningWorker } from "../support/miniflare.ts";

/** The five worked examples of the pattern's specification, over HTTP. */

const AT = `https://${EXAMPLES_HOST}`;

interface ExampleStats {
  readonly routes: Readonly<Record<string, { readonly requests: number; readonly peak: number }>>;
  readonly contacts: readonly { readonly name: string }[];
  readonly deliveries: Readonly<Record<string, readonly unknown[]>>;
}

let volley: RunningWorker;
let caller: TestCaller;

beforeAll(async () => {
  // So that `probe-any` can read what the examples' upstream saw.
  volley = await startSandbox({ vars: { PROBE_ORIGIN: AT } });
  caller = new TestCaller(volley.url);
});

afterAll(() => volley?.[Symbol.asyncDispose]());

async function readStats(): Promise<ExampleStats> {
  const { results } = await caller.execute([{ tool: "probe-any", args: { path: "/stats" } }]);
  return results[0]!.data as ExampleStats;
}

const statuses = ({ results }: WireEnvelope): string[] =>
  results.map(({ status, error }) => error?.code ?? status);

test("1. 'Agents issue search first, then fan out fetches up to the declared concurrency': in one call", async () => {
  const answer = await caller.execute([
    {
      id: "texts",
      tool: "fetch_document",
      for_each: { $ref: "search#/documents" },
      args: { document_id: { $ref: "item#/document_id" } },
    },
    { id: "search", tool: "search_documents", args: { query: "tea", limit: 9 } },
  ]);

  expect(statuses(answer)).toEqual(["success", "success"]);
  expect(answer.results[0]).toMatchObject({ meta: { items: { total: 9, ok: 9, error: 0 } } });
  expect(answer.results[0]!.data).toEqual(
    Array.from({ length: 9 }, (_, index) => ({
      index,
      status: "success",
      data: { document_id: `tea-${index + 1}`, text: `All there is to say about tea-${index + 1}.` },
    })),
  );
  const { routes } = await readStats();
  expect(routes["GET /documents/:id"]).toEqual({ requests: 9, peak: 4 });
});

test("1. 'fetch_document is dependent on search_documents.document_id': filled in when it is left out", async () => {
  const answer = await caller.execute([
    { tool: "search_documents", args: { query: "salt" } },
    { tool: "fetch_document" },
  ]);

  expect(statuses(answer)).toEqual(["success", "success"]);
  expect(answer.results[1]!.data).toMatchObject({ document_id: "salt-1" });
});

test("2. 'The agent fans out to ten cities at once; one timeout does not cascade'", async () => {
  const cities = "Phoenix Oslo Tokyo Paris Slowville Cairo Lagos Berlin Seoul Sydney";
  const answer = await caller.execute(
    cities.split(" ").map((city) => ({ tool: "get_weather", args: { city }, timeout_ms: 5_000 })),
  );

  expect(statuses(answer)).toEqual(
    cities.split(" ").map((city) => (city === "Slowville" ? "TIMEOUT" : "success")),
  );
  expect(answer.summary).toMatchObject({ ok: 9, error: 1 });
  expect(answer.stats["max_parallelism"]).toBe(10);
  // The slow one's whole five seconds; the others, 240 ms each one after the other, fit beside it.
  expect(answer.stats["duration_ms"]).toBeGreaterThanOrEqual(4_990);
  expect(answer.stats["duration_ms"]).toBeLessThan(answer.stats["sequential_ms"]!);
});

test("3. 'Vector search is parallel-safe. The agent must serialize rerank calls'", async () => {
  const answer = await caller.execute(
    ["tea", "salt", "rice"].flatMap((query) => [
      { id: query, tool: "vector_search", args: { query } },
      {
        id: `${query}-order`,
        tool: "rerank",
        args: { ids: [{ $ref: `${query}#/matches/0/id` }, { $ref: `${query}#/matches/1/id` }] },
      },
    ]),
  );

  expect(answer.results.map(({ data }) => data)).toMatchObject([
    {},
    { ids: ["tea/2", "tea/1"] },
    {},
    { ids: ["salt/2", "salt/1"] },
    {},
    { ids: ["rice/2", "rice/1"] },
  ]);
  const { routes } = await readStats();
  expect(routes["GET /vectors"]).toEqual({ requests: 3, peak: 3 });
  expect(routes["POST /rerank"]).toEqual({ requests: 3, peak: 1 });
});

test("4. 'One bad row aborts the batch; agents do not need to think about partial state'", async () => {
  const rows = (...names: string[]) =>
    names.map((name) => ({ name, email: name === "Bob" ? "no address" : `${name}@example.com` }));
  const refused = await caller.execute([
    { tool: "create_contacts", args: { contacts: rows("Ada", "Bob", "Cleo") } },
  ]);
  expect(refused.results[0]).toMatchObject({
    status: "error",
    error: { code: "UPSTREAM_ERROR", upstream_status: 422, retryable: false },
    meta: { attempts: 1 },
  });
  expect((await readStats()).contacts).toEqual([]);

  const created = await caller.execute([
    { tool: "create_contacts", args: { contacts: rows("Ada", "Cleo") } },
  ]);
  expect(created.results[0]).toMatchObject({
    status: "success",
    data: { contacts: [{ contact_id: "c-1", name: "Ada" }, { name: "Cleo" }] },
  });
  expect((await readStats()).contacts).toHaveLength(2);
});

test("4. Fail-fast over several transactions: what comes after the bad one is not tried", async () => {
  const before = await readStats();
  const good = { name: "Dora", email: "dora@example.com" };
  const answer = await caller.execute([
    {
      tool: "create_contacts",
      for_each: [[good], [{ name: "Bob", email: "no address" }], [good]],
      args: { contacts: { $ref: "item#" } },
    },
  ]);

  expect(answer.results[0]).toMatchObject({
    status: "error",
    error: { code: "UPSTREAM_ERROR", upstream_status: 422, hint: expect.stringContaining("Element 1 of 3") },
    meta: { items: { total: 3, ok: 1, error: 2 } },
  });
  const after = await readStats();
  expect(after.routes["POST /contacts"]!.requests - before.routes["POST /contacts"]!.requests).toBe(2);
  expect(after.contacts).toHaveLength(before.contacts.length + 1);
});

test("5. 'dispatch_event fans out to N webhook URLs with an HMAC signature in each call; the tool surface owns retry'", async () => {
  const hooks = [...Array.from({ length: 20 }, (_, n) => `hook-${n}`), "flaky", "down"];
  const urls = [...hooks.map((hook) => `${AT}/hooks/${hook}`), "https://10.0.0.1/hooks/elsewhere"];
  const answer = await caller.execute([
    { tool: "dispatch_event", args: { event: "order.paid", data: { order: 7 }, urls } },
  ]);

  expect(answer.results).toHaveLength(1);
  expect(answer.results[0]).toMatchObject({ status: "success", meta: { attempts: 1 } });
  const statuses = [
    ...Array.from({ length: 20 }, () => ({ status: 200, attempts: 1 })),
    { status: 200, attempts: 2 },
    { status: 503, attempts: 3 },
    { status: "not_allowed", attempts: 0 },
  ];
  expect(answer.results[0]!.data).toEqual({
    deliveries: statuses.map((delivery, index) => ({ url: urls[index], ...delivery })),
  });

  // The upstream takes only what is signed, and every hook took the event once.
  const { deliveries } = await readStats();
  expect(deliveries).toEqual(
    Object.fromEntries(
      hooks
        .filter((hook) => hook !== "down")
        .map((hook) => [hook, [{ type: "order.paid", timestamp: expect.any(String), data: { order: 7 } }]]),
    ),
  );
});
