import { encode } from "gpt-tokenizer/encoding/o200k_base";

import { createCatalog } from "../../../test/support/create-catalog.ts";
import { describeSurface } from "../../../src/features/discovery/tool-surface.ts";
import { toToolList } from "../../../src/features/discovery/tool-list.ts";
import { splitContract } from "../../../src/features/discovery/plain-schema.ts";
import { MODEL_MS, type PublishedTask, SYSTEM, type TaskCall } from "./published-tasks.ts";
import { makeTaskTools } from "./task-tools.ts";

export const WAYS = ["one call at a time", "calls in parallel", "Volley"] as const;
export type Way = (typeof WAYS)[number];

/** The cost of solving a task in one way. */
export interface Solved {
  readonly task: string;
  readonly way: Way;
  /** Calls of the model. */
  readonly rounds: number;
  readonly wallMs: number;
  /** The tokens that the model is sent and that it writes, over all of its calls (o200k). */
  readonly input: number;
  readonly output: number;
}

/** Where the calls are made, and where time passes. */
export interface Place {
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Make one call of a tool as a program would that has no Volley. */
  call(call: TaskCall): Promise<object>;
  /** Make a batch with Volley, and give its answer as text. */
  execute(actions: readonly object[]): Promise<string>;
}

/** Tokens that begin a message or a call, say whose it is and end it; the same for all models. */
const MESSAGE_TOKENS = 4;

export const ORIGIN = "https://stand-in.example.com";

/**
 * Solve a task with a model that is scripted: it writes the calls of its next round, reads what they answered, and at the end
 * writes the answer. It is sent the whole conversation each time, with the tools, and takes its time by what it writes.
 */
export async function solve(task: PublishedTask, way: Way, place: Place): Promise<Solved> {
  const startedAt = place.now();
  const told = tokensIn(toolsOf(way)) + messageTokens(SYSTEM) + messageTokens(task.question);
  let [conversation, input, output, rounds] = [told, 0, 0, 0];
  const think = async (written: number): Promise<void> => {
    rounds += 1;
    input += conversation;
    output += written;
    await place.sleep(MODEL_MS.first + MODEL_MS.perToken * written);
  };
  for (const calls of roundsOf(task, way)) {
    const text = JSON.stringify(calls);
    const isReferredTo = (id: string): boolean => text.includes(`"${id}#`) || text.includes(`{{${id}#`);
    const actions = calls.map(({ id, tool, args, referring = args }) => ({
      ...(isReferredTo(id) && { id }),
      tool,
      args: referring,
    }));
    const asked =
      way === "Volley"
        ? MESSAGE_TOKENS + tokensIn("execute_actions") + tokensIn(JSON.stringify({ actions }))
        : sum(
            calls.map(({ tool, args }) => MESSAGE_TOKENS + tokensIn(tool) + tokensIn(JSON.stringify(args))),
          );
    await think(asked);
    const answers =
      way === "Volley"
        ? [await place.execute(actions)]
        : (await Promise.all(calls.map((call) => place.call(call)))).map((data) => JSON.stringify(data));
    conversation += asked + sum(answers.map(messageTokens));
  }
  await think(tokensIn(task.answer));
  return { task: task.name, way, rounds, wallMs: Math.round(place.now() - startedAt), input, output };
}

/** Which calls the model writes in each of its rounds. */
function roundsOf({ levels, batches }: PublishedTask, way: Way): readonly (readonly TaskCall[])[] {
  if (way === "one call at a time") return levels.flat().map((call) => [call]);
  if (way === "calls in parallel") return levels;
  let at = 0;
  return batches.map((count) => levels.slice(at, (at += count)).flat());
}

/** The tools as the model is told of them: plain functions, or `execute_actions` with everything that it says. */
function toolsOf(way: Way): string {
  const catalog = createCatalog(makeTaskTools(ORIGIN));
  if (way === "Volley") return JSON.stringify(toToolList(describeSurface("batch", catalog), "openai"));
  const tools = toToolList(describeSurface("flat", catalog), "openai") as {
    function: { parameters: object };
  }[];
  // The contracts are Volley's: a list of one's own has none.
  return JSON.stringify(
    tools.map((tool) => ({
      ...tool,
      function: { ...tool.function, parameters: splitContract({ ...tool.function.parameters }).schema },
    })),
  );
}

function messageTokens(text: string): number {
  return MESSAGE_TOKENS + tokensIn(text);
}

function tokensIn(text: string): number {
  return encode(text).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
