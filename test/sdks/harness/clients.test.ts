import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";

import { ScriptedModel } from "../../support/scripted-model.ts";
import { setUpSandbox } from "../../support/set-up-sandbox.ts";

/*
 * The programs in docs/clients and in the README are run as they stand there: every one, with the client library it names,
 * against the sandbox and a model that follows a script.
 */

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Where the client libraries are. */
const SDKS = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const { volley } = await setUpSandbox();
const model = await ScriptedModel.start();
afterAll(() => model[Symbol.asyncDispose]());

// Inside the repository, so that packages are found; `dist` is not under version control.
await mkdir(join(SDKS, "dist"), { recursive: true });
const folder = await mkdtemp(join(SDKS, "dist", "clients-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function blocksOf(path: string, language: string): Promise<string[]> {
  return blocksIn(await readFile(join(ROOT, path), "utf8"), language);
}

function blocksIn(text: string, language: string): string[] {
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
  GOOGLE_GEMINI_BASE_URL: model.url,
  GEMINI_API_KEY: "none",
};

/** Run a program; what it printed. */
async function runProgram(name: string, program: string): Promise<string> {
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, program);
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

/** A program that names the address of a sandbox that was started by hand. */
function toSandbox(program: string): string {
  return program.replaceAll("http://127.0.0.1:8787", volley.url);
}

/** One good action beside a slip, as models write them; a program goes on in spite of both. */
const BATCH = {
  actions: [{ id: "weather", tool: "get_weather", args: { city: "Phoenix" } }, { tool: "get_wether" }],
};
const BROKEN = '{"actions":';

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
        { id: "call_2", type: "function", function: { name: "execute_actions", arguments: BROKEN } },
      ],
    },
    "tool_calls",
  ),
  completion({ content: "It is warm." }, "stop"),
];

const response = (...output: object[]): object => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "scripted",
  output,
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
});
const RESPONSES = [
  response(
    {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: "execute_actions",
      arguments: JSON.stringify(BATCH),
      status: "completed",
    },
    {
      type: "function_call",
      id: "fc_2",
      call_id: "call_2",
      name: "execute_actions",
      arguments: BROKEN,
      status: "completed",
    },
  ),
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

const TURNS: Readonly<Record<string, readonly object[]>> = {
  "openai-chat.md": CHAT,
  "openai-responses.md": RESPONSES,
  "anthropic.md": MESSAGES,
  "ai-sdk.md": RESPONSES,
  "langchain.md": RESPONSES,
  "openai-agents.md": RESPONSES,
  "gemini.md": CONTENTS,
};

const pages = await readdir(join(ROOT, "docs/clients"));

/** From here on a page's programs have Volley run the loop, and the sandbox's own model answers them. */
const LOOP = /^## Or let Volley run the loop$/m;

const programs = await Promise.all(
  pages.map(async (page) => {
    const text = await readFile(join(ROOT, "docs/clients", page), "utf8");
    const [own = "", loop = ""] = text.split(LOOP);
    return [own, loop].flatMap((part, isLoop) =>
      blocksIn(part, "js").map((program, index) => ({ page, index, program, isLoop: isLoop === 1 })),
    );
  }),
);

/** The model was given the tools of a key, and was told what came of its batch, its slips included. */
function expectRounds(before: number): void {
  const [asked, told] = model.requests.slice(before);
  expect(JSON.stringify(asked!.body)).toContain("get_weather");
  const said = JSON.stringify(told!.body).replaceAll("\\", "");
  expect(said).toContain('"status":"success"');
  expect(said).toContain('"Phoenix"');
  expect(said).toContain("UNKNOWN_TOOL");
}

describe("Program", () => {
  test.each(programs.flat().filter(({ page, isLoop }) => page in TURNS && !isLoop))(
    "$index of docs/clients/$page asks a model, runs its batch and tells it what came of it",
    async ({ page, index, program }) => {
      const before = model.requests.length;
      model.willSay(...TURNS[page]!);
      expect(await runProgram(`${page}-${index}`, program)).toBe("It is warm.");
      expectRounds(before);
    },
  );

  test.each(programs.flat().filter(({ page, isLoop }) => page in TURNS && !isLoop))(
    "$index of docs/clients/$page runs by the command above it, with the sandbox's own model and no key of a provider",
    async ({ page, program }) => {
      await writeFile(join(folder, "agent.mjs"), program);
      const [command] = await blocksOf(`docs/clients/${page}`, "bash");
      const [install, ...rest] = command!.split("\n");
      expect(install).toMatch(/^npm install /);
      const own = Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !name.endsWith("_API_KEY")),
      );
      const { stdout } = await run("bash", ["-c", toSandbox(rest.join("\n"))], { cwd: folder, env: own });
      expect(stdout).toMatch(/^The weather in Phoenix: \S+ °C/);
    },
  );

  test.each(programs.flat().filter(({ isLoop }) => isLoop))(
    "of docs/clients/$page that lets Volley run the loop prints the model's answer",
    async ({ page, program }) => {
      expect(await runProgram(`${page}-loop`, program)).toMatch(/^The weather in Phoenix: \S+ °C/);
    },
  );

  test("0 of docs/clients/mcp.md finds a tool and runs a batch", async () => {
    const [program] = await blocksOf("docs/clients/mcp.md", "js");
    expect(await runProgram("mcp.md", program!)).toBe("success");
  });

  test("0 of docs/streaming.md prints each result and how many there were", async () => {
    const [program] = await blocksOf("docs/streaming.md", "js");
    const printed = (await runProgram("streaming.md", program!)).split("\n");
    expect(printed.slice(0, 2).sort()).toEqual(["news: success", "weather: success"]);
    expect(printed.slice(2)).toEqual(["done: 2 of 2"]);
  });

  test("0 of README.md has the sandbox's own model answer, in five lines", async () => {
    const [program] = await blocksOf("README.md", "js");
    expect(program!.split("\n").filter((line) => line !== "")).toHaveLength(5);
    const printed = await runProgram("README.md-0", toSandbox(program!));
    expect(printed).toMatch(/^The weather in Phoenix: \S+ °C.* answer$/);
  });

  test("0 of README.md has a client of Anthropic's beside it that does the same", async () => {
    const [client] = /new Anthropic\(\{.*?\}\)/.exec(await readFile(join(ROOT, "README.md"), "utf8"))!;
    const program = `import Anthropic from "@anthropic-ai/sdk";
      const messages = [{ role: "user", content: "How is the weather in Phoenix?" }];
      const asked = { model: "sandbox-model", max_tokens: 500, messages };
      const answer = await ${client}.messages.create(asked);
      console.log(answer.content[0].text, answer.volley.stopped);`;
    expect(await runProgram("README.md-anthropic", toSandbox(program))).toMatch(
      /^The weather in Phoenix: \S+ °C.* answer$/,
    );
  });

  test("0 of docs/first-model.md is that of the README", async () => {
    const [[first], [ofReadme]] = [
      await blocksOf("docs/first-model.md", "js"),
      await blocksOf("README.md", "js"),
    ];
    expect(first).toBe(ofReadme);
  });

  test("1 of docs/first-model.md goes round as long as the model calls", async () => {
    const before = model.requests.length;
    model.willSay(...CHAT);
    const [, program] = await blocksOf("docs/first-model.md", "js");
    const printed = await runProgram(
      "first-model.md",
      `import OpenAI from "openai";
       const { VOLLEY_URL, VOLLEY_KEY } = process.env;
       const headers = { authorization: \`Bearer \${VOLLEY_KEY}\`, "content-type": "application/json" };
       const [openai, model, messages] = [new OpenAI(), "scripted", [{ role: "user", content: "Go" }]];
       ${program}
       const { choices: [last] } = await openai.chat.completions.create({ model, messages, tools });
       console.log(last.message.content);`,
    );
    expect(printed).toBe("It is warm.");
    expectRounds(before);
  });
});

describe("docs/clients", () => {
  test("python.md has under each program the request that it sends", async () => {
    const bodies = (await blocksOf("docs/clients/python.md", "bash"))
      .flatMap((command) => /-d '(.*)'/s.exec(command)?.[1] ?? [])
      .map((body) => JSON.parse(body) as Readonly<Record<string, unknown>>);
    const written = (await blocksOf("docs/clients/python.md", "python")).slice(0, 3).map(readCreate);
    expect(bodies).toHaveLength(4);
    expect(bodies.slice(0, 3)).toEqual(written);
  });

  test("python.md gets from each request what its program reads", async () => {
    const [, chat, streamed, message, turn] = await blocksOf("docs/clients/python.md", "bash");
    const report = { rounds: [{ results: [{ tool: "get_weather", status: "success" }] }], stopped: "answer" };
    const said = /^The weather in Phoenix: \S+ °C/;

    expect(await (await send(chat!)).json()).toMatchObject({
      choices: [{ message: { content: expect.stringMatching(said) } }],
      volley: report,
    });
    expect(await (await send(message!)).json()).toMatchObject({
      content: [{ type: "text", text: expect.stringMatching(said) }],
      volley: report,
    });
    expect(await (await send(turn!)).json()).toMatchObject({
      messages: [{ role: "tool", tool_call_id: "call_1", content: expect.stringContaining('"success"') }],
    });
    const events = [...(await (await send(streamed!)).text()).matchAll(/^data: (\{.*)$/gm)].map(
      ([, data]) => JSON.parse(data!) as Chunk,
    );
    expect(events.flatMap(({ volley }) => volley?.result ?? [])).toMatchObject(report.rounds[0]!.results);
    expect(events.map(({ choices: [choice] }) => choice?.delta.content ?? "").join("")).toMatch(said);
  });

  test("curl.md gets answers without an error", async () => {
    const commands = await blocksOf("docs/clients/curl.md", "bash");
    expect(commands).toHaveLength(3);
    for (const command of commands) {
      const text = await (await send(command)).text();
      expect(text).toMatch(/"status":\s*"success"|"tool_call_id":"call_1"/);
      expect(text).not.toMatch(/"code":/);
    }
  });

  test("has no page without a test", () => {
    expect(pages.sort()).toEqual(
      [...Object.keys(TURNS), "mcp.md", "curl.md", "python.md", "browser.md", "receivers.md"].sort(),
    );
  });

  test("has a program that lets Volley run the loop for every client of an API that Volley speaks", () => {
    const others = ["gemini.md"];
    const loops = programs.flat().filter(({ isLoop }) => isLoop);
    expect(loops.map(({ page }) => page).sort()).toEqual(
      Object.keys(TURNS)
        .filter((page) => !others.includes(page))
        .sort(),
    );
  });

  test.each(Object.keys(TURNS))("%s installs what its programs import", async (page) => {
    const installed = (await blocksOf(`docs/clients/${page}`, "bash"))
      .join("\n")
      .match(/npm install (.*)/)![1]!;
    const imported = (await blocksOf(`docs/clients/${page}`, "js")).flatMap((program) =>
      [...program.matchAll(/ from "((?:@[^/"]+\/)?[^/"]+)/g)].map(([, name]) => name!),
    );
    expect([...new Set(imported)].sort()).toEqual(installed.split(" ").sort());
  });
});

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string | null } }[];
  readonly volley?: { readonly result?: object };
}

/** The body that a call of `create` sends: its arguments, with those of `extra_body` among them. */
function readCreate(program: string): Readonly<Record<string, unknown>> {
  const [, args] = /\.create\(\n(.*?)^\)$/ms.exec(program)!;
  const fields = args!
    .replace(/os\.environ\.get\("MODEL", (".*?")\)/, "$1")
    .replaceAll(/^ +(\w+)=/gm, '"$1":')
    .replaceAll(/(\d)_(?=\d)/g, "$1")
    .replaceAll("True", "true")
    .replace(/,\s*$/, "");
  const { extra_body: extra = {}, ...body } = JSON.parse(`{${fields}}`) as Record<string, object>;
  return { ...body, ...extra };
}
