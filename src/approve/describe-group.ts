import type { ParkedGroup, ParkedAction } from "../contract/gate/confirmation.ts";
import { visibleText } from "../kit/visible-text.ts";

/** Arguments longer than that are looked at in the confirmation itself. */
const ARGS_SHOWN = 200;

/** More names than that are counted. */
const NAMES_SHOWN = 5;

/**
 * Say for each action of a group what it waits for, in a sentence for the person who decides. Arguments are shown as
 * data: bounded, everything invisible escaped.
 *
 * @param skipDenied whether the caller asked to skip this and may not
 */
export function describeParkedGroup(
  { actions }: ParkedGroup,
  { skipDenied }: { readonly skipDenied: boolean },
): string[] {
  const denied = skipDenied ? " This key may not skip approval." : "";
  const gated = actions.filter((action) => action.gated);
  return actions.map((action) => {
    const others = actions.filter((other) => other !== action);
    const also = others.length === 0 ? "" : ` With it: ${listNames(others)}.`;
    const question = action.gated
      ? `'${action.tool}' with ${showArgs(action)} runs only after a person's yes.`
      : `'${action.tool}' waits for a person's yes to ${listNames(gated)}.`;
    return `${question}${action.gated ? also : ""}${denied}`;
  });
}

function showArgs({ args }: ParkedAction): string {
  if (args.kind === "loop") {
    const inputs = args.elements.flatMap((element) => ("input" in element ? [element.input] : []));
    return `each of ${inputs.length}: ${show(inputs)}`;
  }
  return show(args.input);
}

function show(value: unknown): string {
  return visibleText(JSON.stringify(value), ARGS_SHOWN);
}

function listNames(actions: readonly ParkedAction[]): string {
  const shown = actions.slice(0, NAMES_SHOWN).map(({ id, tool }) => `'${id}' (${tool})`);
  const more = actions.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}
