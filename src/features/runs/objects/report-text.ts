import { utf8Length } from "../../../feature/schema.ts";
import type { ReportedRun, RunHead } from "../run.ts";
import { toMark } from "../run-index.ts";

/** The texts of a report as its row has them: a line for each run. */
export interface ReportTexts {
  readonly heads: string;
  readonly bodies: string;
}

/** A report as text, with the marks that its runs are found by and its counts. */
export interface WrittenReport extends ReportTexts {
  readonly marks: string;
  readonly runs: number;
  readonly bytes: number;
}

/** A run of a row. */
export interface SplitRun {
  readonly head: RunHead;
  readonly body: string;
}

export function writeReport(reported: readonly ReportedRun[]): WrittenReport {
  const marks = reported.map(({ head }) => toMark(JSON.parse(head) as RunHead)).join("\n");
  const heads = reported.map(({ head }) => head).join("\n");
  const bodies = reported.map(({ body }) => body).join("\n");
  return { marks, heads, bodies, runs: reported.length, bytes: utf8Length(heads) + utf8Length(bodies) };
}

/** Take a row apart. A body is only moved, so it keeps its digits; neither it nor a head has a line break, because both are written JSON. */
export function splitReport({ heads, bodies }: ReportTexts): SplitRun[] {
  const texts = bodies.split("\n");
  return parseHeads(heads).map((head, at) => ({ head, body: texts[at]! }));
}

export function parseHeads(heads: string): RunHead[] {
  return heads.split("\n").map((head) => JSON.parse(head) as RunHead);
}
