import { expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { agent } from "../../../../src/features/agent/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { DECLARATION, sendIt } from "../../runs/http/store-tools.ts";
import { trial } from "../../../support/trial.ts";

const drop = defineTool({ ...DECLARATION, name: "drop_it", actions: ["delete"], run: sendIt });

const ASKED = {
  actions: [{ id: "x", tool: "drop_it", args: { of: "a" } }],
  background: true,
  skip_approval: true,
};

/** A model asks for a batch in the background that skips the question. */
async function ask(flags: readonly "skip_approval"[], says: object, answer = "Done.") {
  const sent: string[] = [];
  const calls = [
    { id: "c", type: "function", function: { name: "execute_actions", arguments: JSON.stringify(ASKED) } },
  ];
  const answers: object[] = [{ content: null, tool_calls: calls }, { content: answer }];
  const volley = await createTestVolley({
    tools: [drop],
    features: [discovery(), confirmations(), addedTools(), flows(), background(), agent()],
    key: { flags: ["approve", ...flags] },
    env: { LLM_BASE_URL: "https://model.example.com/v1", LLM_API_KEY: "k", LLM_MODEL: "m" },
    routes: {
      "POST https://api.example.com/*": ({ url }) => {
        sent.push(new URL(url).pathname);
        return Response.json({});
      },
      "POST https://model.example.com/v1/chat/completions": () =>
        Response.json({
          id: "x",
          object: "chat.completion",
          created: 1,
          model: "m",
          choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...answers.shift() } }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }),
    },
  });
  const send = (path: string, body?: object): Promise<Response> =>
    volley.fetch(path, {
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
  const said = await send("/v1/chat/completions", {
    messages: [{ role: "user", content: "Go" }],
    volley: { surface: "meta", ...says },
  });
  const text = await said.text();
  expect(said.status, text).toBe(200);
  await volley.advance(10_000);
  const { jobs } = (await (await send("/v1/jobs")).json()) as {
    jobs: readonly { readonly status: string }[];
  };
  expect(jobs.map(({ status }) => status)).toEqual(["succeeded"]);
  const listed = await send("/v1/confirmations?status=pending");
  const { confirmations: asked } = (await listed.json()) as { confirmations: readonly object[] };
  return { text, sent, asked: asked.length };
}

test("A batch in the background of a round skips its question where the request says so, with a key that may", async () => {
  expect(await ask(["skip_approval"], { skip_approval: true })).toMatchObject({ sent: ["/a"], asked: 0 });
});

trial.each([
  ["the model alone says so", ["skip_approval"], {}],
  ["the key may not", [], { skip_approval: true }],
] as const)("It asks where %s", async (_, flags, says) => {
  expect(await ask(flags, says)).toMatchObject({ sent: [], asked: 1 });
});

test("An answer in which the model says nothing tells what its rounds began in the background", async () => {
  const { text } = await ask([], { max_rounds: 1 }, "");
  expect(text).toContain("Started, and not over yet: 'drop_it'.");
});
