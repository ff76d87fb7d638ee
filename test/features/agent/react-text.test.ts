import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { readReactText } from "../../../src/features/agent/react-text.ts";
import { samples } from "../../support/samples.ts";
import { trial } from "../../support/trial.ts";
import { anyCharacter } from "../../support/any-character.ts";

/** A call as a row of a table says it: its name, and its arguments or a piece of the hint about them. */
type Said = [name: string, args: object | string];
type CallRow = [sentence: string, text: string, calls: Said[]];
type AnswerRow = [sentence: string, text: string, answer: string];

const PHOENIX = '{"city": "Phoenix"}';
const WEATHER: Said = ["get_weather", { city: "Phoenix" }];

function callsOf(text: string): Said[] {
  return readReactText(text).calls.map(({ name, args: { args } }) => [
    name,
    args.ok ? args.value : (args.error.hint ?? ""),
  ]);
}

function expectCalls(text: string, calls: Said[]): void {
  expect(callsOf(text)).toEqual(
    calls.map(([name, args]) => [name, typeof args === "string" ? expect.stringContaining(args) : args]),
  );
  expect(readReactText(text).answer).toBeNull();
}

const LABELS: CallRow[] = [
  ["as the format says", `Thought: Look.\nAction: get_weather\nAction Input: ${PHOENIX}`, [WEATHER]],
  ["in capitals", `THOUGHT: Look.\nACTION: get_weather\nACTION INPUT: ${PHOENIX}`, [WEATHER]],
  ["in small letters", `thought: look\naction: get_weather\naction input: ${PHOENIX}`, [WEATHER]],
  [
    "in bold with the colon inside",
    `**Thought:** Look.\n**Action:** get_weather\n**Action Input:** ${PHOENIX}`,
    [WEATHER],
  ],
  [
    "in bold with the colon outside",
    `**Thought**: Look.\n**Action**: get_weather\n**Action Input**: ${PHOENIX}`,
    [WEATHER],
  ],
  ["as headings", `### Thought: Look.\n### Action: get_weather\n### Action Input: ${PHOENIX}`, [WEATHER]],
  ["as headings without colons", `## Action\nget_weather\n## Action Input\n${PHOENIX}`, [WEATHER]],
  ["in a quotation", `> Action: get_weather\n> Action Input: ${PHOENIX}`, [WEATHER]],
  ["in a list", `- Action: get_weather\n- Action Input: ${PHOENIX}`, [WEATHER]],
  ["in a numbered list", `1. Action: get_weather\n2. Action Input: ${PHOENIX}`, [WEATHER]],
  ["with numbers", `Action 1: get_weather\nAction Input 1: ${PHOENIX}`, [WEATHER]],
  [
    "with a number sign",
    `Action #1: get_weather\nAction #1 Input: ${PHOENIX}\nAction Input: ${PHOENIX}`,
    [WEATHER],
  ],
  ["with an underscore", `action: get_weather\naction_input: ${PHOENIX}`, [WEATHER]],
  ["with a space before the colon", `Action : get_weather\nAction Input : ${PHOENIX}`, [WEATHER]],
  ["with a full-width colon", `Action：get_weather\nAction Input：${PHOENIX}`, [WEATHER]],
  [
    "with Windows line breaks",
    `Thought: Look.\r\nAction: get_weather\r\nAction Input: ${PHOENIX}\r\n`,
    [WEATHER],
  ],
  ["with a blank line between", `Action: get_weather\n\nAction Input: ${PHOENIX}`, [WEATHER]],
  ["with Input", `Action: get_weather\nInput: ${PHOENIX}`, [WEATHER]],
  ["with With input", `Action: get_weather\nWith input: ${PHOENIX}`, [WEATHER]],
  ["with Args", `Action: get_weather\nArgs: ${PHOENIX}`, [WEATHER]],
  ["with Arguments", `Action: get_weather\nArguments: ${PHOENIX}`, [WEATHER]],
  ["with Parameters", `Action: get_weather\n**Parameters:** ${PHOENIX}`, [WEATHER]],
  ["with the name on the next line", `Action:\nget_weather\nAction Input:\n${PHOENIX}`, [WEATHER]],
  ["all on one line", `Thought: I need the weather. Action: get_weather Action Input: ${PHOENIX}`, [WEATHER]],
  [
    "the action inside its thought's line",
    `Thought: I need the weather. Action: get_weather\nAction Input: ${PHOENIX}`,
    [WEATHER],
  ],
  ["the input on the action's line", `Action: get_weather, Action Input: ${PHOENIX}`, [WEATHER]],
];

const NAMES: CallRow[] = [
  ["in backticks", `Action: \`get_weather\`\nAction Input: ${PHOENIX}`, [WEATHER]],
  ["in quotes", `Action: "get_weather"\nAction Input: ${PHOENIX}`, [WEATHER]],
  ["in brackets, as the template had it", `Action: [get_weather]\nAction Input: ${PHOENIX}`, [WEATHER]],
  ["in bold", `Action: **get_weather**\nAction Input: ${PHOENIX}`, [WEATHER]],
  ["all of it in bold", `**Action: get_weather**\n**Action Input:** ${PHOENIX}`, [WEATHER]],
  ["with a full stop", `Action: get_weather.\nAction Input: ${PHOENIX}`, [WEATHER]],
  ["inside a sentence", `Action: Use the \`get_weather\` tool\nAction Input: ${PHOENIX}`, [WEATHER]],
  [
    "inside a sentence without quotes",
    `Action: I will call get_weather now\nAction Input: ${PHOENIX}`,
    [WEATHER],
  ],
  [
    "in a fence",
    `Action:\n\`\`\`\nget_weather\n\`\`\`\nAction Input:\n\`\`\`json\n${PHOENIX}\n\`\`\``,
    [WEATHER],
  ],
  [
    "of two words, so that the model is told",
    `Action: Weather Search\nAction Input: ${PHOENIX}`,
    [["Weather Search", { city: "Phoenix" }]],
  ],
  ["with its object in brackets", `Action: get_weather(${PHOENIX})`, [WEATHER]],
  ["with its object in brackets over lines", `Action: get_weather({\n  "city": "Phoenix"\n})`, [WEATHER]],
  ["with its object behind it", `Action: get_weather ${PHOENIX}`, [WEATHER]],
  ["with its object behind a colon", `Action: get_weather: ${PHOENIX}`, [WEATHER]],
  ["with its object on the next line", `Action: get_weather\n${PHOENIX}`, [WEATHER]],
  [
    "with its object in a fence on the next line",
    `Action: get_weather\n\`\`\`json\n${PHOENIX}\n\`\`\``,
    [WEATHER],
  ],
  ["in the brackets of the first paper", `Action 1: Search[${PHOENIX}]`, [["Search", { city: "Phoenix" }]]],
  ["alone", "Thought: What time is it?\nAction: get_time", [["get_time", {}]]],
  ["alone at the end of prose", "I look at the clock.\nAction: get_time", [["get_time", {}]]],
  ["alone before prose", "Action: get_time\nI wait for it.", [["get_time", {}]]],
  ["alone and one word, in a turn", "Thought: What is it?\nAction: calculator\n", [["calculator", {}]]],
  ["with hyphens, alone", "Action: probe-echo", [["probe-echo", {}]]],
  ["with empty brackets", "Action: get_time()", [["get_time", {}]]],
];

const INPUTS: CallRow[] = [
  ["in a fence", `Action: get_weather\nAction Input: \`\`\`json\n${PHOENIX}\n\`\`\``, [WEATHER]],
  [
    "in a fence on the next line",
    `Action: get_weather\nAction Input:\n\`\`\`\n${PHOENIX}\n\`\`\`\n`,
    [WEATHER],
  ],
  ["in a fence that is not closed", `Action: get_weather\nAction Input:\n\`\`\`JSON\n${PHOENIX}`, [WEATHER]],
  ["in one line of backticks", `Action: get_weather\nAction Input: \`${PHOENIX}\``, [WEATHER]],
  ["in single quotes", `Action: get_weather\nAction Input: '${PHOENIX}'`, [WEATHER]],
  ["as a string", `Action: get_weather\nAction Input: ${JSON.stringify(PHOENIX)}`, [WEATHER]],
  ["over lines", `Action: get_weather\nAction Input: {\n  "city": "Phoenix"\n}\n`, [WEATHER]],
  [
    "with a trailing comma",
    'Action: get_weather\nAction Input: {"city": "Phoenix", "days": [1, 2, ], }',
    [["get_weather", { city: "Phoenix", days: [1, 2] }]],
  ],
  [
    "with commas and brackets in strings",
    'Action: say\nAction Input: {"text": "a,} \\",] b"}',
    [["say", { text: 'a,} ",] b' }]],
  ],
  [
    "with labels in strings",
    'Action: say\nAction Input: {"text": "Action: x\\nObservation: y"}',
    [["say", { text: "Action: x\nObservation: y" }]],
  ],
  [
    "with a fence in a string",
    'Action: say\nAction Input: {"text": "```json {} ```"}',
    [["say", { text: "```json {} ```" }]],
  ],
  [
    "with words behind it",
    `Action: get_weather\nAction Input: ${PHOENIX} (in Arizona)\nThen I wait.`,
    [WEATHER],
  ],
  ["empty", "Action: get_time\nAction Input:", [["get_time", {}]]],
  ["empty before an observation", "Action: get_time\nAction Input:\nObservation: 12:00", [["get_time", {}]]],
  ["none", "Action: get_time\nAction Input: None", [["get_time", {}]]],
  ["an empty object", "Action: get_time\nAction Input: {}", [["get_time", {}]]],
  ["that is no JSON", "Action: get_weather\nAction Input: Phoenix", [["get_weather", "line 1, column 1"]]],
  [
    "as Python writes it",
    "Action: get_weather\nAction Input: {'city': 'Phoenix'}",
    [["get_weather", "not in single quotes"]],
  ],
  ["as keywords", 'Action: get_weather(city="Phoenix")', [["get_weather", "form-encoded"]]],
  ["that is a list", "Action: get_weather\nAction Input: [1, 2]", [["get_weather", "a JSON object"]]],
  [
    "twice, so that neither is lost without a word",
    `Action: get_weather\nAction Input: ${PHOENIX}\n${PHOENIX}`,
    [["get_weather", "are 2 JSON objects"]],
  ],
];

const AS_JSON: CallRow[] = [
  ["with tool and args", `Action: {"tool": "get_weather", "args": ${PHOENIX}}`, [WEATHER]],
  ["with name and arguments", `Action: {"name": "get_weather", "arguments": ${PHOENIX}}`, [WEATHER]],
  [
    "with tool_name and parameters",
    `Action: {"tool_name": "get_weather", "parameters": ${PHOENIX}}`,
    [WEATHER],
  ],
  ["with function and input", `Action: {"function": "get_weather", "input": ${PHOENIX}}`, [WEATHER]],
  ["with tool and tool_input", `Action: {"tool": "get_weather", "tool_input": ${PHOENIX}}`, [WEATHER]],
  [
    "of structured chat",
    `Action:\n\`\`\`json\n{\n  "action": "get_weather",\n  "action_input": ${PHOENIX},\n}\n\`\`\`\n`,
    [WEATHER],
  ],
  [
    "with arguments as text",
    `Action: {"name": "get_weather", "arguments": ${JSON.stringify(PHOENIX)}}`,
    [WEATHER],
  ],
  ["with arguments beside the name", 'Action: {"action": "get_weather", "city": "Phoenix"}', [WEATHER]],
  ["with the input behind it", `Action: {"action": "get_weather"}\nAction Input: ${PHOENIX}`, [WEATHER]],
  ["without arguments", 'Action: {"tool": "get_time"}', [["get_time", {}]]],
  [
    "of OpenAI",
    `Action: {"type": "function", "function": {"name": "get_weather", "arguments": ${JSON.stringify(PHOENIX)}}}`,
    [WEATHER],
  ],
  [
    "as a list",
    `Actions: [{"tool": "get_weather", "args": ${PHOENIX}}, {"tool": "get_time"}]`,
    [WEATHER, ["get_time", {}]],
  ],
  [
    "as a batch",
    `Action: {"actions": [{"tool": "get_weather", "args": ${PHOENIX}}]}`,
    [["execute_actions", { actions: [{ tool: "get_weather", args: { city: "Phoenix" } }] }]],
  ],
  [
    "broken",
    'Action: {"tool": "get_weather", "args": {\'city\': \'Phoenix\'}}',
    [["get_weather", "not in single quotes"]],
  ],
  [
    "in a fence without a label",
    `Let me look.\n\`\`\`json\n{"name": "get_weather", "arguments": ${PHOENIX}}\n\`\`\``,
    [WEATHER],
  ],
  [
    "as a list in a fence without a label",
    `\`\`\`\n[{"tool": "get_weather", "args": ${PHOENIX}}, {"tool": "get_time", "args": {}}]\n\`\`\``,
    [WEATHER, ["get_time", {}]],
  ],
  [
    "as a batch in a fence without a label",
    `\`\`\`json\n{"actions": [{"tool": "get_time"}]}\n\`\`\``,
    [["execute_actions", { actions: [{ tool: "get_time" }] }]],
  ],
];

const MODELS: CallRow[] = [
  ["Llama 3.1, its own JSON", `{"name": "get_weather", "parameters": ${PHOENIX}}`, [WEATHER]],
  [
    "Llama 3.2, several",
    `{"name": "get_weather", "parameters": ${PHOENIX}}; {"name": "get_time", "parameters": {}}`,
    [WEATHER, ["get_time", {}]],
  ],
  ["Llama with its tag", `<|python_tag|>{"name": "get_weather", "parameters": ${PHOENIX}}`, [WEATHER]],
  [
    "Llama, inventing the whole conversation",
    `Thought: I need the weather.\nAction: get_weather\nAction Input: ${PHOENIX}\nObservation: It is 42 °C.\nThought: I now know the final answer.\nFinal Answer: 42 °C`,
    [WEATHER],
  ],
  ["Mistral with its tag", `[TOOL_CALLS] [{"name": "get_weather", "arguments": ${PHOENIX}}]`, [WEATHER]],
  [
    "Mistral, with blank lines and a request behind it",
    `Thought: Look.\n\nAction: get_weather\n\nAction Input: ${PHOENIX}\n\nPlease provide the observation.`,
    [WEATHER],
  ],
  [
    "Qwen with its tags",
    `<tool_call>\n{"name": "get_weather", "arguments": ${PHOENIX}}\n</tool_call>\n<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>`,
    [WEATHER, ["get_time", {}]],
  ],
  [
    "Qwen, thinking first",
    `<think>\nAction: delete_all\nAction Input: {}\n</think>\n\nAction: get_weather\nAction Input: ${PHOENIX}`,
    [WEATHER],
  ],
  ["Qwen in Chinese", `Thought：我需要查天气。\nAction：get_weather\nAction Input：${PHOENIX}`, [WEATHER]],
  [
    "Phi with its tag",
    `<|tool_call|>[{"name": "get_weather", "arguments": ${PHOENIX}}]<|/tool_call|>`,
    [WEATHER],
  ],
  ["Phi-4-mini", `functools[{"name": "get_weather", "arguments": ${PHOENIX}}]`, [WEATHER]],
  [
    "Phi, the whole turn in a fence",
    `\`\`\`\nThought: Look.\nAction: get_weather\nAction Input: ${PHOENIX}\n\`\`\``,
    [WEATHER],
  ],
  [
    "Gemma, in Markdown with remarks",
    `Okay, let's look.\n\n**Thought:** The user wants the weather.\n\n**Action:** \`get_weather\`\n\n**Action Input:**\n\`\`\`json\n${PHOENIX}\n\`\`\`\n\nI will wait for the **Observation**.`,
    [WEATHER],
  ],
];

const SEVERAL: CallRow[] = [
  [
    "one after another",
    `Thought: Both.\nAction: get_weather\nAction Input: ${PHOENIX}\nAction: get_time\nAction Input: {}`,
    [WEATHER, ["get_time", {}]],
  ],
  [
    "numbered",
    `Action 1: get_weather\nAction Input 1: ${PHOENIX}\n\nAction 2: get_time\nAction Input 2: {}`,
    [WEATHER, ["get_time", {}]],
  ],
  [
    "with a thought between",
    `Action: get_weather\nAction Input: ${PHOENIX}\nThought: And the time.\nAction: get_time`,
    [WEATHER, ["get_time", {}]],
  ],
  ["each on one line", `Action: get_weather(${PHOENIX})\nAction: get_time()`, [WEATHER, ["get_time", {}]]],
  [
    "one of them broken, which costs that one only",
    `Action: get_weather\nAction Input: Phoenix\nAction: get_time\nAction Input: {}`,
    [
      ["get_weather", "line 1, column 1"],
      ["get_time", {}],
    ],
  ],
  [
    "none and then one",
    `Action: None\nThought: Or yes.\nAction: get_weather\nAction Input: ${PHOENIX}`,
    [WEATHER],
  ],
];

const TWO: Said[] = [
  ["a", {}],
  ["b", { n: 1 }],
];
const LOOSE: CallRow[] = [
  [
    "behind the thinking, not in it",
    `<think>Action: a_b\nAction Input: {}</think>\n\nAction: get_weather\nAction Input: ${PHOENIX}`,
    [WEATHER],
  ],
  [
    "behind thinking whose beginning the server left out",
    `Action: a_b\n</think>\nAction: get_weather\nAction Input: ${PHOENIX}`,
    [WEATHER],
  ],
  ["as objects on lines of their own", '{"tool":"a","args":{}}\n{"tool":"b","args":{"n":1}}', TWO],
  ["as objects with semicolons between", '{"tool":"a","args":{}}; {"tool":"b","args":{"n":1}}', TWO],
  ["in a fence each", '```json\n{"tool":"a","args":{}}\n```\n```json\n{"tool":"b","args":{"n":1}}\n```', TWO],
  [
    "in a tag each",
    '<tool_call>{"name":"a","arguments":{}}</tool_call>\n<tool_call>{"name":"b","arguments":{"n":1}}</tool_call>',
    TWO,
  ],
  [
    "in turns that the model went on with",
    'Thought: x\nAction: a\nAction Input: {}\nThought: y\nAction: b\nAction Input: {"n":1}',
    TWO,
  ],
  [
    "as a list, before an invented observation",
    '[{"tool":"a","args":{}},{"tool":"b","args":{"n":1}}]\nObservation: 1',
    TWO,
  ],
  ["with an input behind a name in JSON", 'Action: {"tool":"b"}\nAction Input: {"n":1}', [["b", { n: 1 }]]],
  ["as a function without arguments", "Action: a_b()", [["a_b", {}]]],
  ["as a function of an object", 'Action: a_b({"n":1})', [["a_b", { n: 1 }]]],
  ["as a function with room in its brackets", 'Action: a_b ( {"n":1} )', [["a_b", { n: 1 }]]],
  ["in brackets that hold no object", 'Action: a_b["x"]', [["a_b", "a JSON object"]]],
  ["with words for no input", "Action: a_b\nAction Input: No input needed.", [["a_b", {}]]],
  ["with an input in backticks", 'Action: a_b\nAction Input: `{"n":1}`', [["a_b", { n: 1 }]]],
  ["with a remark behind its input", 'Action: a_b\nAction Input: {"n":1} is right', [["a_b", { n: 1 }]]],
  ["with a name in a sentence", `Action: Call \`get_weather\` now\nAction Input: ${PHOENIX}`, [WEATHER]],
  [
    "with a name like a tool's in a sentence",
    `Action: I will use get_weather now\nAction Input: ${PHOENIX}`,
    [WEATHER],
  ],
  [
    "with no name in its sentence",
    `Action: please look\nAction Input: ${PHOENIX}`,
    [["please look", { city: "Phoenix" }]],
  ],
  ["with one word, where a turn is under way", "Thought: x\nAction: Restart", [["Restart", {}]]],
  ["with one word in quotation marks", 'Action: "Restart"', [["Restart", {}]]],
  ["with one word that is a tool's", "Action: restartServer", [["restartServer", {}]]],
  ["with one word and nothing else", "Action: Restart", [["Restart", {}]]],
  ["with a tool's name behind notes", "Notes.\nAction: a_b", [["a_b", {}]]],
  ["with a tool's name between notes", "Notes.\nAction: a_b\nMore.", [["a_b", {}]]],
  [
    "after one that is none, and says so",
    'Action: None\nAction Input: None\nAction: b\nAction Input: {"n":1}',
    [["b", { n: 1 }]],
  ],
  [
    "after one that is none, and words",
    'Action: None\nSunny.\nAction: b\nAction Input: {"n":1}',
    [["b", { n: 1 }]],
  ],
  ["under a label for several", 'Actions:\n[{"tool":"b","args":{"n":1}}]', [["b", { n: 1 }]]],
  ["as a link", "Action: [a_b](http://x)\nAction Input: {}", [["a_b", {}]]],
  ["with a full stop behind its name", "Action: a-b.\nAction Input: {}", [["a-b", {}]]],
];

describe("A call is read", () => {
  test.each(LOOSE)("however loosely it is written: %s", (_, text, calls) => expectCalls(text, calls));
  test.each(LABELS)("whose labels are written %s", (_, text, calls) => expectCalls(text, calls));
  test.each(NAMES)("whose name stands %s", (_, text, calls) => expectCalls(text, calls));
  test.each(INPUTS)("whose input is %s", (_, text, calls) => expectCalls(text, calls));
  test.each(AS_JSON)("that is JSON %s", (_, text, calls) => expectCalls(text, calls));
  test.each(MODELS)("from %s", (_, text, calls) => expectCalls(text, calls));
  test.each(SEVERAL)("among several, %s", (_, text, calls) => expectCalls(text, calls));
});

const ANSWERS: AnswerRow[] = [
  ["a plain answer", "It is sunny in Phoenix.", "It is sunny in Phoenix."],
  ["a final answer", "Thought: I know.\nFinal Answer: It is sunny.\nAnd hot.", "It is sunny.\nAnd hot."],
  ["a final answer in bold", "**Final Answer:** It is sunny.", "It is sunny."],
  ["a final answer as a heading", "## Final Answer\n\nIt is sunny.", "It is sunny."],
  ["a final answer in its thought's line", "Thought: I now know. Final Answer: It is sunny.", "It is sunny."],
  ["a thought alone", "Thought: It is sunny.", "It is sunny."],
  [
    "a thought and an answer, as LlamaIndex teaches",
    "Thought: I can answer.\nAnswer: It is sunny.",
    "It is sunny.",
  ],
  ["a final answer without anything behind it", "Thought: It is sunny.\nFinal Answer:", "It is sunny."],
  [
    "an answer before an invented turn",
    `Final Answer: Sunny.\nThought: More.\nAction: get_weather\nAction Input: ${PHOENIX}`,
    "Sunny.",
  ],
  [
    "an answer before an action",
    `Final Answer: Sunny.\nAction: get_weather\nAction Input: ${PHOENIX}`,
    "Sunny.",
  ],
  ["no action, and its input", "Thought: I know.\nAction: None\nAction Input: It is sunny.", "It is sunny."],
  [
    "no action, and a final answer",
    "Thought: I know.\nAction: None\nAction Input: None\nFinal Answer: Sunny.",
    "Sunny.",
  ],
  ["no action, and text behind it", "Thought: I know.\nAction: N/A\n\nIt is sunny.", "It is sunny."],
  ["no action at the end", "Thought: It is sunny.\nAction: None", "It is sunny."],
  [
    "no action is needed",
    "Thought: I know.\nAction: None needed, I can answer.\nIt is sunny.",
    "It is sunny.",
  ],
  [
    "a list behind an action that is none",
    "Plan:\nAction: Review\nInput: [1, 2\nAction: Call Bob",
    "Plan:\nAction: Review\nInput: [1, 2\nAction: Call Bob",
  ],
  ["no action, with a remark", "Thought: It is sunny.\nAction: None (no tool is needed)", "It is sunny."],
  [
    "finish with its answer",
    "Action: finish\nAction Input: It is sunny.\nAnd hot.",
    "It is sunny.\nAnd hot.",
  ],
  ["finish as the first paper has it", "Thought: I know.\nAction 3: Finish[It is sunny.]", "It is sunny."],
  ["finish with an object", 'Action: Final Answer\nAction Input: {"answer": "It is sunny."}', "It is sunny."],
  [
    "the final answer of structured chat",
    'Action:\n```json\n{"action": "Final Answer", "action_input": "It is sunny."}\n```',
    "It is sunny.",
  ],
  [
    "the same without a label",
    '```json\n{"action": "Final Answer", "action_input": "It is sunny."}\n```',
    "It is sunny.",
  ],
  ["the same without a fence", '{"action": "Final Answer", "action_input": "It is sunny."}', "It is sunny."],
  [
    "an answer behind thinking whose beginning the server left out",
    "Action: no\n</think>\n\nIt is sunny.",
    "It is sunny.",
  ],
  ["thinking and nothing behind it", "<think>It is sunny.</think>  \n", "<think>It is sunny.</think>"],
  [
    "a thought before an invented observation",
    "Thought: It is sunny.\nObservation: 42\nIt rains.",
    "It is sunny.",
  ],
  [
    "notes before an invented observation and answer",
    "It is sunny.\nObservation: 42\nFinal Answer: 42",
    "It is sunny.",
  ],
  [
    "an answer whose observation is a heading of its own",
    "Final Answer: A\n**Observation:** B",
    "A\n**Observation:** B",
  ],
  ["an answer before an invented observation", "Final Answer: A\nObservation: B", "A"],
  ["an answer with a heading for an action", "Final Answer: A\nAction: b\nC", "A\nAction: b\nC"],
  [
    "text behind no action, before an invented observation",
    "Action: None\nIt is sunny.\nObservation: 5",
    "It is sunny.",
  ],
  ["no action as JSON", 'Action: {"action": "None", "action_input": "It is sunny."}', "It is sunny."],
  [
    "finish with several fields",
    'Action: {"action": "Final Answer", "action_input": {"a": "A", "b": "B"}}',
    '{"a":"A","b":"B"}',
  ],
  [
    "finish with a field that is no text",
    'Action: {"action": "Final Answer", "action_input": {"a": {"x": 1}}}',
    '{"a":{"x":1}}',
  ],
  ["an answer behind the thinking", "<think>\nFinal Answer: no\n</think>\n\nIt is sunny.", "It is sunny."],
  [
    "an answer before an invented observation",
    "Thought: I would look.\nObservation: 42 °C\nFinal Answer: 42",
    "I would look.",
  ],
];

const ORDINARY: [sentence: string, text: string][] = [
  ["with the word in a sentence", "What we need is action: call your senator, input: your name."],
  ["about the format, in a sentence", 'You write Action: get_weather Action Input: {"city": "x"} there.'],
  ["with a heading", "Action plan: restart it.\n\nAction items:\n- call Bob"],
  [
    "with an action of several words",
    "**Issue:** It is down.\n**Action:** Restart the server.\n**Owner:** Bob",
  ],
  ["with an action of one word", "**Issue:** It is down.\n**Action:** Restart\n**Owner:** Bob"],
  ["with an action of one word at its end", "Summary:\n- Issue: it is down\n- Action: Restart"],
  ["with an action and an input in a list", "- Action: Review\n- Input: the report of May"],
  ["with actions in a list", "Actions:\n1. Call Bob\n2. Call Ann"],
  ["with an observation", "My notes:\n\n**Observation:** It rains.\n\n**Recommendation:** Stay."],
  ["that begins with an observation", "Observation: it rains."],
  ["with an input alone", "Input: the report\nOutput: a summary"],
  ["with code", '```python\nAction: str = "x"\nprint(Action)\n```'],
  ["with YAML", "```yaml\naction: deploy_app\ninput: {}\n```"],
  ["with JSON", 'Here it is:\n```json\n{"name": "Bob", "age": 5}\n```'],
  ["with JSON of a person", '```json\n{"name": "Bob Smith", "input": "tea"}\n```'],
  [
    "with JSON that has more fields than a call",
    '```json\n{"name": "app", "version": "1", "parameters": {}}\n```',
  ],
  ["that is JSON", '{"city": "Phoenix", "sunny": true}'],
  ["that is a list of numbers", "[1, 2, 3]"],
  ["with JSON in a sentence", 'The body is {"name": "get_weather", "arguments": {}} there.'],
  ["with JSON behind the word", 'Action: {"foo": 1}'],
  ["that names a source first", "[1] says that it is sunny."],
  ["with thinking in the middle", "Hello <think>Action: a_b\nAction Input: {}</think> bye"],
  ["with calls in a sentence", '{"tool":"a","args":{}} and {"tool":"b","args":{}}'],
  ["with a call and a remark", '{"tool":"a","args":{}} and that is it'],
  ["with a remark in brackets behind a name", "Action: a_b (n=1)"],
  ["with one word behind notes", "Notes.\nAction: Restart"],
  ["with a label for several and no list", "Actions: a_b"],
  ["with a label and nothing behind it", "Action:\n\nAction Input: {}"],
  ["with an answer that was not thought about", "Answer: It is sunny."],
];

describe("An answer is read", () => {
  test.each(ANSWERS)("of %s", (_, text, answer) => {
    expect(readReactText(text)).toMatchObject({ calls: [], answer });
  });

  test.each(ORDINARY)("as it stands from prose %s", (_, text) => {
    expect(readReactText(text)).toEqual({ calls: [], said: text, answer: text });
  });
});

describe("A turn in text", () => {
  test("ends before an invented observation, and nothing behind it is read", () => {
    const said = `Thought: Look.\nAction: get_weather\nAction Input: ${PHOENIX}`;
    const turn = readReactText(`${said}\n\n**Observation:** 42\nAction: send_email\nAction Input: {}`);
    expect(turn).toMatchObject({ said, calls: [{ name: "get_weather" }] });
  });

  test("ends before a final answer that comes after an action, and nothing behind it is read", () => {
    const said = `Action: get_weather\nAction Input: ${PHOENIX}`;
    for (const final of ["Final Answer: 42", "Action: Final Answer\nAction Input: 42"])
      expect(readReactText(`${said}\n${final}\nAction: get_time`)).toMatchObject({
        said,
        calls: [{ name: "get_weather" }],
      });
  });

  test("ends before a second input of one call, which was not read", () => {
    const said = `Action: get_weather\nAction Input: ${PHOENIX}`;
    expect(readReactText(`${said}\nAction Input: {}`)).toMatchObject({
      said,
      calls: [{ name: "get_weather" }],
    });
  });

  test("keeps the characters of the model, commas and all", () => {
    const text = 'Action: a_b\nAction Input: {"n": 1,}';
    expect(readReactText(`${text}\n \n`).said).toBe(text);
  });

  test("ends with the last call that was read", () => {
    const one = "Action: get_time\nAction Input: {}\n";
    const turn = readReactText(one.repeat(1_000));
    expect(turn.calls).toHaveLength(200);
    expect(turn.said).toBe(one.repeat(200).trimEnd());
  });

  test("ends with an input whose string is open, so that no action inside that string runs", () => {
    const said = 'Action: send_email\nAction Input: {"body": "Hello,';
    const turn = readReactText(`${said}\nAction: delete_all\nAction Input: {}"}`);
    expect(turn.said).toBe(said);
    expect(turn.calls).toMatchObject([{ name: "send_email", args: { args: { ok: false }, closed: false } }]);
  });
});

describe("An input that ended too early", () => {
  test.each([
    ["at the end of the text", 'Action: a_b\nAction Input: {"x": {"n": 1}'],
    ["in a fence", 'Action: a_b\nAction Input:\n```json\n{"x": {"n": 1}\n```'],
    ["before an observation", 'Action: a_b\nAction Input: {"x": {"n": 1}\nObservation: 1'],
    ["in JSON", 'Action: {"tool": "a_b", "args": {"x": {"n": 1}'],
    ["in a list", 'Action: [{"tool": "a_b", "args": {"x": {"n": 1}'],
  ])("is closed, and it is told, %s", (_, text) => {
    expect(readReactText(text).calls).toEqual([
      {
        name: "a_b",
        args: {
          args: { ok: true, value: { x: { n: 1 } } },
          closed: true,
          written: expect.any(String) as string,
        },
      },
    ]);
  });

  test.each(["Action: get_time\nAction Input:", "Action: get_time\nAction Input:\n```json\n"])(
    "before its first bracket is told too: %j",
    (text) => {
      expect(readReactText(text).calls).toEqual([
        { name: "get_time", args: { args: { ok: true, value: {} }, closed: true, written: "{}" } },
      ]);
    },
  );

  test("does not make the calls before it incomplete", () => {
    const { calls } = readReactText('Action: [{"tool": "a", "args": {}}, {"tool": "b", "args": {"n": 1}');
    expect(calls.map(({ args }) => args.closed)).toEqual([false, true]);
  });
});

/** Pieces of turns, so that random texts come close to real ones. */
const PIECES = [
  "Thought: ",
  "Action: ",
  "Action 1: ",
  "**Action:** ",
  "Action Input: ",
  "Input: ",
  "Observation: ",
  "Final Answer: ",
  "get_time",
  "None",
  "finish",
  "\n",
  "\n\n",
  " ",
  "```json\n",
  "```",
  "`",
  "{",
  "}",
  "[",
  "]",
  "(",
  ")",
  '"',
  "\\",
  ",",
  ":",
  PHOENIX,
  '{"tool": "a", "args": {}}',
  '{"actions": [{"tool": "a"}]}',
  "null",
  "prose",
  "<think>",
  "</think>",
  "<tool_call>",
  "Actions: ",
] as const;
const turns = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join("")),
);

describe("Any text", () => {
  trial("is read, has an answer exactly when it has no calls, and is said from its beginning", () => {
    fc.assert(
      fc.property(turns, (text) => {
        const { calls, said, answer } = readReactText(text);
        expect(answer === null).toBe(calls.length > 0);
        expect(text.startsWith(said)).toBe(true);
        expect(said === "").toBe(text === "");
      }),
      { numRuns: samples(5_000) },
    );
  });

  test.each([
    '**Action:** Thought: {"Thought: ',
    'Action: a\nAction Input: {"x \n\nAction: b\n',
    'Action: {"tool": "a", "args": {"x \n',
  ])("that is cut off behind a blank has the same calls when what was said is read again: %j", (text) => {
    const { calls, said } = readReactText(text);
    expect(calls).toHaveLength(1);
    expect(callsOf(said)).toEqual(callsOf(text));
  });

  trial("whose calls are read has the same calls when what was said is read again", () => {
    fc.assert(
      fc.property(turns, (text) => {
        const { calls, said } = readReactText(text);
        if (calls.length > 0) expect(callsOf(said)).toEqual(callsOf(text));
      }),
      { numRuns: samples(5_000) },
    );
  });

  trial.each(
    [
      "Action:",
      "Action:\n",
      "Action: a_b\n",
      "Action: None\n",
      "Action: None\nAction Input: None\n",
      "Action: x y z\n",
      "Action: a_b(",
      "Action: a_b(\n",
      " Action: a Action Input: {",
      "Thought: a. Action: a(b Action Input: {\n",
      "Thought:\n",
      "Observation:\n",
      "**Observation:**\n",
      "Final Answer:",
      "Final Answer:\n",
      "Action Input:\n",
      "```json\n",
      "```json\n{",
      '```json\n{"',
      "```json\n[{},\n",
      "```",
      "`",
      "{",
      "[",
      "{}",
      "[{}",
      '{"tool":"a","args":{}},',
      '"',
      "\\",
      " ",
      "\n",
      "\t",
      "*",
      "#",
      ">",
      "_",
      "- ",
      ",",
      ":",
      "Action" + "_".repeat(50),
      "<tool_call>\n",
      "<think>",
      "</think>",
      '<tool_call>{"',
      "Action: {\n",
      'Action: {"tool": "a", "args": {\n',
      "Action: a_b\nAction Input: {\n",
      'Action: a_b\nAction Input: {"',
      "Action: a_b\n\n\n\n",
      "Action: a_b        ",
      "Action: Finish[ ",
      "Actions: [",
    ].map((piece) => [JSON.stringify(piece).slice(0, 60), piece]),
  )("of a megabyte of %s is read in linear time", (_, piece) => {
    for (const begin of ["", "Thought: a\n", "Action: a_b\nAction Input: ", "Action: None "]) {
      const text = begin + piece.repeat(Math.ceil(2 ** 20 / piece.length));
      const { calls, answer } = readReactText(text);
      expect(calls.length).toBeLessThanOrEqual(200);
      expect(answer === null).toBe(calls.length > 0);
    }
  });
});
