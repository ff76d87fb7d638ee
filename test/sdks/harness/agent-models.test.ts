import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";

import { setUpChat } from "../../support/chat-world.ts";
import { ModelServer } from "../../support/model-server.ts";

const anthropicServer = await ModelServer.start();
const { model, volley } = await setUpChat({ ANTHROPIC_BASE_URL: anthropicServer.anthropicBaseUrl });
const named = await setUpChat({ LLM_MODEL: "the-only-one", ANTHROPIC_BASE_URL: "" });
named.model.lacks.add("/v1/models");

const openai = (url: string, apiKey = "sandbox-key") =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
const anthropic = (url: string) => new Anthropic({ baseURL: url, apiKey: "sandbox-key", maxRetries: 0 });

describe("GET /v1/models", () => {
  test("is the server's list, to OpenAI's client in OpenAI's shape and to Anthropic's in Anthropic's", async () => {
    const models = await openai(volley.url).models.list();
    expect(models.data.map(({ id }) => id)).toEqual(["sandbox-model"]);
    const others = await anthropic(volley.url).models.list();
    expect(others.data).toMatchObject([{ type: "model", id: "claude-sandbox" }]);
    expect(model.problems).toEqual([]);
  });

  test("is the model of requests that name none, where the server has no list", async () => {
    const models = await openai(named.volley.url).models.list();
    expect(models.data.map(({ id }) => id)).toEqual(["the-only-one"]);
    const others = await anthropic(named.volley.url).models.list();
    expect(others.data).toMatchObject([{ type: "model", id: "the-only-one" }]);
  });

  test("asks nothing without a key, and draws from the second allowance", async () => {
    const seen = model.requests.length;
    await expect(openai(volley.url, "wrong").models.list()).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    expect(model.requests).toHaveLength(seen);
    const { response } = await openai(volley.url).models.list().withResponse();
    expect(response.headers.get("RateLimit")).toContain("lists");
  });
});

describe("A refused GET /v1/models", () => {
  test.each([
    ["Anthropic's", { "anthropic-version": "2023-06-01" }, "error"],
    ["OpenAI's", {}, undefined],
  ])("is written as %s clients read it", async (_, headers, type) => {
    const refused = await fetch(`${volley.url}/v1/models`, { headers: { ...headers, "x-api-key": "wrong" } });
    expect(refused.status).toBe(401);
    const body = (await refused.json()) as { readonly type?: string; readonly error: object };
    expect(body.type).toBe(type);
    expect(body.error).toMatchObject({ type: "authentication_error", code: "UNAUTHORIZED" });
  });
});

describe("POST /v1/messages/count_tokens", () => {
  const messages = [{ role: "user", content: "Hello" }] as const;

  test("is passed on as it came, but for what is ours", async () => {
    const body = { model: "claude-sandbox", messages: [...messages], volley: { max_rounds: 1 } };
    const counted = await anthropic(volley.url).messages.countTokens(body);
    expect(counted.input_tokens).toBeGreaterThan(0);
    const sent = anthropicServer.requests.at(-1)!;
    expect(sent.path).toBe("/v1/messages/count_tokens");
    expect(sent.body).toEqual({ model: "claude-sandbox", messages });
    expect(sent.headers["x-api-key"]).toBe("#anthropic-secret");
  });

  test("is refused in Anthropic's shape where no server is configured", async () => {
    const asked = anthropic(named.volley.url).messages.countTokens({ model: "x", messages: [...messages] });
    await expect(asked).rejects.toMatchObject({ status: 501 });
  });
});
