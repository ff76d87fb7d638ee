import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";

import { isPassingStatus } from "../../../src/features/agent/explain-refusal.ts";

/* The official clients know which answers of a model's server come of the moment. The agent loop asks again after the same. */

/** Count the requests that a client sends to a server which always answers alike, and at most one retry. */
async function countRequests(
  ask: (fetch: typeof globalThis.fetch) => Promise<unknown>,
  answer: { readonly status: number; readonly headers?: Readonly<Record<string, string>> },
) {
  let requests = 0;
  await ask(() => {
    requests += 1;
    const headers = { "content-type": "application/json", "retry-after-ms": "0", ...answer.headers };
    return Promise.resolve(new Response("{}", { ...answer, headers }));
  }).catch(() => null);
  return requests;
}

const OPTIONS = { apiKey: "key", baseURL: "http://model.test", maxRetries: 1 } as const;
const messages = [{ role: "user" as const, content: "Hello" }];

const CLIENTS: readonly (readonly [string, (fetch: typeof globalThis.fetch) => Promise<unknown>])[] = [
  ["OpenAI", (fetch) => new OpenAI({ ...OPTIONS, fetch }).chat.completions.create({ model: "m", messages })],
  [
    "Anthropic",
    (fetch) => new Anthropic({ ...OPTIONS, fetch }).messages.create({ model: "m", max_tokens: 1, messages }),
  ],
];
const STATUSES = Array.from({ length: 200 }, (_, index) => 400 + index);

describe.each(CLIENTS)("The client of %s and the agent loop", (_, ask) => {
  test("ask again after the same statuses", async () => {
    const again = await Promise.all(
      STATUSES.map(async (status) => ((await countRequests(ask, { status })) > 1 ? [status] : [])),
    );
    expect(STATUSES.filter((status) => isPassingStatus(status, new Headers()))).toEqual(again.flat());
  });

  test.each(["true", "false", "perhaps"])("do what the server says in x-should-retry: %s", async (said) => {
    const headers = { "x-should-retry": said };
    for (const status of [400, 408, 429, 500])
      expect(isPassingStatus(status, new Headers(headers))).toBe(
        (await countRequests(ask, { status, headers })) > 1,
      );
  });
});
