import type { Holds } from "../../core/catalog/catalog.ts";
import type { Tool } from "../../feature/tool.ts";
import { declarationError } from "../../core/catalog/check-declaration.ts";
import { isJsonObject, type JsonObject, listArguments } from "../../feature/schema.ts";
import { type Condition, fitsCondition, parseCondition } from "../../core/contract/condition.ts";
import { conditionOf, findStranger, parseSentence } from "../../core/contract/orchestration.ts";
import { toHint } from "../../core/contract/issues.ts";
import { getOrMake } from "../../core/kit/get-or-make.ts";
import { toPointer } from "../../core/kit/json/json-pointer.ts";

/** Conditions that were parsed, by the object that they are written as: a contract is one for as long as its tool is. */
const parsed = new WeakMap<JsonObject, Condition | null>();

/** Refuse a tool whose condition cannot be read, or that shows an argument which it has not; throws, naming the tool. */
export function checkConfirm(tool: Pick<Tool, "name" | "input" | "hasLateInput" | "orchestration">): void {
  const { name, hasLateInput } = tool;
  const { confirm } = tool.orchestration;
  if (typeof confirm !== "object") return;
  const { when = {}, says } = confirm;
  const checked = parseCondition(when, ["orchestration", "confirm", "when"]);
  if (!checked.ok) throw declarationError(name, [toHint(checked.error)]);
  // A slip in a name would never be found in any arguments, and no call would ask.
  const known = hasLateInput ? [] : Object.keys(listArguments(tool.input).taken);
  if (known.length === 0) return;
  const strange = checked.value.find(({ tokens: [field] }) => field !== undefined && !known.includes(field));
  if (strange !== undefined)
    throw declarationError(name, [
      `/orchestration/confirm/when asks for ${toPointer(strange.tokens)}, and there is no argument '${strange.tokens[0]}'`,
    ]);
  const sentence = says === undefined ? null : parseSentence(says);
  const stranger = sentence === null ? undefined : findStranger(sentence, known);
  if (stranger !== undefined)
    throw declarationError(name, [
      `/orchestration/confirm/says shows an argument '${stranger}', and there is none`,
    ]);
}

/** Whether a person is asked about a call, by its arguments as the tool will get them; a field that its schema turned into others, as it was sent. */
export const holdsCall: Holds = ({ confirm, orchestration }, call) => {
  const when = conditionOf(orchestration);
  if (when === undefined) return confirm;
  if (call === null) return undefined;
  return fits(when, seenOf(call));
};

/** The arguments of a call as its tool will get them; a field that its schema turned into others, as it was sent. */
export function seenOf({ input, args }: { readonly input: JsonObject; readonly args: unknown }): JsonObject {
  const sent = Object.entries(input).filter(([, value]) => value !== null);
  return isJsonObject(args) ? { ...Object.fromEntries(sent), ...args } : input;
}

/** Whether arguments fit a condition. */
function fits(written: JsonObject, args: JsonObject): boolean {
  const condition = getOrMake(parsed, written, () => {
    const read = parseCondition(written);
    return read.ok ? read.value : null;
  });
  // A tool that was kept by another version may have a condition that is not valid here: then every call asks.
  return condition === null || fitsCondition(condition, args);
}
