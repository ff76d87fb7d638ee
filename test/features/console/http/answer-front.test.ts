import { describe, expect, test } from "vitest";
import type { Feature, Fetch } from "../../../../src/cloudflare/feature.ts";
import { console as consoleFeature } from "../../../../src/features/console/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { usage } from "../../../../src/features/usage/index.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";

const FEW: readonly Feature[] = [discovery(), usage(), consoleFeature()];
const ctx = { waitUntil() {} } as unknown as ExecutionContext;
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/** Ask an app behind the page, which answers 401 whatever it is asked. */
async function ask(
  accept: string | null,
  {
    path = "/",
    method = "GET",
    features = FEW,
  }: { path?: string; method?: string; features?: readonly Feature[] } = {},
): Promise<Response> {
  const app: Fetch = () => Response.json({ code: "UNAUTHORIZED" }, { status: 401 });
  const headers: Record<string, string> = accept === null ? {} : { accept };
  return consoleFeature().around!(app, features)(
    new Request(`https://volley.example${path}`, { method, headers }),
    {},
    ctx,
  );
}

describe("GET /", () => {
  test.each([[BROWSER], ["*/*"], ["application/json, text/plain, */*"], [null]])(
    "is a page for a client that takes one: %s",
    async (accept) => {
      const answer = await ask(accept);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(await answer.text()).toContain("One call in, every result out.");
    },
  );

  test.each(["application/json", "application/json, text/event-stream", "application/problem+json"])(
    "is answered as if there were no page where the client takes none: %s",
    async (accept) => {
      const answer = await ask(accept);
      expect(answer.status).toBe(401);
      expect(await answer.json()).toEqual({ code: "UNAUTHORIZED" });
    },
  );

  test.each([
    ["another path", { path: "/v1/tools" }],
    ["a path that ends like it", { path: "/x/" }],
    ["another method", { method: "POST" }],
  ])("leaves %s to the app", async (_, asked) => {
    expect((await ask(BROWSER, asked)).status).toBe(401);
  });

  test("answers HEAD with the headers alone, and an address with a query with the page", async () => {
    const head = await ask(BROWSER, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await ask(BROWSER, { path: "/?from=mail" })).status).toBe(200);
  });

  test("has an id of its own and its times, as every answer has", async () => {
    const answers = [await ask(BROWSER), await ask(BROWSER)];
    for (const { headers } of answers) expect(headers.get("server-timing")).toBe("write;dur=0");
    const ids = answers.map(({ headers }) => headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("has no script, and a policy that lets in its own style alone", async () => {
    const answer = await ask(BROWSER);
    const policy = answer.headers.get("content-security-policy")!;
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; /);
    expect(policy).not.toContain("unsafe");
    expect(await answer.text()).not.toMatch(/<script|javascript:|\son\w+=| style=/);
  });

  test("names the features that are listed and no other, with the paths of each", async () => {
    const page = await (await ask(BROWSER)).text();
    expect(page).toContain("All 3 features");
    expect(page).toContain("<code>GET /v1/usage</code>");
    const shown = page.slice(page.indexOf("<main>"));
    for (const { name } of ALL_FEATURES)
      if (!FEW.some((few) => few.name === name)) expect(shown).not.toMatch(new RegExp(`<dt>${name}</dt>`));
    for (const path of ["/mcp", "/v1/chat/completions", "/openapi.json", "/docs/"])
      expect(shown).not.toContain(path);
  });

  test("leads to the docs, to MCP and to the agent where they are listed", async () => {
    const page = await (await ask(BROWSER, { features: ALL_FEATURES })).text();
    for (const part of ['href="/docs/"', "/v1/messages", "GET /openapi.json", 'id="mcp"', "/hooks/"])
      expect(page).toContain(part);
  });

  test("T40 makes no markup of the name under which it was reached", async () => {
    const app: Fetch = () => new Response();
    const request = new Request("https://a'b&c.example/", { headers: { accept: BROWSER } });
    const page = await (await consoleFeature().around!(app, FEW)(request, {}, ctx)).text();
    expect(page).not.toMatch(/https:\/\/a'b/);
  });
});
