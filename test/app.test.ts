import { describe, expect, test, vi } from "vitest";

import { objects } from "../src/features/objects/index.ts";
import { createTestVolley } from "../src/package/testing.ts";

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
