import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeEach, describe, expect, test } from "vitest";

import { ModelServer } from "../../support/model-server.ts";
import { setUpSandbox } from "../../support/set-up-sandbox.ts";

/* POST /v1/messages end to end: Anthropic's own client on one side, a model as strict as theirs on the other. */

const model = await ModelServer.start();
afterAll(() => model[Symbol.asyncDispose]());
const { volley } = await setUpSandbox({
  ANTHROPIC_BASE_URL: model.anthropicBaseUrl,
  ANTHROPIC_API_KEY: "#anthropic-secret",
});
beforeEach(() => model.reset());

const anthropic = new Anthropic({ apiKey: "sandbox-key", baseURL: volley.url, maxRetries: 0 });

interface Report {
  readonly rounds: readonly {
    readonly results: readonly Record<string, unknown>[];
    readonly model_ms: number;
  }[];
  readonly stopped: string;
}

const reportOf = (answer: unknown): Report => (answer as { volley: Report }).volley;
describe("A Messages request", () => {
  test("runs the calls of a turn as one batch", async () => {
    model.willSay(
      { text: "Looking.", thinking: "Hm.", calls: [{ name: "probe-echo", args: { n: 3 } }] },
      { text: "Done." },
    );
    const answer: unknown = await anthropic.messages.create({
      model: "m",
      max_tokens: 100,
      messages: [{ role: "user", content: "Go" }],
    });
    expect(model.problems).toEqual([]);
    expect(reportOf(answer).stopped).toBe("answer");
  });

  test("streams", async () => {
    model.willSay(
      { text: "Looking.", thinking: "Hm.", calls: [{ name: "probe-echo", args: { n: 3 } }] },
      { text: "Done." },
    );
    const response = await fetch(`${volley.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": "sandbox-key", "content-type": "application/json" },
      body: JSON.stringify({
        model: "m",
        max_tokens: 10,
        stream: true,
        messages: [{ role: "user", content: "Go" }],
      }),
    });
    expect(await response.text()).toContain("Done");
    expect(model.problems).toEqual([]);
  });
});
