import { describe, expect, test } from "vitest";

import type { Fetch } from "../../../../src/cloudflare/feature.ts";
import { answerPages } from "../../../../src/features/cors/http/answer-pages.ts";
import { readPageOrigins } from "../../../../src/features/cors/http/page-origins.ts";

const PAGE = "https://app.example.com";
const env = { VOLLEY_ORIGINS: `${PAGE}, http://localhost:5173` };
const ctx = { waitUntil() {} } as unknown as ExecutionContext;

/** Ask the app behind the feature, which answers 401 with the headers of every answer. */
async function ask(
  init: RequestInit,
  variables: object = env,
): Promise<{ answer: Response; reached: number }> {
  let reached = 0;
  const app: Fetch = () => {
    reached += 1;
    return new Response("{}", { status: 401, headers: { "x-request-id": "1", vary: "accept" } });
  };
  const request = new Request("https://volley.example/v1/execute_actions", init);
  return { answer: await answerPages(app)(request, { ...variables }, ctx), reached };
}

const allowed = (answer: Response): string[] =>
  [...answer.headers.keys()].filter((name) => name.startsWith("access-control-"));

describe("A page of a listed origin", () => {
  test("reads every answer, refusals too, and the headers that tell of quota and retries", async () => {
    const { answer } = await ask({ method: "POST", headers: { origin: PAGE } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("access-control-allow-origin")).toBe(PAGE);
    const exposed = answer.headers.get("access-control-expose-headers");
    for (const name of ["RateLimit", "Retry-After", "x-request-id", "idempotency-replayed"])
      expect(exposed).toContain(name);
  });

  test("may send no cookie, and no cache gives its answer to another origin's page", async () => {
    const { answer } = await ask({ headers: { origin: PAGE } });
    expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
    expect(answer.headers.get("vary")).toBe("accept, origin");
  });

  test("is told what it may send before it sends a key, and the app is not asked", async () => {
    const { answer, reached } = await ask({
      method: "OPTIONS",
      headers: {
        origin: PAGE,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,idempotency-key,x-stainless-lang",
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
    expect(answer.headers.get("access-control-allow-headers")).toBe(
      "authorization,content-type,idempotency-key,x-stainless-lang",
    );
    expect(reached).toBe(0);
  });

  test("that asks for headers by no names is allowed none", async () => {
    const names = Array.from({ length: 65 }, (_, n) => `x-${n}`).join();
    for (const sent of ["a b", "x:y", names]) {
      const { answer } = await ask({
        method: "OPTIONS",
        headers: {
          origin: PAGE,
          "access-control-request-method": "GET",
          "access-control-request-headers": sent,
        },
      });
      expect(answer.headers.has("access-control-allow-headers")).toBe(false);
    }
  });
});

describe("T24 Another page", () => {
  test.each([
    "https://app.example.com.evil.example",
    "http://app.example.com",
    "https://app.example.com:8443",
    "https://APP.example.com",
    "null",
    "*",
  ])("of %s is allowed nothing, whatever it asks", async (origin) => {
    const plain = await ask({ headers: { origin } });
    const preflight = await ask({
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
    expect(allowed(plain.answer)).toEqual([]);
    expect(allowed(preflight.answer)).toEqual([]);
    expect(preflight.reached).toBe(1);
  });

  test("is allowed nothing where no origin is listed, or the variable cannot be read", async () => {
    for (const variables of [{}, { VOLLEY_ORIGINS: "*" }, { VOLLEY_ORIGINS: `${PAGE}/, ${PAGE}` }]) {
      const { answer } = await ask({ headers: { origin: PAGE } }, variables);
      expect(allowed(answer)).toEqual([]);
    }
  });
});

test("A request without an origin is answered as it was", async () => {
  const { answer } = await ask({ method: "POST" });
  expect(allowed(answer)).toEqual([]);
  expect(answer.headers.get("vary")).toBe("accept");
});

test.each([
  "*",
  "app.example.com",
  `${PAGE}/`,
  `${PAGE}/pages`,
  "ftp://app.example.com",
  "https://App.example.com",
])("%s as an origin of VOLLEY_ORIGINS is refused with its name", (text) => {
  expect(() => readPageOrigins({ VOLLEY_ORIGINS: text })).toThrow(`'${text}' must be an origin`);
});
