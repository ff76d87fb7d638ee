import { parsePointer } from "../kit/json/json-pointer.ts";
import { readMarker } from "./reference.ts";
import * as LIMITS from "./limits.ts";

/** A sentence about a call: its text, and in between the arguments that it shows, each by the keys that lead to it. */
export type Sentence = readonly (string | readonly string[])[];

/** Parse `Refund {{args#/amount}} to {{args#/customer}}`; else say what it should be. */
export function parseSentence(written: string): Sentence | { readonly expected: string } {
  const marker = readMarker({ $template: written });
  if (marker?.kind !== "template" || marker.open !== undefined) return FORM;
  const parts: (string | readonly string[])[] = [];
  for (const part of marker.parts) {
    if (typeof part === "string") parts.push(part);
    else if (part.id === "args" && parsePointer(part.pointer) !== null)
      parts.push(parsePointer(part.pointer)!);
    else return FORM;
  }
  const shown = parts.filter((part) => typeof part !== "string").length;
  const isLong = written.length > LIMITS.sentenceCharacters || shown > LIMITS.sentenceArguments;
  return isLong || written.trim() === "" ? FORM : parts;
}

const FORM = {
  expected: `a sentence of at most ${LIMITS.sentenceCharacters} characters that shows at most ${LIMITS.sentenceArguments} arguments, e.g. "Refund {{args#/amount}} to {{args#/customer}}"`,
};

/** Find an argument that a sentence shows and a tool has not, by its name; undefined where there is none. */
export function findStranger(sentence: Sentence, known: readonly string[]): string | undefined {
  const names = sentence.flatMap((part) => (typeof part === "string" ? [] : part.slice(0, 1)));
  return names.find((name) => !known.includes(name));
}
