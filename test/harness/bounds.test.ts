import { describe, test } from "vitest";

import { ANSWER_ATTACKS } from "../attacks/answers.ts";
import type { Answered, Target } from "../attacks/attack.ts";
import { BODY_ATTACKS } from "../attacks/bodies.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { upstream, volley } = await setUpSandbox();

const ask = async (path: string, request: RequestInit): Promise<Answered> => {
  const response = await fetch(`${volley.url}${path}`, request);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, bytes: Buffer.byteLength(text) };
};
const KEY = { authorization: "Bearer sandbox-key" };
const send = (path: string, body: unknown, headers = {}): Promise<Answered> =>
  ask(path, {
    method: "POST",
    headers: { ...KEY, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const target: Target = {
  url: volley.url,
  upstream,
  send,
  get: (path) => ask(path, { headers: KEY }),
  execute: (batch, headers) => send("/v1/execute_actions", batch, headers),
};

// An attack that runs out of time opens the breaker for those after it; in `npm run bench:worst` it has a process of its own.
const ATTACKS = [...ANSWER_ATTACKS, ...BODY_ATTACKS].filter(({ title }) => !/stall|endless/.test(title));

describe("P6: What must hold of the worst known", () => {
  test.each(ATTACKS)("$title", ({ run }) => run(target), 30_000);
});
