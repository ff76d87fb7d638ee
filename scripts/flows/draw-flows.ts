import { drawBroken, drawDifference, drawIssue, drawRefusal } from "./draw-difference.ts";
import type { FlowsTeller } from "./run-flows.ts";

/** Tell of flows in lines of a terminal that is so wide. */
export function drawFlows(print: (line: string) => void, width: number): FlowsTeller {
  const printAll = (lines: readonly string[]): void => lines.forEach((line) => print(line));
  return {
    difference(difference, kept) {
      const [head = "", ...rest] = drawDifference(difference, width);
      print(difference.kind === "gone" && kept !== "" ? `${head} (${kept})` : head);
      printAll(rest);
    },
    refusal: (name, refusal) => printAll(drawRefusal(name, refusal, width)),
    broken: (name, reason) => printAll(drawBroken(name, reason, width)),
    issue: (name, issue) => printAll(drawIssue(name, issue, width)),
    unchanged: (count) => print(`= ${count} unchanged`),
    end: print,
  };
}
