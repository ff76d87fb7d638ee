import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { configureKeys } from "../support/configured-keys.ts";
import type { WireResult } from "../support/execute-batch.ts";
import { expectClean } from "../support/expect-clean.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { problemOf, type RawAnswer, type RawRequest, TestCaller } from "../support/test-caller.ts";
import type { RunningWorker } from "../support/miniflare.ts";

let volley: RunningWorker;
let caller: TestCaller;

beforeAll(async () => {
  volley = await startRawSandbox();
  caller = new TestCaller(volley.url);
});

afterAll(() => volley?.[Symbol.asyncDispose]());

const ECHO = { tool: "probe-echo", args: { n: 1 } };
const batch = (...actions: unknown[]): string => JSON.stringify({ actions });

test.each([
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-authorization-server/mcp",
  "/.well-known/x",
])("GET %s is 404 for everybody, with a key, a wrong one or none", async (path) => {
  for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: "Bearer sandbox-key" }]) {
    const answer = await caller.send({ method: "GET", path, headers });
    expect(problemOf(answer)).toMatchObject({ status: 404, code: "NOT_FOUND" });
  }
});

describe("A key", () => {
  const unknown: [sentence: string, key: string][] = [
    ["that is nearly right", "sandbox-kez"],
    ["that is right but for its case", "Sandbox-Key"],
    ["that is not ASCII", "s\u00e4ndbox-key"],
    ["of 8 KB", "x".repeat(8_000)],
    ["that is the digest of a real one", "84ee53608366a8fc62bb2e4adc967504ac66940b1af20982b0fc0ce4c3b3bf86"],
  ];

  test.each(unknown)("T01 %s is answered like any other that is not known", async (_, key) => {
    const ask = (sent: string) =>
      caller.send({ body: batch(ECHO), headers: { authorization: `Bearer ${sent}` } });
    const answer = await ask(key);
    expectClean(answer);
    expect(answer.status).toBe(401);
    expect(withoutRequestId(answer)).toEqual(withoutRequestId(await ask("wrong")));
  });

  const KEY = "sandbox-key";
  const malformed: [sentence: string, headers: RawRequest["headers"], said: string][] = [
    ["that is missing", {}, "There is no 'Authorization' header"],
    ["that is empty", { authorization: "" }, "There is no 'Authorization' header"],
    ["with something after it", { authorization: `Bearer ${KEY} x` }, "a space in what follows 'Bearer'"],
    ["sent twice in one header", { authorization: `Bearer ${KEY}, Bearer ${KEY}` }, "more than once"],
    ["sent in two headers", { authorization: [`Bearer ${KEY}`, `Bearer ${KEY}`] }, "more than once"],
    ["without its scheme", { authorization: KEY }, "the word 'Bearer' is missing"],
    [
      "under another scheme",
      { authorization: "Basic c2FuZGJveC1rZXk=" },
      "the scheme 'Basic' instead of 'Bearer'",
    ],
    ["under an unknown scheme", { authorization: `${KEY} x` }, "another scheme instead of 'Bearer'"],
    ["with a colon after its scheme", { authorization: `Bearer: ${KEY}` }, "a colon after 'Bearer'"],
    ["that is blank", { authorization: "Bearer " }, "There is no key after 'Bearer'"],
    ["with its scheme twice", { authorization: `Bearer Bearer ${KEY}` }, "'Bearer' stands twice"],
    ["in quotes", { authorization: `Bearer "${KEY}"` }, "in quotes or brackets"],
    ["in the brackets of its documentation", { authorization: `Bearer <${KEY}>` }, "in quotes or brackets"],
    ["that is a variable's name", { authorization: "Bearer $VOLLEY_KEY" }, "was not filled in"],
    ["in another header", { "x-api-key": KEY }, "The key came as 'x-api-key'"],
  ];

  test.each(malformed)(
    "T01 %s is told what is wrong with its form, and nothing of the key",
    async (_, headers, said) => {
      const answer = await caller.send({
        body: batch(ECHO),
        headers: { authorization: undefined, ...headers },
      });
      expectClean(answer);
      expect(answer.headers["www-authenticate"]).toBe("Bearer");
      expect(problemOf(answer)).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
      expect(problemOf(answer).detail).toContain(said);
      expect(problemOf(answer).detail).toMatch(/Send it as 'Authorization: Bearer <key>'\.$/);
    },
  );

  test("in the address is not read, and not repeated", async () => {
    const path = `/v1/tools?api_key=${KEY}`;
    const answer = await caller.send({ method: "GET", path, headers: { authorization: undefined } });
    expectClean(answer);
    expect(problemOf(answer).detail).toContain("The key came in the address");
  });

  test("T01 that is not valid learns nothing about paths, methods or bodies", async () => {
    const headers = { authorization: undefined };
    const requests: RawRequest[] = [
      { method: "GET", path: "/v1/tools", headers },
      { method: "GET", path: "/v1/jobs/1", headers },
      { method: "GET", path: "/nowhere", headers },
      { method: "PUT", headers },
      { body: "{", headers },
      { body: "x".repeat(300 * 1024), headers },
    ];
    for (const request of requests) {
      const answer = await caller.send(request);
      expectClean(answer);
      expect(problemOf(answer)).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
    }
  });

  test("T02 is told of a tool that it may not call exactly what it is told of one that does not exist", async () => {
    const small = new TestCaller(volley.url, "sandbox-small-key");
    const ask = (name: string) => small.send({ body: batch({ tool: name, args: { q: 1 } }, ECHO) });
    const forbidden = await ask("get_weather");
    const unknown = await ask("get_weathir");

    const { results } = JSON.parse(forbidden.text) as { results: WireResult[] };
    expect(results[0]).toMatchObject({ status: "error", error: { code: "UNKNOWN_TOOL" } });
    expect(results[1]).toMatchObject({ status: "success" });
    const scrub = ({ text }: RawAnswer): unknown => {
      const { results } = JSON.parse(text.replaceAll("weathir", "weather")) as { results: WireResult[] };
      return results[0];
    };
    expect(scrub(forbidden)).toEqual(scrub(unknown));
  });
});

function withoutRequestId({ status, headers, text }: RawAnswer): unknown {
  const { "x-request-id": id, date: _, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(String(id), "") };
}

test("T01 a key that was taken out of the configuration is answered like one that never was there", async () => {
  const entries = { "kept-key": { name: "kept" }, "old-key": { name: "old" } };
  const ask = (url: string, key: string) => new TestCaller(url, key).send({ body: batch(ECHO) });
  await using before = await startRawSandbox({ vars: { VOLLEY_KEYS: await configureKeys(entries) } });
  expect((await ask(before.url, "old-key")).status).toBe(200);
  const { "kept-key": kept } = entries;
  await using after = await startRawSandbox({
    vars: { VOLLEY_KEYS: await configureKeys({ "kept-key": kept }) },
  });
  expect((await ask(after.url, "kept-key")).status).toBe(200);
  const answer = await ask(after.url, "old-key");
  expect(problemOf(answer)).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
  expect(withoutRequestId(answer)).toEqual(withoutRequestId(await ask(after.url, "never-was")));
});

test("health is told to everyone, and nothing else is", async () => {
  const answer = await caller.send({
    method: "GET",
    path: "/healthz",
    headers: { authorization: undefined },
  });
  expectClean(answer);
  expect(answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
});

test("every request is refused where no key is configured, and the answer says so", async () => {
  for (const keys of ["", "[]"]) {
    await using bare = await startRawSandbox({ vars: { VOLLEY_KEYS: keys } });
    for (const key of ["", "undefined", "null", "sandbox-key"]) {
      const answer = await new TestCaller(bare.url, key).send({ body: batch(ECHO) });
      expect(problemOf(answer)).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
      expect(problemOf(answer).detail).toContain("No key is configured on this deployment");
    }
  }
});

const SECRET_TEXT = "hunter2-of-the-operator";

test.each([
  ["VOLLEY_KEYS", await configureKeys({ "": { name: "anybody" } })],
  ["VOLLEY_KEYS", await configureKeys({ "sandbox-key": { name: "twice" }, other: { name: "twice" } })],
  ["VOLLEY_KEYS", `[{"${SECRET_TEXT}"]`],
  ["VOLLEY_KEYS", `[{"name": "x", "${SECRET_TEXT}": "${SECRET_TEXT}"}]`],
  ["VOLLEY_HEADER_SLOTS", SECRET_TEXT],
  ["VOLLEY_CONFIRMATION_TTL_S", "-900s"],
  ["VOLLEY_JOB_LEASE_MS", SECRET_TEXT],
  ["VOLLEY_IDEMPOTENCY_LEASE_MS", "1.5 s"],
])(
  "health names %s when it cannot be read, never its value, and nothing else is served",
  async (name, value) => {
    await using broken = await startRawSandbox({ vars: { [name]: value } });
    const anybody = new TestCaller(broken.url);
    const health = await anybody.send({
      method: "GET",
      path: "/healthz",
      headers: { authorization: undefined },
    });
    expect(health.headers["content-type"]).toBe("application/problem+json");
    expect(problemOf(health)).toMatchObject({ status: 503, code: "UNAVAILABLE" });
    expect(problemOf(health).detail).toContain(`${name} cannot be read`);
    expect(health.text).not.toContain(value);

    const requests: RawRequest[] = [
      { body: batch(ECHO) },
      { method: "GET", path: "/v1/tools" },
      { path: "/mcp", body: "{}" },
      { method: "GET", path: "/nowhere" },
    ];
    for (const request of requests) {
      const answer = await anybody.send(request);
      expect(answer.headers["content-type"]).toBe("application/problem+json");
      expect(problemOf(answer)).toMatchObject({ status: 503, code: "UNAVAILABLE" });
      expect(answer.text).not.toContain(value);
      expect(answer.text).not.toContain(name);
    }
  },
);
