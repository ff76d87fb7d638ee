import { once } from "node:events";

import { describe, expect, test } from "vitest";

import * as LIMITS from "../../src/features/agent/limits.ts";
import { eventually } from "../support/eventually.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { watchMemory } from "../support/peak-memory.ts";
import { postAndHold } from "../support/raw-client.ts";
import { startRawSandbox } from "../support/sandbox.ts";

const REQUESTS = 12;
const MODEL = "/chat/completions";
const PATH = "/v1/chat/completions";

/** Nearly as many bytes and values as a conversation may have. */
const PART = { type: "text", text: "x".repeat(30) };
const LARGEST = {
  model: "m",
  messages: [{ role: "user", content: Array.from({ length: 65_000 }, () => PART) }],
};
const SMALL = { model: "m", messages: [{ role: "user", content: "Hi" }] };

const whole = (content: string): string =>
  JSON.stringify({
    id: "a",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  });
/** Nearly as many bytes as a model's answer may have. */
const LARGEST_ANSWER = whole("y".repeat(LIMITS.modelBytes - 1_000));

const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: "a", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const LARGEST_STREAM = [
  ...Array.from({ length: 18 }, () => chunk({ content: "y".repeat(1_000_000) })),
  chunk({}, "stop"),
  "data: [DONE]\n\n",
];

async function start() {
  const upstream = await HostileUpstream.start();
  upstream.script(MODEL, (_query, response, _path, { body }) => {
    const isStream = body.endsWith('"stream":true}') || body.includes('"stream":true,');
    const isSmall = body.length < 100_000 && !body.includes("large");
    if (isSmall) response.writeHead(200, { "content-type": "application/json" }).end(whole("Hello"));
    else if (isStream) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const part of LARGEST_STREAM) response.write(part);
      response.end();
    } else response.writeHead(200, { "content-type": "application/json" }).end(LARGEST_ANSWER);
  });
  const volley = await startRawSandbox({ vars: { LLM_BASE_URL: upstream.url, PROBE_ORIGIN: upstream.url } });
  const ask = (body: object, key = "sandbox-key"): Promise<Response> =>
    fetch(`${volley.url}${PATH}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return {
    volley,
    ask,
    upstream,
    async [Symbol.asyncDispose]() {
      await volley[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

describe("Requests to a model", () => {
  test.each(["whole", "streamed"])(
    "P6: T44 twelve of the largest at once, answered %s, take a few times an isolate's share, and another tenant is answered",
    async (how) => {
      await using world = await start();
      const { volley, ask } = world;
      await (await ask(SMALL)).text();
      const endOf = await watchMemory(volley.pid);
      const body = { ...LARGEST, stream: how === "streamed" };
      const large = Array.from({ length: REQUESTS }, async () => {
        const response = await ask(body);
        return [response.status, await response.text()] as const;
      });
      const other = await ask(SMALL, "sandbox-other-key");
      const answered = await Promise.all(large);
      const grown = await endOf();

      expect(other.status).toBe(200);
      for (const [status, text] of answered) {
        // On a slow machine the turn of the last ones does not come in time.
        expect([200, 503]).toContain(status);
        if (status === 503) expect(text).toContain("overloaded_error");
      }
      expect(
        answered.filter(([status, text]) => status === 200 && text.length > 8_000_000).length,
      ).toBeGreaterThan(0);
      expect(grown).toBeLessThan(500);
    },
    120_000,
  );

  test("P6: T44 a stream that is not read holds its conversation until its client is gone", async () => {
    await using world = await start();
    const { volley, ask } = world;
    const large = { ...SMALL, messages: [{ role: "user", content: "large" }] };
    const statusOf = async (key: string): Promise<number> => {
      const response = await ask(large, key);
      await response.text();
      return response.status;
    };
    const socket = await postAndHold(`${volley.url}${PATH}`, { ...LARGEST, stream: true });
    // Its first bytes have come; most of the others stay at the model's server.
    await once(socket, "readable");

    await eventually("a request that finds no room", async () =>
      (await statusOf("sandbox-key")) === 503 ? true : undefined,
    );
    expect(await statusOf("sandbox-other-key")).toBe(200);
    socket.resetAndDestroy();
    await eventually("room again", async () => ((await statusOf("sandbox-key")) === 200 ? true : undefined));
  }, 120_000);
});
