import { describe, expect, test } from "vitest";

import type { Fetch } from "../../../../src/cloudflare/feature.ts";
import { docs } from "../../../../src/features/docs/index.ts";

const ctx = { waitUntil() {} } as unknown as ExecutionContext;
const BROWSER = "text/html,*/*;q=0.8";

/** Ask an app behind the feature, which answers 401 whatever it is asked. */
async function ask(path: string, { accept = BROWSER, method = "GET" } = {}): Promise<Response> {
  const app: Fetch = () => Response.json({ code: "UNAUTHORIZED" }, { status: 401 });
  const request = new Request(`https://volley.example${path}`, { method, headers: { accept } });
  return docs().around!(app, [])(request, {}, ctx);
}

describe("A page of the documentation that is not there", () => {
  test.each(["/docs", "/docs/", "/docs/nowhere", "/docs/agent?x=1", "/llms.txt", "/llms-full.txt?x"])(
    "is a page that leads to the others, and says how they are built: %s",
    async (path) => {
      const answer = await ask(path);
      expect(answer.status).toBe(404);
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; /);
      const text = await answer.text();
      expect(text).toContain('href="/docs/"');
      expect(text).toContain("npm run docs");
    },
  );

  test.each(["/docs/nowhere", "/llms.txt"])("needs no key, whatever a client takes: %s", async (path) => {
    for (const accept of ["application/json", "*/*"]) expect((await ask(path, { accept })).status).toBe(404);
  });

  test("has no body where only the head is asked for", async () => {
    const answer = await ask("/docs/nowhere", { method: "HEAD" });
    expect([answer.status, await answer.text()]).toEqual([404, ""]);
  });

  test.each([
    ["another method", "/docs/nowhere", { method: "POST" }],
    ["another path", "/docsify", {}],
    ["another text", "/llms.txt.bak", {}],
    ["a path of the API", "/v1/tools", {}],
  ])("is not told to %s", async (_, path, options) => {
    expect((await ask(path, options)).status).toBe(401);
  });
});
