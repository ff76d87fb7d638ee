import { afterAll, beforeAll, expect, test } from "vitest";

import { EXAMPLES_HOST } from "../sandbox/upstreams/examples.ts";
import type { WireEnvelope } from "../support/execute-batch.ts";
import { startSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";
import type { RunningWorker } from "../support/miniflare.ts";

/** The five worked examples of the pattern's specification, over HTTP. */

const AT = `https://${EXAMPLES_HOST}`;

interface ExampleStats {
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
    { id: "search", tool: "search_documents", args: { query: "tea salt rice", limit: 9 } },
  ]);

  expect(statuses(answer)).toEqual(["success", "success"]);
  const { documents } = answer.results[1]!.data as { documents: { document_id: string; title: string }[] };
  expect(documents).toHaveLength(7);
  expect(answer.results[0]).toMatchObject({ meta: { items: { total: 7, ok: 7, error: 0 } } });
  expect(answer.results[0]!.data).toEqual(
    documents.map(({ document_id, title }, index) => ({
      index,
      status: "success",
      data: { document_id, title, text: expect.any(String) },
    })),
  );
  expect(answer.stats["max_parallelism"]).toBe(5);
});

test("1. 'fetch_document is dependent on search_documents.document_id': filled in when it is left out", async () => {
  const answer = await caller.execute([
    { tool: "search_documents", args: { query: "trade in salt" } },
    { tool: "fetch_document" },
  ]);

  expect(statuses(answer)).toEqual(["success", "success"]);
  expect(answer.results[1]!.data).toMatchObject({ document_id: "salt-trade" });
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
  const queries = ["tea", "salt", "rice"];
  const searched = await caller.execute(queries.map((query) => ({ tool: "vector_search", args: { query } })));
  expect(searched.stats["max_parallelism"]).toBe(3);

  const answer = await caller.execute(
    queries.flatMap((query) => [
      { id: query, tool: "search_documents", args: { query } },
      { id: `${query}-order`, tool: "rerank", args: { query, documents: { $ref: `${query}#/documents` } } },
    ]),
  );
  expect(statuses(answer)).toEqual(Array.from({ length: 6 }, () => "success"));
  for (const at of [0, 2, 4]) {
    const { documents } = answer.results[at]!.data as { documents: { document_id: string }[] };
    const { results } = answer.results[at + 1]!.data as { results: { index: number; document_id: string }[] };
    expect(results.map(({ index }) => documents[index]!.document_id)).toEqual(
      results.map(({ document_id }) => document_id),
    );
    expect(results).toHaveLength(documents.length);
  }

  const ranked = await caller.execute(
    queries.map((query) => ({ tool: "rerank", args: { query, documents: ["salt", "tea with salt"] } })),
  );
  expect(statuses(ranked)).toEqual(["success", "success", "success"]);
  expect(ranked.stats["max_parallelism"]).toBe(1);
});

const rows = (...names: string[]) =>
  names.map((name) => ({ name, email: name === "Bob" ? "no address" : `${name}@worked.example` }));

/** Who is stored, as the tenant's own report says. */
async function storedNames(): Promise<string[]> {
  const { results } = await caller.execute([
    { tool: "csv_report", args: { source: "contacts", columns: ["name", "email"] } },
  ]);
  const { url } = results[0]!.data as { url: string };
  const { text } = await caller.get(url);
  return [...text.matchAll(/^(.*),\S+@worked\.example\r$/gm)].map(([, name]) => name!).sort();
}

test("4. 'One bad row aborts the batch; agents do not need to think about partial state'", async () => {
  const refused = await caller.execute([
    { tool: "create_contacts", args: { contacts: rows("Ada", "Bob", "Cleo") } },
  ]);
  expect(refused.results[0]).toMatchObject({
    status: "error",
    error: {
      code: "INVALID_ARGS",
      retryable: false,
      hint: expect.stringContaining("/args/contacts/1/email"),
    },
  });
  expect(await storedNames()).toEqual([]);

  const created = await caller.execute([
    { tool: "create_contacts", args: { contacts: rows("Ada", "Cleo") } },
  ]);
  expect(created.results[0]).toMatchObject({
    status: "success",
    data: { created: [{ email: "Ada@worked.example" }, { email: "Cleo@worked.example" }] },
  });
  expect(await storedNames()).toEqual(["Ada", "Cleo"]);

  // A row that only the database can refuse leaves nothing behind either.
  const taken = await caller.execute([
    { tool: "create_contacts", args: { contacts: rows("Dan", "Eve", "Ada") } },
  ]);
  expect(taken.results[0]).toMatchObject({
    status: "error",
    error: {
      code: "INVALID_ARGS",
      hint: expect.stringContaining("Row 2, counted from 0"),
      issues: [{ path: "/args/contacts/2/email" }],
    },
  });
  expect(await storedNames()).toEqual(["Ada", "Cleo"]);
});

test("4. Fail-fast over several transactions: what comes after the bad one is not tried", async () => {
  const answer = await caller.execute([
    {
      tool: "create_contacts",
      for_each: [rows("Dora"), rows("Ada"), rows("Fay")],
      args: { contacts: { $ref: "item#" } },
    },
  ]);

  expect(answer.results[0]).toMatchObject({
    status: "error",
    error: { code: "INVALID_ARGS", hint: expect.stringContaining("Element 1 of 3") },
    meta: { items: { total: 3, ok: 1, error: 2 } },
  });
  expect(await storedNames()).toEqual(["Ada", "Cleo", "Dora"]);
});

test("4. The same request again creates nothing twice", async () => {
  const ask = () =>
    caller.send({
      headers: { "idempotency-key": "gus" },
      body: JSON.stringify({ actions: [{ tool: "create_contacts", args: { contacts: rows("Gus") } }] }),
    });
  const [first, second] = [await ask(), await ask()];
  expect(first.text).toContain("Gus@worked.example");
  expect(second.text).toBe(first.text);
  expect(await storedNames()).toEqual(["Ada", "Cleo", "Dora", "Gus"]);
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
