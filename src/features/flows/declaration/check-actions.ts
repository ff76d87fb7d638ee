import { type Action, actionForm, type Entry } from "../../../core/contract/action.ts";
import type { Issue } from "../../../core/contract/failure.ts";
import type { Failure, Refusal, Result } from "../../../feature/refuse.ts";
import { NO_SUCH_FIELD, visiblePath } from "../../../core/contract/issues.ts";
import { describe, visibleText } from "../../../feature/schema.ts";
import { sourcesOf } from "../../../core/contract/reference.ts";
import { findPlaceholders } from "../../../core/plan/find-placeholders.ts";
import type { Plan } from "../../../core/plan/step.ts";
import { parsePointer } from "../../../core/kit/json/json-pointer.ts";
import { resolveAliases } from "../../../core/catalog/alias.ts";
import { ALIASES, type Catalog } from "../../../feature/tool.ts";
import { type Problems, suggestName } from "../../added-tools/declared/problems.ts";
import { checkReferences } from "./check-references.ts";
import { HOOK, INPUT } from "./flow-schema.ts";
import { checkValue } from "../../../core/contract/check-value.ts";

/** The surroundings that a flow's actions and its answer are checked against. */
interface ActionsCheck {
  /** That of the flow. */
  readonly name: string;
  readonly catalog: Catalog;
  /** The arguments that a run may give; null where the schema does not say. */
  readonly known: readonly string[] | null;
  readonly entries: readonly Entry[];
  readonly problems: Problems;
}

/**
 * Find what is wrong with each action: what only a flow forbids, and what planning found. Where the former has a path of its
 * own to tell, the latter is not told a second time.
 */
export function checkActions(check: ActionsCheck, planned: Result<Plan, Refusal>): void {
  const { entries, problems } = check;
  const entriesFound = entries.map((entry) => {
    const before = problems.issues.length;
    checkEntry(entry, check);
    return problems.issues.length > before;
  });
  if (!planned.ok) {
    for (const { index, action } of entries)
      if (!action.ok && !entriesFound[index]) addFailure(action.error, entries[index]!, problems);
    // An action that refers to itself has been named already.
    if (problems.issues.length === 0)
      problems.add(["actions"], "actions that do not wait for each other", undefined, {
        received: "a circle",
        hint: planned.error.hint,
      });
    return;
  }
  for (const { index, task, partly } of planned.value.steps) {
    const failure = task.ok ? partly : task.error;
    if (failure !== undefined && !entriesFound[index]) addFailure(failure, entries[index]!, problems);
  }
}

/** Whether an action runs in the background, by its id. */
function backgroundOf({ entries, catalog }: ActionsCheck): (id: string) => boolean {
  const background = new Set(
    resolveAliases(entries).flatMap(({ id, action }) =>
      action.ok && catalog.get(action.value.tool)?.execution === "fire-and-forget" ? [id] : [],
    ),
  );
  return (id) => background.has(id);
}

function checkEntry(entry: Entry, check: ActionsCheck): void {
  const { id, index, action } = entry;
  const { problems } = check;
  const meant = id === INPUT ? "what a run is given" : "the delivery that began a run";
  if (id === INPUT || id === HOOK)
    problems.add(["actions", index, "id"], "another id", id, {
      hint: `'${id}' stands for ${meant}; give the action another id.`,
    });
  if (!action.ok) return;
  checkCalled(entry, action.value, check);
  checkDependsOn(entry, action.value, check);
  const ids = check.entries.map((other) => other.id);
  const at = argsPath(entry);
  const loops = action.value.forEach !== undefined;
  const references = { ids, isBackground: backgroundOf(check), known: check.known, self: id, problems };
  checkReferences(action.value.args, at, { ...references, loops });
  checkReferences(action.value.forEach, ["actions", index, "for_each"], { ...references, loops: false });
  checkPlaceholders(entry, action.value, check);
}

/** A flow that called another would run as many actions as its caller has never seen. */
function checkCalled(entry: Entry, { tool }: Action, { name, catalog, problems }: ActionsCheck): void {
  const [resolved] = resolveAliases([entry]);
  if (resolved?.action.ok !== true) return;
  const called = resolved.action.value.tool;
  if (called !== name && catalog.get(called)?.inner === undefined) return;
  problems.add(toolPath(entry, ALIASES.has(tool)), "a tool that is no flow", called, {
    hint: `Flows do not call flows; put the actions of '${visibleText(called)}' into this one.`,
  });
}

function checkDependsOn({ id, index }: Entry, { dependsOn }: Action, check: ActionsCheck): void {
  const ids = check.entries.map((other) => other.id);
  for (const [place, needed] of dependsOn.entries()) {
    const path = ["actions", index, "depends_on", place];
    const add = (expected: string, hint: string): void =>
      check.problems.add(path, expected, needed, { hint });
    if (needed === INPUT || (needed === HOOK && !ids.includes(HOOK)))
      add(
        "the id of an action",
        `'${needed}' is there from the beginning; nothing has to wait for it, so leave it out.`,
      );
    else if (needed === id) add("another action", `Action '${id}' cannot wait for itself; leave it out.`);
    else if (!ids.includes(needed))
      add(
        "the id of an action of this flow",
        suggestName(
          needed,
          ids.filter((other) => other !== id),
          "action",
        ),
      );
  }
}

/** In a batch such text of a read is a warning; a flow's warning would have no reader. */
function checkPlaceholders(
  entry: Entry,
  { args, forEach }: Action,
  { entries, problems }: ActionsCheck,
): void {
  const known = new Set([...entries.map(({ id }) => id), INPUT, HOOK]);
  const loops = forEach !== undefined;
  const found = [
    ...findPlaceholders(args, ["args"], sourcesOf(entry, { loops, known })),
    ...(loops ? findPlaceholders(forEach, ["for_each"], sourcesOf(entry, { loops: false, known })) : []),
  ];
  for (const { issue, sentence } of found) addIssue(issue, sentence, entry, problems);
}

/** Say what failed of an action, each thing at its place. */
function addFailure({ code, issues = [], hint }: Failure, entry: Entry, problems: Problems): void {
  if (code === "UNKNOWN_TOOL") {
    const name = resolveAliases([entry])[0]?.tool ?? null;
    problems.add(toolPath(entry, name !== entry.tool), "the name of a tool", name, { hint });
    return;
  }
  if (issues.length === 0)
    problems.add(["actions", entry.index], EXPECTED[code] ?? "an action that can run", undefined, {
      received: describe({}),
      hint,
    });
  for (const issue of issues)
    addIssue(issue, issues.length === 1 ? hint : suggestField(issue), entry, problems);
}

function suggestField({ path, expected }: Issue): string | undefined {
  const [, name, inner] = path.split("/");
  if (expected !== NO_SUCH_FIELD || name === undefined || inner !== undefined) return undefined;
  return suggestName(name, actionForm.names, "field");
}

/** Say an issue of an action as one of the flow: its path, and the same where the sentence names it, begin elsewhere. */
function addIssue(
  { path, expected, received }: Issue,
  hint: string | undefined,
  entry: Entry,
  problems: Problems,
): void {
  const at = pathIn(entry, path);
  const said = path === "" ? hint : hint?.replace(path, () => visiblePath(at));
  problems.add(at, expected, undefined, { received, hint: said });
}

const EXPECTED: Partial<Record<Failure["code"], string>> = {
  BAD_REFERENCE: "references that lead somewhere",
  INVALID_ARGS: "arguments that fit the tool's schema",
};

/** Where the arguments of an action stand, under whatever name they were sent. */
function argsPath({ index, readAs }: Entry): readonly PropertyKey[] {
  const from = readAs?.["args"];
  return ["actions", index, ...(from === undefined || from === "JSON text" ? ["args"] : from.split("."))];
}

/** Where its tool is named: an alias has the name among its arguments. */
function toolPath(entry: Entry, isAliased: boolean): readonly PropertyKey[] {
  if (isAliased) return [...argsPath(entry), "tool_name"];
  return ["actions", entry.index, ...(entry.readAs?.["tool"]?.split(".") ?? ["tool"])];
}

function pathIn(entry: Entry, pointer: string): readonly PropertyKey[] {
  const [first, ...inside] = parsePointer(pointer) ?? pointer.split("/").slice(1);
  if (first === undefined) return ["actions", entry.index];
  return first === "args" ? [...argsPath(entry), ...inside] : ["actions", entry.index, first, ...inside];
}

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
