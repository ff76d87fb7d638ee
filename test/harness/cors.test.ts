import { describe, expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";

const PAGE = "https://app.example.com";
const { volley } = await setUpSandbox({ VOLLEY_ORIGINS: PAGE });

const post = (path: string, body: object, headers: Record<string, string>): Promise<Response> =>
  fetch(`${volley.url}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: "Bearer sandbox-key",
      origin: PAGE,
      ...headers,
    },
    body: JSON.stringify(body),
  });
const batch = { actions: [{ tool: "probe-echo", args: { n: 1 } }] };

describe("A page of an origin in VOLLEY_ORIGINS", () => {
  test("is told by a preflight, without a key, that it may send a batch", async () => {
    const { status, headers } = await fetch(`${volley.url}/v1/execute_actions`, {
      method: "OPTIONS",
      headers: {
        origin: PAGE,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-headers")).toBe("authorization,content-type");
  });

  test("runs a batch, streams one, and asks a model", async () => {
    const whole = await post("/v1/execute_actions", batch, {});
    expect(whole.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(await whole.json()).toMatchObject({ summary: { ok: 1 } });
    const stream = await post("/v1/execute_actions", batch, { accept: "text/event-stream" });
    expect(stream.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(await stream.text()).toContain("event: done");
    const messages = [{ role: "user", content: "How is the weather in Phoenix?" }];
    const model = await post("/v1/chat/completions", { model: "sandbox-model", messages }, {});
    expect(model.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(model.status).toBe(200);
    await model.text();
  });

  test("reads why it is refused", async () => {
    const refused = await post("/v1/execute_actions", batch, { authorization: "Bearer wrong" });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe(PAGE);
    await refused.text();
  });

  test("T24 of another origin reads nothing", async () => {
    const answer = await post("/v1/execute_actions", batch, { origin: "https://evil.example" });
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    await answer.text();
  });
});
