import { expect, test } from "vitest";

import { github } from "../features/flows/hooks/sample-senders.ts";
import { eventually } from "../support/eventually.ts";
import { sendHook, triggerOf } from "../support/hook-sender.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

/* A flow that deletes the items it finds: no person can approve that before they are found, whichever door the flow is called by. */

const { upstream, volley } = await setUpSandbox();
const admin = new TestCaller(volley.url, "sandbox-admin-key");

const kept = await admin.send({
  method: "PUT",
  path: "/v1/flows/sweep",
  body: JSON.stringify({
    summary: "Delete the first item for a word",
    input_schema: { type: "object", properties: { word: { type: "string" } } },
    actions: [
      { id: "found", tool: "probe-search", args: { q: { $ref: "input#/word" } } },
      { id: "noted", tool: "probe-write", args: { n: 1 } },
      { id: "gone", tool: "probe-delete", args: { id: { $ref: "found#/items/0/id" } } },
    ],
    answer: { gone: { $ref: "gone#" } },
    triggers: { webhook: triggerOf(github) },
  }),
});
expect(kept.status, kept.text).toBe(201);

interface Question {
  readonly actions: readonly { readonly id: string; readonly tool: string; readonly gated: boolean }[];
}

/** The ids of questions that stand anywhere in an answer. */
const questionsIn = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(/\/console#\/confirmations\/([0-9a-f-]+)/g), ([, id]) => id!)),
];

const approve = async (id: string): Promise<string> => {
  const { status, text } = await admin.send({
    path: `/v1/confirmations/${id}`,
    body: '{"decision":"approve"}',
  });
  expect(status, text).toBe(200);
  return text;
};
const questionOf = async (id: string): Promise<Question> =>
  JSON.parse((await admin.get(`/v1/confirmations/${id}`)).text) as Question;

const deletionsOf = (word: string): number =>
  upstream
    .requestsTo("/item")
    .filter(({ method, query }) => method === "DELETE" && query.get("id") === `${word}-1`).length;
const writes = (): number => upstream.requestsTo("/write").length;

const call = async (path: string, body: object, headers: Record<string, string> = {}): Promise<string> => {
  const { status, text } = await admin.send({ path, body: JSON.stringify(body), headers });
  expect(status, text).toBe(200);
  return text;
};

const AS_A_TOOL: Readonly<Record<string, (word: string) => Promise<string>>> = {
  "a batch": (word) => call("/v1/execute_actions", { actions: [{ tool: "sweep", args: { word } }] }),
  invoke_tool: (word) => call("/v1/invoke_tool", { tool_name: "sweep", parameters: { word } }),
  "a model's turn": (word) =>
    call("/v1/openai/tool_calls", {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "c", type: "function", function: { name: "sweep", arguments: JSON.stringify({ word }) } },
      ],
    }),
  MCP: (word) =>
    call(
      "/mcp?surface=flat",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "sweep", arguments: { word } } },
      { accept: "application/json, text/event-stream" },
    ),
};

test.each(Object.keys(AS_A_TOOL))(
  "T50 a flow that is called by %s asks again about what it found, and runs its writes once",
  async (door) => {
    const word = door.replaceAll(/\W/g, "");
    const before = writes();
    const [whole] = questionsIn(await AS_A_TOOL[door]!(word));
    expect((await questionOf(whole!)).actions.map(({ tool }) => tool)).toEqual(["sweep"]);
    expect(writes()).toBe(before);

    const [inside] = questionsIn(await approve(whole!));
    expect([writes() - before, deletionsOf(word)]).toEqual([1, 0]);
    const asked = await questionOf(inside!);
    expect(asked.actions).toMatchObject([
      { tool: "probe-delete", gated: true, args: { id: `${word}-1` }, resolved: true, waits_for: [] },
      { tool: "sweep", gated: false, args: { word } },
    ]);
    expect(asked.actions[1]).toMatchObject({ waits_for: [asked.actions[0]!.id] });

    const ended = JSON.parse(await approve(inside!)) as { readonly results: readonly object[] };
    expect(ended.results).toMatchObject([{ tool: "sweep", status: "success" }]);
    expect([writes() - before, deletionsOf(word)]).toEqual([1, 1]);
    const again = await admin.send({ path: `/v1/confirmations/${inside}`, body: '{"decision":"approve"}' });
    expect([again.status, writes() - before, deletionsOf(word)]).toEqual([409, 1, 1]);
  },
);

test("T50 a flow that is run by itself asks once it has found what it deletes", async () => {
  const before = writes();
  const [asked] = questionsIn(await call("/v1/flows/sweep/run", { input: { word: "run" } }));
  expect([writes() - before, deletionsOf("run")]).toEqual([1, 0]);
  expect((await questionOf(asked!)).actions).toMatchObject([{ tool: "probe-delete", args: { id: "run-1" } }]);
  await approve(asked!);
  expect([writes() - before, deletionsOf("run")]).toEqual([1, 1]);
});

test("T50 a flow that a webhook runs asks once it has found what it deletes", async () => {
  const before = writes();
  const taken = await sendHook(volley.url, "sweep", github, { body: '{"word":"hook"}' });
  const { job_id } = JSON.parse(taken.text) as { readonly job_id: string };
  const ended = await eventually("the run to end", async () => {
    const { text } = await admin.get(`/v1/jobs/${job_id}`);
    return text.includes('"succeeded"') ? text : undefined;
  });
  const [asked] = questionsIn(ended);
  expect([writes() - before, deletionsOf("hook")]).toEqual([1, 0]);
  expect((await questionOf(asked!)).actions).toMatchObject([
    { tool: "probe-delete", args: { id: "hook-1" } },
  ]);
  await approve(asked!);
  expect([writes() - before, deletionsOf("hook")]).toEqual([1, 1]);
});
