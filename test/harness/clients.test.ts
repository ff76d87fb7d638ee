import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";

import { ScriptedModel } from "../support/scripted-model.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

/*
 * What stands in docs/clients is run as it stands there: each page's program, with the client library it names, against the
 * sandbox and a model that follows a script.
 */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const { volley } = await setUpSandbox();
const model = await ScriptedModel.start();
afterAll(() => model[Symbol.asyncDispose]());

// Inside the repository, so that packages are found; `dist` is not under version control.
await mkdir(join(ROOT, "dist"), { recursive: true });
const folder = await mkdtemp(join(ROOT, "dist", "clients-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function blockOf(page: string, language: string): Promise<string[]> {
  const text = await readFile(join(ROOT, "docs/clients", page), "utf8");
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, code]) =>
    name === language ? [code!] : [],
  );
}

const ENV = {
  ...process.env,
  VOLLEY_URL: volley.url,
  VOLLEY_KEY: "sandbox-key",
  OPENAI_BASE_URL: `${model.url}/v1`,
  OPENAI_API_KEY: "none",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: "none",
  GEMINI_BASE_URL: model.url,
  GEMINI_API_KEY: "none",
};

/** Run a page's program; what it printed. */
async function runPage(page: string): Promise<string> {
  const [program] = await blockOf(page, "js");
  const file = join(folder, `${page}.mjs`);
  await writeFile(file, program!);
  const { stdout } = await run(process.execPath, [file], { env: ENV });
  return stdout.trim();
}

/** Send what a curl command would; curl itself need not be installed. */
function send(command: string): Promise<Response> {
  const fill = (text: string): string =>
    text.replace(/\$(VOLLEY_\w+)/g, (_, name: keyof typeof ENV) => ENV[name]);
  const url = fill(/"(\$VOLLEY_URL[^"]*)"/.exec(command)![1]!);
  const headers = [...command.matchAll(/-H (["'])(.*?): (.*?)\1/g)].map(
    ([, , name, value]): [string, string] => [name!, fill(value!)],
  );
  return fetch(url, { method: "POST", headers, body: /-d '(.*)'/s.exec(command)![1]! });
}

const BATCH = { actions: [{ id: "weather", tool: "get_weather", args: { city: "Phoenix" } }] };

const completion = (message: object, finish_reason: string): object => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "scripted",
  choices: [{ index: 0, finish_reason, message: { role: "assistant", content: null, ...message } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const CHAT = [
  completion(
    {
      tool_calls: [
        {
          id: "call_1",
          type: "function",
          function: { name: "execute_actions", arguments: JSON.stringify(BATCH) },
        },
      ],
    },
    "tool_calls",
  ),
  completion({ content: "It is warm." }, "stop"),
];

const response = (output: object): object => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "scripted",
  output: [output],
});
const RESPONSES = [
  response({
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "execute_actions",
    arguments: JSON.stringify(BATCH),
    status: "completed",
  }),
  response({
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "It is warm.", annotations: [] }],
  }),
];

const message = (content: object, stop_reason: string): object => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "scripted",
  content: [content],
  stop_reason,
  usage: { input_tokens: 1, output_tokens: 1 },
});
const MESSAGES = [
  message({ type: "tool_use", id: "toolu_1", name: "execute_actions", input: BATCH }, "tool_use"),
  message({ type: "text", text: "It is warm." }, "end_turn"),
];

const candidate = (part: object): object => ({ candidates: [{ content: { role: "model", parts: [part] } }] });
const CONTENTS = [
  candidate({ functionCall: { name: "execute_actions", args: BATCH } }),
  candidate({ text: "It is warm." }),
];

const PAGES: [page: string, turns: object[]][] = [
  ["openai-chat.md", CHAT],
  ["openai-responses.md", RESPONSES],
  ["anthropic.md", MESSAGES],
  ["ai-sdk.md", CHAT],
  ["langchain.md", CHAT],
  ["openai-agents.md", CHAT],
  ["gemini.md", CONTENTS],
];

describe("The program of", () => {
  test.each(PAGES)(
    "docs/clients/%s asks a model, runs its batch and tells it what came of it",
    async (page, turns) => {
      const before = model.requests.length;
      model.willSay(...turns);
      expect(await runPage(page)).toBe("It is warm.");

      const [asked, told] = model.requests.slice(before);
      expect(JSON.stringify(asked!.body)).toContain("get_weather");
      const said = JSON.stringify(told!.body).replaceAll("\\", "");
      expect(said).toContain('"status":"success"');
      expect(said).toContain('"Phoenix"');
    },
  );

  test("docs/clients/mcp.md finds a tool and runs a batch", async () => {
    expect(await runPage("mcp.md")).toBe("success");
  });

  test("docs/clients/curl.md gets answers without an error", async () => {
    const commands = await blockOf("curl.md", "bash");
    expect(commands).toHaveLength(3);
    for (const command of commands) {
      const text = await (await send(command)).text();
      expect(text).toMatch(/"status":\s*"success"|"tool_call_id":"call_1"/);
      expect(text).not.toMatch(/"code":/);
    }
  });

  test("every page is among these", async () => {
    const tested = [...PAGES.map(([page]) => page), "mcp.md", "curl.md"];
    expect((await readdir(join(ROOT, "docs/clients"))).sort()).toEqual(tested.sort());
  });
});
