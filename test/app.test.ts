import { describe, expect, test, vi } from "vitest";

import { createVolley } from "../src/cloudflare/create-volley.ts";
import { objects } from "../src/features/objects/index.ts";
import { createTestVolley } from "../src/package/testing.ts";
import { ALL_FEATURES } from "./support/all-features.ts";

const WITHOUT_KEY = { authorization: "" };

describe("The line of a refused request", () => {
  test.each([
    ["HEAD", "/v1/jobs?limit=none", {}, "INVALID_QUERY", "GET /v1/jobs"],
    ["HEAD", "/v1/jobs", { "volley-hop": "1" }, "LOOP_DETECTED", "GET /v1/jobs"],
    ["HEAD", "/v1/execute_actions", {}, "METHOD_NOT_ALLOWED", "/v1/execute_actions"],
    ["GET", "/v1/nothing", {}, "NOT_FOUND", "other"],
    // As the way to every route is written in the router.
    ["GET", "/*", {}, "NOT_FOUND", "other"],
  ])("of %s %s with %j has the code %s, once", async (method, path, headers, code, route) => {
    const volley = await createTestVolley({ tools: [], env: { VOLLEY_LOG: "all" } });
    using warn = vi.spyOn(console, "warn").mockReturnValue();
    await volley.fetch(path, { method, headers: headers as Record<string, string> });
    const lines = warn.mock.calls.map(([line]) => JSON.parse(line as string) as object);
    expect(lines).toMatchObject([{ event: "request_refused", method, code, route }]);
  });
});

test.each(["/docs", "/docs/keys", "/llms.txt", "/llms-full.txt"])(
  "%s is 404 for who has no key, where no feature serves it",
  async (path) => {
    const volley = await createTestVolley({ tools: [] });
    const ask = (at: string): Promise<Response> => volley.fetch(at, { headers: WITHOUT_KEY });
    expect([(await ask(path)).status, (await ask("/nowhere")).status]).toEqual([404, 401]);
  },
);

test("The routes of features are made once, by the first request that is no batch", async () => {
  let made = 0;
  const routes = (): [] => {
    made += 1;
    return [];
  };
  const { app } = createVolley({ tools: [], features: [{ name: "counted", routes }] });
  // Nothing is configured, which is a line each time.
  using error = vi.spyOn(console, "error").mockReturnValue();
  const ctx = { waitUntil: () => {} } as unknown as ExecutionContext;
  const ask = async (method: string, path: string): Promise<number> => {
    await app.fetch(new Request(`https://volley.example${path}`, { method }), {}, ctx);
    return made;
  };
  expect(await ask("POST", "/v1/execute_actions")).toBe(0);
  expect([await ask("GET", "/healthz"), await ask("GET", "/healthz")]).toEqual([1, 1]);
  expect(error).toHaveBeenCalled();
});

test("Workers of the same features share their routes, and each answers by its own configuration", async () => {
  let made = 0;
  const routes = (): [] => {
    made += 1;
    return [];
  };
  const features = [{ name: "counted", routes }];
  const left: string[] = [];
  for (const limit of [20, 30]) {
    const volley = await createTestVolley({
      tools: [],
      features,
      key: { quota: { limit, window_s: 3_600 } },
    });
    left.push((await volley.fetch("/v1/jobs")).headers.get("ratelimit")!);
  }
  expect(left).toEqual([expect.stringContaining(";r=99;"), expect.stringContaining(";r=149;")]);
  expect(made).toBe(1);
});

test("A batch that is refused before it was counted costs nothing", async () => {
  const volley = await createTestVolley({ tools: [], key: { quota: { limit: 20, window_s: 3_600 } } });
  const send = (body: string): Promise<Response> =>
    volley.fetch("/v1/execute_actions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
  const leftAfterOne = async (): Promise<number> => {
    const { headers } = await send('{"actions":[{"tool":"nothing"}]}');
    return Number(/;r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
  };
  const before = await leftAfterOne();
  for (let sent = 0; sent < 5; sent += 1) expect((await send("{")).status).toBe(400);
  expect(await leftAfterOne()).toBe(before - 1);
});

describe("A request that runs nothing", () => {
  const leftOf = (response: Response): number =>
    Number(/;r=(\d+)/.exec(response.headers.get("ratelimit") ?? "")?.[1]);

  test("is counted once, also where its address has the parameter's name in place of a value", async () => {
    const volley = await createTestVolley({ tools: [], key: { quota: { limit: 20, window_s: 3_600 } } });
    const left: number[] = [];
    for (const path of ["/v1/jobs/a", "/v1/jobs/:id", "/v1/jobs/b"])
      left.push(leftOf(await volley.fetch(path)));
    expect(left.map((one) => left[0]! - one)).toEqual([0, 1, 2]);
  });

  test("is told what is left of its allowance, also where this system fails", async () => {
    const broken = {
      httpEtag: '"tag"',
      size: 1,
      body: null,
      get httpMetadata(): never {
        throw new TypeError("This is a bug");
      },
    };
    const volley = await createTestVolley({
      tools: [],
      features: [objects()],
      env: { OBJECTS: { get: async () => broken } },
    });
    using error = vi.spyOn(console, "error").mockReturnValue();
    const response = await volley.fetch("/v1/objects/00000000-0000-4000-8000-000000000000");
    expect(response.status).toBe(503);
    expect(error.mock.calls.join()).toContain("This is a bug");
    expect(leftOf(response)).toBeGreaterThan(0);
  });
});

describe("T24 A method that a path does not have is answered 405", () => {
  test.each([
    ["POST", "/v1/tools", {}, "GET, HEAD"],
    ["PUT", "/v1/confirmations/x", {}, "GET, HEAD, POST"],
    ["GET", "/v1/execute_actions", {}, "POST"],
    ["POST", "/healthz", WITHOUT_KEY, "GET, HEAD"],
    ["PUT", "/approvals/test/token", WITHOUT_KEY, "GET, HEAD, POST"],
    ["DELETE", "/connect/test/id/secret", WITHOUT_KEY, "GET, HEAD, POST"],
    ["GET", "/hooks/test/flow", WITHOUT_KEY, "POST"],
    ["PUT", "/portal", WITHOUT_KEY, "GET, HEAD"],
    ["GET", "/oauth/token", WITHOUT_KEY, "POST"],
  ])("%s %s with %j is told that there is %s", async (method, path, headers, allow) => {
    const volley = await createTestVolley({ tools: [], features: ALL_FEATURES });
    const response = await volley.fetch(path, { method, headers: headers as Record<string, string> });
    expect({ status: response.status, allow: response.headers.get("allow") }).toEqual({ status: 405, allow });
    expect(await response.text()).toContain(`This path answers ${allow} only`);
  });

  test("a POST to a list is told what makes one of it", async () => {
    const volley = await createTestVolley({ tools: [], features: ALL_FEATURES });
    const said = await (await volley.fetch("/v1/endpoints", { method: "POST" })).text();
    expect(said).toContain("PUT /v1/endpoints/{id} makes one.");
  });

  test("a HEAD is answered where it names HEAD", async () => {
    const volley = await createTestVolley({ tools: [], features: ALL_FEATURES });
    const response = await volley.fetch("/v1/tools", { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });

  test("a path that wants a key says nothing of its methods to who has none", async () => {
    const volley = await createTestVolley({ tools: [], features: ALL_FEATURES });
    const response = await volley.fetch("/v1/tools", { method: "PUT", headers: WITHOUT_KEY });
    expect(response.status).toBe(401);
    expect(response.headers.has("allow")).toBe(false);
  });
});

test.each([
  ["GET", "/v1/responses/resp_1"],
  ["DELETE", "/v1/responses/resp_1"],
  ["POST", "/v1/responses/resp_1/cancel"],
  ["GET", "/v1/responses/resp_1/input_items"],
])("%s %s says that no response is kept, and how a conversation goes on", async (method, path) => {
  const volley = await createTestVolley({ tools: [], features: ALL_FEATURES });
  const response = await volley.fetch(path, { method });
  expect(response.status).toBe(404);
  const { error } = (await response.json()) as { error: { message: string; code: string } };
  expect(error.message).toContain("Responses are not kept: send the whole conversation in `input`.");
});
