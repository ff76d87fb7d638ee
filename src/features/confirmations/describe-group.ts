import { begunFlows, listAsked } from "./confirmation.ts";
import { saySubject } from "../../core/contract/gate/caller.ts";
import { callsOf, type ParkedAction, type ParkedGroup } from "./parked-group.ts";
import { visibleText } from "../../feature/schema.ts";

/** Arguments longer than that are looked at in the confirmation itself. */
const ARGS_SHOWN = 200;

/** More names than that are counted. */
const NAMES_SHOWN = 5;

/** The sentence about an action whose end in an earlier run is not known. */
export const DOUBTED = "It may have taken effect in an earlier run: look before you say yes.";

/**
 * Say for each action of a group what it waits for, in a sentence for the person who decides. Arguments are shown as
 * data: bounded, everything invisible escaped.
 *
 * @param skipDenied whether the caller asked to skip this and may not
 * @param undecidable whether no configured key of the tenant may decide
 */
export function describeParkedGroup(
  { actions }: ParkedGroup,
  { skipDenied, undecidable }: { readonly skipDenied: boolean; readonly undecidable: boolean },
): string[] {
  const denied = skipDenied ? " This key may not skip approval." : "";
  const open = undecidable ? NO_DECIDER : "";
  const gated = actions.filter((action) => action.gated);
  return actions.map((action) => {
    const others = actions.filter((other) => other !== action);
    const also = others.length === 0 ? "" : ` With it: ${listNames(others)}.`;
    const question = action.gated
      ? `${sayGated(action)} only after a person's yes.`
      : `'${action.tool}' waits for a person's yes to ${listNames(gated)}.`;
    const doubt = action.doubted ? ` ${DOUBTED}` : "";
    return `${question}${doubt}${action.gated ? also : ""}${denied}${open}`;
  });
}

/** Say for each action of a group which accounts it waits for, to the person whose they are. */
export function describeAwaiting(
  { actions }: Pick<ParkedGroup, "actions">,
  { connectors, subject }: { readonly connectors: readonly string[]; readonly subject: string },
): string[] {
  const gated = actions.filter((action) => action.gated);
  const where = `${saySubject(subject)} connects an account at ${connectors.join(" and ")}`;
  return actions.map((action) =>
    action.gated
      ? `${sayGated(action)} as soon as ${where}, by itself.`
      : `'${action.tool}' waits for ${listNames(gated)}, until ${where}.`,
  );
}

const NO_DECIDER =
  " No key of this tenant in VOLLEY_KEYS may decide; its operator has to give one the flag 'approve'.";

/** Say what runs; of a flow that has begun, which of its own actions. */
function sayGated({ id, tool, begun, ...action }: ParkedAction): string {
  if (begun === undefined) return `'${tool}' with ${showArgs(action)} runs`;
  const inside = listAsked([{ id, tool, begun, ...action }]).filter(({ gated }) => gated);
  if (begunFlows(begun).length === 0) return `'${tool}' with ${showArgs(inside[0]!)} runs`;
  const all = list(inside.map((one) => `'${one.tool}' with ${showArgs(one)}`));
  return `The flow '${tool}' has begun and goes on, with ${all},`;
}

function showArgs({ args }: Pick<ParkedAction, "args">): string {
  if (args.kind !== "loop") return show(args.input);
  const inputs = callsOf(args);
  return `each of ${inputs.length}: ${show(inputs)}`;
}

function show(value: unknown): string {
  return visibleText(JSON.stringify(value), ARGS_SHOWN);
}

function listNames(actions: readonly ParkedAction[]): string {
  return list(actions.map(({ id, tool }) => `'${id}' (${tool})`));
}

function list(all: readonly string[]): string {
  const shown = all.slice(0, NAMES_SHOWN).join(", ");
  return all.length > NAMES_SHOWN ? `${shown} and ${all.length - NAMES_SHOWN} more` : shown;
}
