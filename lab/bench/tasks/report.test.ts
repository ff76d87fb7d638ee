import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { reportTasks, reportTimes } from "./report-tasks.ts";
import { solveAll } from "./solve-all.ts";

const page = await readFile(new URL("./report.md", import.meta.url), "utf8");
const solved = await solveAll();

test("lab/bench/tasks/report.md prints what npm run bench:tasks measures", () => {
  expect(page).toContain(`${reportTimes()}\n\n${reportTasks(solved).join("\n")}\n`);
});

test("lab/bench/tasks/report.md says rightly how Volley compares with one call at a time", () => {
  const of = (wanted: string) => solved.filter(({ way }) => way === wanted);
  const [slow, volley] = [of("one call at a time"), of("Volley")];
  const parts = (key: "wallMs" | "total"): number[] =>
    volley.map((one, at) => {
      const other = slow[at]!;
      const [a, b] = key === "wallMs" ? [one.wallMs, other.wallMs] : [sumOf(one), sumOf(other)];
      return Math.round((100 * a) / b);
    });
  const [times, tokens] = [parts("wallMs"), parts("total")];
  expect(page).toContain(
    `Volley takes ${Math.min(...times)} to ${Math.max(...times)} % of its time, and ${Math.min(...tokens)} % to ${Math.max(...tokens)} % of its tokens.`,
  );
});

test("where a call cannot be written before an answer was read, Volley needs the rounds that calls in parallel need", () => {
  const rounds = solved.filter(({ task }) => task.includes("not found")).map((one) => one.rounds);
  expect(rounds).toEqual([11, 3, 3]);
});

function sumOf({ input, output }: { readonly input: number; readonly output: number }): number {
  return input + output;
}
