import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";

/*
 * The commands of docs/agent.md, sent as they stand to the sandbox and its own model; each prints what stands under it. And what
 * docs/sandbox.md says of that model.
 */

const { volley } = await setUpSandbox();
const page = await readFile(new URL("../../docs/agent.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/^```bash\n(curl .*?)^```\n\n```text\n(.*?)^```/gms)].map(
  ([, command, printed]) => ({ command: command!, printed: printed! }),
);

/** Send what a curl command would; curl itself need not be installed. */
async function send(command: string): Promise<string> {
  const [, path] = /http:\/\/127\.0\.0\.1:8787(\/\S+)/.exec(command)!;
  const headers = [...command.matchAll(/-H '(.*?): (.*?)'/g)].map(([, name, value]): [string, string] => [
    name!,
    value!,
  ]);
  const response = await fetch(volley.url + path!, {
    method: "POST",
    headers,
    body: /-d '(.*)'/s.exec(command)![1]!,
  });
  expect(response.status).toBe(200);
  return response.text();
}

/** Whether a text has all that was printed of it, in that order; `…` and line breaks stand for what was left out. */
function findMissing(text: string, printed: string): string | null {
  let at = 0;
  for (const piece of printed.split(/…|\n\s*/).filter((part) => part !== "")) {
    const found = text.indexOf(piece, at);
    if (found === -1) return piece;
    at = found + piece.length;
  }
  return null;
}

describe("docs/agent.md", () => {
  test("has an answer under each of its commands", () => {
    expect(examples).toHaveLength(page.match(/^curl /gm)!.length);
  });

  test.each(examples)("prints what the sandbox answers: $command", async ({ command, printed }) => {
    const answer = await send(command);
    const isText = !/^(?:\{|data:|event:|")/.test(printed);
    const { choices } = isText ? (JSON.parse(answer) as Completion) : { choices: [] };
    expect(findMissing(choices[0]?.message.content ?? answer, printed)).toBeNull();
  });
});

describe("docs/sandbox.md says what the sandbox's model does with", () => {
  const ask = async (content: string): Promise<Completion> => {
    const response = await fetch(`${volley.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer sandbox-key", "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content }] }),
    });
    return (await response.json()) as Completion;
  };
  const called = ({ volley: { rounds } }: Completion): string[][] =>
    rounds.map(({ results }) => results.map(({ tool }) => tool));

  test("its own command", async () => {
    const sandbox = await readFile(new URL("../../docs/sandbox.md", import.meta.url), "utf8");
    const [, command] = /^```bash\n(curl [^`]*\/v1\/chat\/completions .*?)^```/ms.exec(sandbox)!;
    expect(called(JSON.parse(await send(command!)) as Completion)).toEqual([["probe-echo", "probe-write"]]);
  });

  test.each([
    [
      "a batch",
      'Run {"actions": [{"tool": "probe-echo", "args": {"n": 1}}]}',
      [["probe-echo"]],
      /^Of 1 action/,
    ],
    ["the weather", "And the weather in Tucson?", [["get_weather"]], /^The weather in Tucson/],
    ["anything else", "Hello", [], /^You said: Hello$/],
    [
      "an oil change",
      "I need an oil change.",
      [
        ["google-maps-search", "nhtsa-recall-search", "get_weather"],
        ["web-search", "web-search", "web-search"],
        ["send_email", "add_calendar_event"],
      ],
      /^For the oil change I suggest/,
    ],
  ])("%s", async (_, question, tools, said) => {
    const answer = await ask(question);
    expect(called(answer)).toEqual(tools);
    expect(answer.choices[0]!.message.content).toMatch(said);
  });
});

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly volley: { readonly rounds: readonly { readonly results: readonly { readonly tool: string }[] }[] };
}
