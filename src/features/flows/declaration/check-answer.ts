import { checkValue } from "../../../core/contract/check-value.ts";
import { sourcesOf } from "../../../core/contract/reference.ts";
import { findPlaceholders } from "../../../core/plan/find-placeholders.ts";
import { parsePointer } from "../../../core/kit/json/json-pointer.ts";
import { type ActionsCheck, backgroundOf } from "./check-actions.ts";
import { checkReferences } from "./check-references.ts";
import { HOOK, INPUT } from "./flow-schema.ts";

/**
 * Find what is wrong with what a flow answers: its references name actions that have data, or the input. A loop over
 * background work has the list of its jobs as data, which is what such a flow has to tell.
 */
export function checkAnswer(answer: unknown, check: ActionsCheck): void {
  const { known, problems, entries } = check;
  const path = ["answer"];
  const ids = entries.map(({ id }) => id);
  const loops = new Set(
    entries.flatMap(({ id, action }) => (action.ok && action.value.forEach !== undefined ? [id] : [])),
  );
  const isBackground = backgroundOf(check);
  const value = checkValue(answer, path);
  if (!value.ok)
    problems.add(parsePointer(value.error.path) ?? path, value.error.expected, undefined, {
      received: value.error.received,
    });
  checkReferences(answer, path, {
    ids,
    isBackground: (id) => isBackground(id) && !loops.has(id),
    known,
    self: null,
    loops: false,
    problems,
  });
  const sources = sourcesOf({ id: "" }, { loops: false, known: new Set([...ids, INPUT, HOOK]) });
  for (const { issue, sentence } of findPlaceholders(answer, path, sources))
    problems.add(parsePointer(issue.path) ?? path, issue.expected, undefined, {
      received: issue.received,
      hint: sentence,
    });
}
