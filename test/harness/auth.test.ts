import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { configureKeys } from "../support/configured-keys.ts";
import type { WireResult } from "../support/execute-batch.ts";
import { expectClean } from "../support/expect-clean.ts";
import { startSandbox } from "../support/sandbox.ts";
import { problemOf, type RawAnswer, type RawRequest, TestCaller } from "../support/test-caller.ts";
import type { RunningWorker } from "../support/miniflare.ts";

let volley: RunningWorker;
let caller: TestCaller;

beforeAll(async () => {
  volley = await startSandbox();
  caller = new TestCaller(volley.url);
});

afterAll(() => volley?.[Symbol.asyncDispose]());

const ECHO = { tool: "probe-echo", args: { n: 1 } };
const batch = (...actions: unknown[]): string => JSON.stringify({ actions });

describe("A key", () => {
  const wrong: [sentence: string, authorization: string | undefined][] = [
    ["that is missing", undefined],
    ["that is empty", ""],
    ["that is wrong", "Bearer wrong"],
    ["that is nearly right", "Bearer sandbox-kez"],
    ["with something after it", "Bearer sandbox-key x"],
    ["sent twice", "Bearer sandbox-key, Bearer sandbox-key"],
    ["without its scheme", "sandbox-key"],
    ["under another scheme", "Basic c2FuZGJveC1rZXk="],
    ["that is blank", "Bearer "],
    ["that is not ASCII", "Bearer s\u00e4ndbox-key"],
    ["of 8 KB", `Bearer ${"x".repeat(8_000)}`],
    [
      "that is the digest of a real one",
      `Bearer 84ee53608366a8fc62bb2e4adc967504ac66940b1af20982b0fc0ce4c3b3bf86`,
    ],
  ];

  test.each(wrong)("%s is answered like any other that is not valid", async (_, authorization) => {
    const answer = await caller.send({ body: batch(ECHO), headers: { authorization } });
    const missing = await caller.send({ body: batch(ECHO), headers: { authorization: undefined } });

    expectClean(answer);
    expect(answer.status).toBe(401);
    expect(withoutRequestId(answer)).toEqual(withoutRequestId(missing));
  });

  test("that is not valid learns nothing about paths, methods or bodies", async () => {
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

  test("is told of a tool that it may not call exactly what it is told of one that does not exist", async () => {
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

test("health is told to everyone, and nothing else is", async () => {
  const answer = await caller.send({
    method: "GET",
    path: "/healthz",
    headers: { authorization: undefined },
  });
  expectClean(answer);
  expect(answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
});

test("nobody gets in where no key is configured, and a broken configuration is no way in either", async () => {
  for (const [keys, status] of [
    ["", 401],
    ["[]", 401],
    ["[{]", 503],
    ['[{"name":"x"}]', 503],
    [await configureKeys({ "": { name: "anybody" } }), 503],
    [await configureKeys({ "sandbox-key": { name: "twice" }, other: { name: "twice" } }), 503],
  ] as const) {
    await using bare = await startSandbox({ vars: { VOLLEY_KEYS: keys } });
    for (const key of ["", "undefined", "null", "sandbox-key"]) {
      const answer = await new TestCaller(bare.url, key).send({ body: batch(ECHO) });
      expect(problemOf(answer).status).toBe(status);
    }
  }
});
