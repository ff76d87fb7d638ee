import type { Action, Entry } from "../contract/action.ts";
import type { Failure } from "../contract/failure.ts";
import { visiblePath } from "../contract/issues.ts";
import { err, ok, type Result } from "../kit/result.ts";
import type { Edge } from "./step.ts";

/** Says why a value would be refused in a place of an action; null where it would not. */
export type TryForm = (path: readonly PropertyKey[], value: unknown) => string | null;

/** The part of a planned action that says whether it would be refused. */
export interface Tried {
  readonly task: Result<unknown, Failure>;
  readonly partly?: Failure | undefined;
  readonly edges: readonly Edge[];
}

export interface Trial {
  readonly action: Action;
  /** Plans the same place of the batch with another action. */
  readonly draft: (entry: Entry) => Tried;
  /** The steps that each step needs, with the forms that were told before. */
  readonly needs: readonly (readonly number[])[];
}

/**
 * Plan an action with a value in place of another: why it would be refused for that, or the edges that it would have. A failure
 * that has nothing to do with the value is none of it.
 *
 * @param path from the action, so it begins with `args` or `for_each`
 */
export function tryForm(
  entry: Entry,
  { path, value }: { readonly path: readonly PropertyKey[]; readonly value: unknown },
  { action, draft, needs }: Trial,
): Result<readonly Edge[], string> {
  const { args, forEach } = action;
  const changed = replaceAt({ args, for_each: forEach }, path, value) as {
    args: Action["args"];
    for_each: unknown;
  };
  const plain = { mayRefer: true, mayMistake: undefined };
  const planned = (of: Partial<Action>): Tried =>
    draft({ ...entry, action: ok({ ...action, ...plain, ...of }) });
  const tried = planned({ args: changed.args, forEach: changed.for_each });
  const failure = failureOf(tried);
  if (failure !== undefined && isAbout(failure, path)) {
    const before = failureOf(planned({}));
    if (failure.issues !== undefined || before?.hint !== failure.hint)
      return err(failure.hint ?? failure.code);
  }
  const circular = tried.edges.find(({ from }) => reaches(from, entry.index, needs));
  return circular === undefined ? ok(tried.edges) : err("the action that it names waits for this one");
}

function failureOf({ task, partly }: Tried): Failure | undefined {
  return task.ok ? partly : task.error;
}

/** Whether what is wrong stands at a place, inside of it or around it; where it has no place, it may. */
function isAbout({ issues }: Failure, path: readonly PropertyKey[]): boolean {
  const at = `${visiblePath(path)}/`;
  return (
    issues === undefined ||
    issues.some((issue) => `${issue.path}/`.startsWith(at) || at.startsWith(`${issue.path}/`))
  );
}

function reaches(from: number, to: number, needs: readonly (readonly number[])[]): boolean {
  const seen = new Set([from]);
  for (const at of seen) {
    if (at === to) return true;
    for (const next of needs[at]!) seen.add(next);
  }
  return false;
}

function replaceAt(value: unknown, path: readonly PropertyKey[], put: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return put;
  if (Array.isArray(value))
    return value.map((inner, at) => (String(at) === String(key) ? replaceAt(inner, rest, put) : inner));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) => [
      name,
      name === key ? replaceAt(inner, rest, put) : inner,
    ]),
  );
}
