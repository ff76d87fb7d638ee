import { fileURLToPath } from "node:url";

import { CONTENDERS } from "../bench/contenders.ts";
import { type Contestant, type OnNode, type OnWorkerd, PLAIN } from "./contestant.ts";
import { VOLLEYS } from "./volley.ts";

/** The contestant that all are compared with, and the one that all on Node are compared with besides. */
export const BARE = "bare";
export const BARE_NODE = "bare-node";

const honoZodObject = (writes: string): OnWorkerd =>
  onWorkerd("hono-zod-object", { durableObjects: { GATE: "Gate" }, vars: { WRITES: writes } });

/** All of them, in the order of the tables. */
export const CONTESTANTS: readonly Contestant[] = [
  { ...PLAIN, name: BARE, label: "bare Worker, `Promise.all`", runs: ofBench("bare") },
  {
    ...PLAIN,
    name: "bare-slots",
    label: "the same behind six header slots, as on Cloudflare",
    runs: withVars(ofBench("bare"), { HEADER_SLOTS: "6" }),
  },
  { ...PLAIN, name: "hono-zod", label: "Hono + Zod", runs: ofBench("hono-zod") },
  { ...PLAIN, name: "object", label: "Hono + Zod + one object call", runs: honoZodObject("nothing") },
  { ...PLAIN, name: "row", label: "Hono + Zod + a row in an object", runs: honoZodObject("row") },
  {
    ...PLAIN,
    name: "hono-rate-limiter",
    label: "Hono + Zod + hono-rate-limiter, its object store",
    runs: onWorkerd("hono-rate-limiter", { durableObjects: { CACHE: "DurableObjectRateLimiter" } }),
  },
  {
    ...PLAIN,
    name: "langgraph",
    label: "LangGraph `ToolNode`",
    runs: onWorkerd("langgraph"),
    // A message for each call, whose content is the result as text.
    readNumber: (result) => PLAIN.readNumber(JSON.parse((result as { content: string }).content), 0),
  },
  { ...PLAIN, name: "ai-sdk", label: "AI SDK `generateText`", runs: onWorkerd("ai-sdk") },
  { ...PLAIN, name: "openai-agents", label: "OpenAI Agents SDK `run`", runs: onWorkerd("openai-agents") },
  { ...PLAIN, name: "mastra", label: "Mastra `agent.generate`", runs: onWorkerd("mastra") },
  ...VOLLEYS,
  {
    ...PLAIN,
    name: "bare-recorded",
    label: "bare Worker, every call recorded and made after the answer",
    runs: onWorkerd("bare-recorded", { durableObjects: { GATE: "Gate" } }),
    inBackground: true,
  },
  { ...PLAIN, name: BARE_NODE, label: "bare Node server, `Promise.all`", runs: onNode("bare-node") },
  { ...PLAIN, name: "p-limit", label: "Hono + p-limit on Node", runs: onNode("hono-p-limit") },
];

function ofBench(name: string): OnWorkerd {
  const { source, setup } = CONTENDERS.find((contender) => contender.name === name)!;
  return { on: "workerd", source, setup };
}

function withVars(runs: OnWorkerd, vars: Readonly<Record<string, string>>): OnWorkerd {
  return { ...runs, setup: { ...runs.setup, vars: { ...runs.setup?.vars, ...vars } } };
}

function onWorkerd(name: string, setup?: OnWorkerd["setup"]): OnWorkerd {
  return { on: "workerd", source: { entry: here(`on-workerd/${name}-worker.ts`) }, setup };
}

function onNode(name: string): OnNode {
  return { on: "node", file: here(`on-node/${name}.ts`) };
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
