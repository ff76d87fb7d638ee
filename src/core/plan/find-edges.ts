import type { Action, Entry } from "../contract/action.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import * as LIMITS from "../contract/limits.ts";
import { hasMarker, isHandle, ITEM } from "../contract/reference.ts";
import { nearest } from "../kit/nearest.ts";
import { err, ok, type Result } from "../kit/result.ts";
import { visibleText } from "../kit/visible-text.ts";
import { findReferences, lostReference } from "./references.ts";
import type { Edge, EdgeReason } from "./step.ts";

export interface Dependencies {
  readonly edges: readonly Edge[];
  readonly handles: readonly string[];
  /** Whether the arguments stand as they were sent; otherwise there are references, templates or literals in them. */
  readonly isPlain: boolean;
  /** Whether the call can be made without looking anything up. */
  readonly isKnown: boolean;
}

/** The steps that an action may need, and what else it may refer to. */
interface EdgeSources {
  /** The steps that the tool's contract fills missing fields from. */
  readonly filledFrom: readonly number[];
  readonly position: ReadonlyMap<string, number>;
  /** Whether a step is fire-and-forget: it can be waited for, but it has no data to refer to. */
  readonly isBackground: (index: number) => boolean;
  /** Data that can be referred to besides the steps' own, by id. */
  readonly given?: ReadonlyMap<string, unknown> | undefined;
}

/** Find the steps an action needs: what it names in `depends_on`, and what its arguments and its loop refer to. */
export function findEdges(
  { index, id }: Entry,
  action: Action,
  { filledFrom, position, isBackground, given = NOTHING_GIVEN }: EdgeSources,
): Result<Dependencies, Failure> {
  const edges: Edge[] = [];
  const handles: string[] = [];
  const add = (from: number, reason: EdgeReason): void => {
    if (!edges.some((edge) => edge.from === from)) edges.push({ from, reason });
  };
  const others = (): string[] => [...position.keys()].filter((other) => other !== id);

  for (const [place, needed] of action.dependsOn.entries()) {
    const at = position.get(needed);
    if (at === undefined) {
      const hint = sayNoAction(`depends_on names '${visibleText(needed)}'`, needed, others());
      return err(lostReference(hint, { at: ["depends_on", place], text: needed }));
    }
    add(at, "depends_on");
  }

  const inArgs = findReferences(action.args, ["args"]);
  if (!inArgs.ok) return inArgs;
  const loops = action.forEach !== undefined;
  const inLoop = loops ? findReferences(action.forEach, ["for_each"]) : ok([]);
  if (!inLoop.ok) return inLoop;

  const toItem = inArgs.value.find((reference) => reference.id === ITEM);
  if (toItem !== undefined && !loops) {
    const hint = `'${ITEM}#' stands for the element of a for_each, and this action has none.`;
    return err(lostReference(hint, toItem));
  }
  const toOthers = inArgs.value.filter((reference) => reference.id !== ITEM);
  for (const reference of [...toOthers, ...inLoop.value]) {
    const at = position.get(reference.id);
    if (at === undefined) {
      if (given.has(reference.id)) continue;
      if (!isHandle(reference.id)) {
        const what = `'${visibleText(reference.text, 120)}' refers to '${reference.id}'`;
        return err(lostReference(sayNoAction(what, reference.id, [...others(), ...given.keys()]), reference));
      }
      if (handles.includes(reference.id)) continue;
      if (handles.length === LIMITS.handles) return err(tooManyHandles());
      handles.push(reference.id);
    } else if (at !== index && isBackground(at)) {
      const hint = `'${visibleText(reference.text, 120)}' refers to a fire-and-forget action, which has no data in this batch; use depends_on to wait until it is recorded.`;
      return err(lostReference(hint, reference));
    } else add(at, filledFrom.includes(at) ? "contract" : "reference");
  }
  const isKnown = inArgs.value.length === 0 && !loops;
  return ok({ edges, handles, isPlain: isKnown && !hasMarker(action.args), isKnown });
}

const NOTHING_GIVEN: ReadonlyMap<string, unknown> = new Map();

/** The failure of an action that refers to results of earlier batches when enough of them are referred to already. */
export function tooManyHandles(): Failure {
  return makeFailure("BAD_REFERENCE", {
    hint: `One batch may refer to ${LIMITS.handles} results of earlier batches by their handles, and this action would make it more; send it in another batch.`,
  });
}

/** `others` leaves out the action itself: to suggest it would be to suggest a cycle, which costs the whole batch. */
function sayNoAction(what: string, id: string, others: readonly string[]): string {
  const near = nearest(id, others);
  const meant = (near.length > 0 ? near : others.slice(0, 5)).map((other) => `'${other}'`).join(", ");
  return `${what}, which no action of this batch has as its id; there is ${meant || "no other action"}.`;
}
