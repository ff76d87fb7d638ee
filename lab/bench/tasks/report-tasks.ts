import { MODEL_MS, TOOL_MS } from "./published-tasks.ts";
import type { Solved } from "./measure-tasks.ts";

/** The measured values, as lines of the page's table. */
export function reportTasks(solved: readonly Solved[]): string[] {
  const say = (count: number): string => count.toLocaleString("en-US");
  return [
    "| task | way | rounds | seconds | input tokens | output tokens | total |",
    "|---|---|---:|---:|---:|---:|---:|",
    ...solved.map(
      ({ task, way, rounds, wallMs, input, output }) =>
        `| ${task} | ${way} | ${rounds} | ${(wallMs / 1_000).toFixed(2)} | ${say(input)} | ${say(output)} | ${say(input + output)} |`,
    ),
  ];
}

/** The times that were chosen, in a sentence. */
export function reportTimes(): string {
  return `A search takes ${TOOL_MS.search} ms, a calculation ${TOOL_MS.math} ms, the model ${MODEL_MS.first} ms and ${MODEL_MS.perToken} ms for each token that it writes.`;
}
