import { beforeAll, describe, expect, test } from "vitest";

import { MARK, openOwned, STRANGERS } from "./owned-world.ts";
import type { Answered } from "../../connections/http/connection-world.ts";
import { trials } from "../../../support/trial.ts";
import { trial } from "../../../support/trial.ts";

const YEARS_AGO = { since: "2020-01-01T00:00:00Z" };

/** The bodies of the paths with an id: the operation would be done if its id were the caller's own. */
const WITH_ID: Readonly<Record<string, unknown>> = {
  "POST /v1/confirmations/{id}": { decision: "approve" },
  "POST /v1/confirmations/{id}/link": { name: "Somebody" },
  "PUT /v1/tools/{id}": {
    summary: "Say nothing",
    description: "Say nothing. Size: about 10 tokens.",
    category: "words",
    actions: ["read"],
    is_write: false,
    input_schema: { type: "object", properties: {} },
    http: { method: "GET", url: "https://api.acme.dev/said" },
  },
  "PUT /v1/flows/{id}": {
    summary: "Say nothing",
    input_schema: { type: "object", properties: {} },
    actions: [{ id: "one", tool: "shared", args: {} }],
    answer: { $ref: "one#" },
  },
  "POST /v1/flows/{id}/run": { input: {} },
  "POST /v1/runs/{id}/rerun": {},
  "PUT /v1/endpoints/{id}": { url: "https://shop.example.com/hooks", events: ["*"] },
  "PATCH /v1/endpoints/{id}": { paused: true },
  "POST /v1/endpoints/{id}/rotate": {},
  "POST /v1/endpoints/{id}/test": {},
  "POST /v1/endpoints/{id}/recover": YEARS_AGO,
  "PUT /v1/event_types/{id}": { description: "Other", schema: { type: "object" }, example: {} },
  "POST /v1/connections/{id}/confirm": { code: "x".repeat(43), subject: "ada" },
};

/** The paths that look at, or change, many things at once, or what a body names. */
const BULK: Readonly<Record<string, unknown>> = {
  "POST /v1/jobs/redrive": { status: "dead" },
  "POST /v1/runs/rerun": YEARS_AGO,
  "POST /v1/runs/cancel": YEARS_AGO,
  "PUT /v1/runs": { runs: [] },
  "POST /v1/operator/redrive": { tenant: "acme", code: "UPSTREAM_ERROR" },
  "POST /v1/connections/confirm": { code: "BBBBBBBB", subject: "ada" },
  "POST /v1/connections/reseal": undefined,
  "POST /v1/endpoints/reseal": undefined,
  "DELETE /v1/portal_links": undefined,
  "POST /v1/tenant/delete": { tenant: "acme" },
};
const QUERIES: Readonly<Record<string, string>> = { "DELETE /v1/portal_links": "?customer=c_42" };

/** The paths that begin something of the caller's own. */
const DOORS = new Set([
  "POST /mcp",
  "POST /v1/execute_actions",
  "POST /v1/discover_tools",
  "POST /v1/get_tool_schema",
  "POST /v1/invoke_tool",
  "POST /v1/openai/tool_calls",
  "POST /v1/openai/function_calls",
  "POST /v1/anthropic/tool_use",
  "POST /v1/gemini/function_calls",
  "POST /api/orchestration/batch",
  "POST /api/orchestration/partition",
  "POST /v1/chat/completions",
  "POST /v1/messages",
  "POST /v1/responses",
  "POST /v1/messages/count_tokens",
  "POST /v1/tools/import",
  "POST /v1/keys",
  "POST /v1/events",
  "POST /v1/events/batch",
  "POST /v1/portal_links",
  "POST /v1/connections",
]);

/** The paths with an id that no key is asked for, and those whose things need a signed-in program: `sign-in.test.ts` of the harness has them. */
const ELSEWHERE = new Set(["POST /hooks/{tenant}/{id}", "DELETE /v1/sign_ins/{id}"]);

/** Ids of the same form that nothing has. */
const UNKNOWN: Readonly<Record<string, (id: string) => string>> = {
  connections: (id) => id.slice(0, -3) + (id.endsWith("000") ? "111" : "000"),
  deliveries: (id) => `${id}999`,
  events: (id) => id.replace("-4000-8000-", "-4000-9000-"),
  jobs: (id) => id.replace("-4000-8000-", "-4000-9000-"),
  runs: (id) => id.replace("-4000-8000-", "-4000-9000-"),
  confirmations: (id) => id.replace("-4000-8000-", "-4000-9000-"),
};
const unknownOf = (kind: string, id: string): string => (UNKNOWN[kind] ?? ((name) => `${name}-2`))(id);

type World = Awaited<ReturnType<typeof openOwned>>;
const first = await openOwned();
const document = await first.must("GET", "/openapi.json");
const operations = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
);
interface Operation {
  readonly method: string;
  readonly path: string;
}
const nameOf = ({ method, path }: Operation) => `${method} ${path}`;
const kindOf = (path: string) => path.split("/")[2]!;
const withId = operations.filter((one) => one.path.includes("{id}") && !ELSEWHERE.has(nameOf(one)));
/** A stream is open for five minutes, and other work goes on meanwhile. Each tenant's comes from its own object. */
const STREAM = "/v1/events/stream";
const bulk = operations.filter(
  (one) => !one.path.includes("{id}") && one.path !== STREAM && (one.method === "GET" || nameOf(one) in BULK),
);

/** Ask for an operation, as the owner unless another key is given. */
const ask = (world: World, operation: Operation, { key = "test-key", id = "" } = {}) => {
  const name = nameOf(operation);
  const path = operation.path.replace("{id}", id) + (QUERIES[name] ?? "");
  return world.send(operation.method, path, { ...WITH_ID, ...BULK }[name], world.as(key));
};

/** An answer as it is for every id: what was done may have a number of its own. */
const said = ({ status, body }: Answered, id: string): string =>
  `${status} ${
    status < 300
      ? ""
      : JSON.stringify(body)
          .replaceAll(id, "ID")
          .replace(/"request_id":"[^"]*"/, "")
  }`;

/** Everything that the owner is shown. */
async function portrait(world: World): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const one of operations.filter(({ method, path }) => method === "GET" && !UNSEEN.has(path))) {
    const ids = one.path.includes("{id}") ? Object.values(world.owned[kindOf(one.path)] ?? {}) : [""];
    for (const id of ids) {
      const { status, body } = await ask(world, one, { id });
      const changing =
        status < 300
          ? /"created_at":"[^"]*"(?=,"tools")|"last_used_at":("[^"]*"|null)/g
          : /"request_id":"[^"]*"/;
      seen[one.path.replace("{id}", id)] = `${status} ${JSON.stringify(body).replace(changing, "")}`;
    }
  }
  return seen;
}
/** The paths that answer otherwise each time, or for another right. */
const UNSEEN = new Set(["/healthz", "/openapi.json", "/v1/usage", "/v1/operator/overview", STREAM]);

test("T02 Every path of the API has an id, is about many things, or begins something of the caller's own", () => {
  const known = new Set([...Object.keys(BULK), ...DOORS, ...ELSEWHERE]);
  const isKnown = (one: Operation) =>
    one.method === "GET" || one.path.includes("{id}") || known.has(nameOf(one));
  expect(operations.filter((one) => !isKnown(one))).toEqual([]);
  // And of each kind the owner has something.
  expect(withId.filter(({ path }) => first.owned[kindOf(path)] === undefined)).toEqual([]);
});

/** A key's own runs are shown to it without what it may not call any more, and nothing of that ends. */
const SAFE = new Set(["/v1/runs", "/v1/runs/cancel"]);

describe.each(STRANGERS)("T02 For %s", (_, key, shared) => {
  let world: World;
  let before: Awaited<ReturnType<typeof portrait>>;
  beforeAll(async () => {
    world = await openOwned();
    before = await portrait(world);
  });

  trial.each(
    withId.filter(({ path }) => !shared.has(kindOf(path))).map((one) => [nameOf(one), one] as const),
  )("a thing of somebody else is none: %s", async (_name, one) => {
    const kind = kindOf(one.path);
    for (const [what, id] of Object.entries(world.owned[kind]!)) {
      const unknown = unknownOf(kind, id);
      const [real, none] = [await ask(world, one, { key, id }), await ask(world, one, { key, id: unknown })];
      expect(said(real, id), what).toBe(said(none, unknown));
      expect(JSON.stringify(real.body)).not.toContain(MARK);
    }
  });

  trial.each(
    bulk
      .filter(({ path }) => !shared.has(kindOf(path)) || SAFE.has(path))
      .map((one) => [nameOf(one), one] as const),
  )("nothing of somebody else is among many: %s", async (_name, one) => {
    expect(JSON.stringify((await ask(world, one, { key })).body)).not.toContain(MARK);
  });

  trial("all of that leaves what there is as it was", async () => {
    expect(await portrait(world)).toEqual(before);
  });
});

// The proof that the tests above can fail: it opens a world for each path that changes something.
trials("T02 For a key that may", () => {
  test.each(withId.map((one) => [nameOf(one), one] as const))("a thing is one: %s", async (_name, one) => {
    const kind = kindOf(one.path);
    const answers: boolean[] = [];
    for (const [what, id] of Object.entries(first.owned[kind]!)) {
      if (answers.includes(true)) break;
      // A GET leaves its world as it was for the next test.
      const world = one.method === "GET" ? first : await openOwned();
      const unknown = unknownOf(kind, id);
      const real = await ask(world, one, { id: world.owned[kind]![what]! });
      const none = await ask(world, one, { id: unknown });
      answers.push(real.status !== none.status || said(real, id) !== said(none, unknown));
    }
    expect(answers).toContain(true);
  });
});
