import { styleText } from "node:util";

import { toPointer } from "../../src/core/kit/json/json-pointer.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import type { Difference } from "./compare-flows.ts";
import type { Change } from "./find-changes.ts";
import type { FlowIssue, FlowRefusal } from "./flows-client.ts";

/** Draw what is different of one flow: a line, and one or three for every place that changed. */
export function drawDifference(difference: Difference, width: number): string[] {
  const name = visibleText(difference.name);
  switch (difference.kind) {
    case "new":
      return [green(`+ ${name}`)];
    case "gone":
      return [red(`- ${name}`)];
    case "changed": {
      const { changes } = difference;
      const told = changes.length > MOST_CHANGES ? changes.slice(0, MOST_CHANGES - 1) : changes;
      const rest = changes.length - told.length;
      return [
        yellow(`~ ${name}`),
        ...told.flatMap((change) => drawChange(change, width)),
        ...(rest === 0 ? [] : [`    and ${rest} more`]),
      ];
    }
  }
}

/** Draw why a flow was refused: each issue by its path, and what to do about it. */
export function drawRefusal(name: string, { code, detail, issues }: FlowRefusal, width: number): string[] {
  const head = red(`! ${visibleText(name)} is refused: ${code}`);
  if (issues.length === 0) return [head, ...wrap(detail, "    ", width)];
  return [
    head,
    ...issues.flatMap(({ path, expected, received, hint }) => [
      ...wrap(`${path || "the flow"}: expected ${expected}, received ${received}`, "    ", width, "      "),
      ...wrap(hint, "      ", width),
    ]),
  ];
}

/** Draw what is to be said of a flow that is kept: where, and what to do about it. */
export function drawIssue(
  name: string,
  { severity = "warning", path, hint }: FlowIssue,
  width: number,
): string[] {
  const [head = "", ...rest] = wrap(
    `! ${visibleText(name)} has an issue, ${severity} at ${path}: ${hint}`,
    "",
    width,
    "    ",
  );
  return [severity === "error" ? red(head) : yellow(head), ...rest];
}

/** Draw that a flow of the deployment cannot run. */
export function drawBroken(name: string, reason: string, width: number): string[] {
  const [head = "", ...rest] = wrap(
    `! ${visibleText(name)} is broken there: ${visibleText(reason, 500)}`,
    "",
    width,
    "    ",
  );
  return [red(head), ...rest];
}

/** A flow that has nothing in common with what it was would fill the screen. */
const MOST_CHANGES = 30;

function drawChange(change: Change, width: number): string[] {
  const { kind, path } = change;
  const at = cut(visibleText(toPointer(path), Number.POSITIVE_INFINITY) || "the whole flow", 0, width - 6);
  const sides = [
    ...(kind === "added" ? [] : [write(change.from)]),
    ...(kind === "removed" ? [] : [write(change.to)]),
  ];
  const head = `    ${SIGNS[kind]} ${at}`;
  const line = `${head} ${sides.join(" -> ")}`;
  if (lengthOf(line) <= width) return [line];
  if (kind !== "changed") {
    const room = width - lengthOf(head) - 1;
    return room >= 30
      ? [`${head} ${cut(sides[0]!, 0, room)}`]
      : [head, `      ${cut(sides[0]!, 0, width - 6)}`];
  }
  const [from = "", to = ""] = sides;
  const start = startOf(from, to, width - 9);
  return [head, `         ${cut(from, start, width - 9)}`, `      -> ${cut(to, start, width - 9)}`];
}

const SIGNS = { added: "+", removed: "-", changed: "~" } as const;

/** Write a value so that nothing in it moves the cursor or stands there unseen. */
function write(value: unknown): string {
  return visibleText(JSON.stringify(value), Number.POSITIVE_INFINITY);
}

/** Cut text to so many characters, those from `start` on. */
function cut(text: string, start: number, room: number): string {
  const characters = Array.from(text);
  if (characters.length <= room) return text;
  const head = start === 0 ? "" : "…";
  const isToEnd = characters.length - start <= room - head.length;
  const shown = characters.slice(start, start + room - head.length - (isToEnd ? 0 : 1)).join("");
  return `${head}${shown}${isToEnd ? "" : "…"}`;
}

/** From where on two texts are shown side by side: where they differ is in sight, and no more than needed is left out. */
function startOf(a: string, b: string, room: number): number {
  const [first, second] = [Array.from(a), Array.from(b)];
  const found = first.findIndex((character, index) => character !== second[index]);
  const differsAt = found === -1 ? first.length : found;
  if (differsAt < room - AHEAD) return 0;
  return Math.max(0, Math.min(differsAt - AHEAD, Math.max(first.length, second.length) - room + 1));
}

/** The characters that are shown of two long texts before they differ, at least. */
const AHEAD = 16;

function wrap(text: string, indent: string, width: number, hanging = indent): string[] {
  const lines: string[] = [];
  let line = indent;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && lengthOf(line) + 1 + lengthOf(word) > width) {
      lines.push(line);
      line = hanging;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

const lengthOf = (text: string): number => Array.from(text).length;

const paint = (style: "green" | "red" | "yellow", text: string): string =>
  styleText(style, text, { stream: process.stdout });
const green = (text: string): string => paint("green", text);
const red = (text: string): string => paint("red", text);
const yellow = (text: string): string => paint("yellow", text);
