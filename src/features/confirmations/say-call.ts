import type { Tool } from "../../feature/tool.ts";
import { escapeUnseen, follow, type JsonObject, visibleText } from "../../feature/schema.ts";
import { hasMarker } from "../../core/contract/reference.ts";
import { parseSentence, type Sentence } from "../../core/contract/orchestration.ts";
import * as LIMITS from "./limits.ts";

/** Elements of a loop whose sentences are said; the others are counted. */
const ELEMENTS_SAID = 3;

/**
 * Say what a tool's calls do, in the sentence that the tool gives; undefined where that gives none. It is text: arguments are cut,
 * nothing in them hides or breaks the line, and what is not there, or not known yet, is a question mark.
 *
 * @param inputs the arguments of each
 */
export function sayCalls(
  { orchestration: { confirm } }: Pick<Tool, "orchestration">,
  inputs: readonly JsonObject[],
): string | undefined {
  const says = typeof confirm === "object" ? confirm.says : undefined;
  const sentence = says === undefined ? null : parseSentence(says);
  if (sentence === null) return undefined;
  const said = inputs.slice(0, ELEMENTS_SAID).map((input) => sayOne(sentence, input));
  const more = inputs.length - said.length;
  return `${said.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

function sayOne(sentence: Sentence, input: JsonObject): string {
  return sentence
    .map((part) => {
      if (typeof part === "string") return escapeUnseen(part);
      const found = follow(input, part);
      return found.found && !hasMarker(found.value) ? sayValue(found.value) : "?";
    })
    .join("");
}

function sayValue(value: unknown): string {
  return visibleText(typeof value === "string" ? value : JSON.stringify(value), LIMITS.saidCharacters);
}
