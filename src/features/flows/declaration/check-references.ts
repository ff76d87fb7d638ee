import { describe, readMarker, visibleText } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { isHandle, ITEM, type Reference } from "../../../core/contract/reference.ts";
import { type Problems, suggestName } from "../../added-tools/declared/problems.ts";
import { HOOK, INPUT } from "./flow-schema.ts";

export interface ReferenceCheck {
  /** The actions that references may name. */
  readonly ids: readonly string[];
  /** Those of them that run in the background, so that they have no data. */
  readonly isBackground: (id: string) => boolean;
  /** The arguments that a run may give; null where the schema does not say. */
  readonly known: readonly string[] | null;
  /** Whose references these are; null for the answer. */
  readonly self: string | null;
  /** Whether there is an element of a loop to refer to. */
  readonly loops: boolean;
  readonly problems: Problems;
}

/** Find what is wrong with the references in a value, each by its own path. */
export function checkReferences(value: unknown, path: readonly PropertyKey[], check: ReferenceCheck): void {
  // An issue that would not be told is not looked for: finding a near name costs most of all.
  if (check.problems.issues.length === LIMITS.declarationIssues) return;
  if (typeof value !== "object" || value === null) return;
  const marker = readMarker(value);
  if (marker === null) {
    for (const [key, inner] of Object.entries(value)) checkReferences(inner, [...path, key], check);
    return;
  }
  switch (marker.kind) {
    case "literal":
      return;
    case "malformed": {
      const { key, expected, received } = marker.flaw;
      check.problems.add([...path, key], expected, received);
      return;
    }
    case "ref":
      checkReference(marker.reference, [...path, "$ref"], check);
      return;
    case "template":
      for (const part of marker.parts)
        if (typeof part !== "string") checkReference(part, [...path, "$template"], check);
  }
}

function checkReference(reference: Reference, path: readonly PropertyKey[], check: ReferenceCheck): void {
  const { ids, isBackground, known, self, loops, problems } = check;
  const { id, text, tokens, part } = reference;
  const refuse = (expected: string, hint: string): void =>
    problems.add(path, expected, undefined, { received: describe(text), hint });
  if (id === INPUT) {
    const [argument] = tokens;
    const [literal = ""] = part?.literal ?? [];
    if (argument !== undefined && known !== null && !known.includes(argument) && !known.includes(literal))
      refuse("an argument of 'input_schema'", suggestName(argument, known, "argument"));
  } else if (id === HOOK && !ids.includes(HOOK)) {
    const [fact] = tokens;
    if (fact !== undefined && (tokens.length > 1 || !FACTS.includes(fact)))
      refuse("'event', 'id' or 'sender' of the delivery", suggestName(fact, FACTS, "part"));
  } else if (id === ITEM) {
    if (!loops)
      refuse(
        SOURCE,
        `'${ITEM}#' stands for the element of a for_each, and there is none here; name an action.`,
      );
  } else if (id === self) refuse("another action", `Action '${id}' refers to itself; name another action.`);
  else if (!ids.includes(id))
    refuse(
      SOURCE,
      isHandle(id)
        ? "Results of earlier batches are kept for 15 minutes, so a flow cannot refer to them; call the tool in an action."
        : suggestName(id, [...ids.filter((other) => other !== self), INPUT], "action"),
    );
  else if (isBackground(id))
    refuse(
      "an action that has data",
      `Action '${visibleText(id)}' runs in the background and has no data; use depends_on to wait until it is recorded.`,
    );
}

/** The parts of a delivery that can be referred to. */
const FACTS = ["event", "id", "sender"];

const SOURCE = `the id of an action of this flow, or '${INPUT}'`;
