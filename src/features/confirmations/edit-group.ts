import type { Catalog, Tool } from "../../feature/tool.ts";
import { parseArgs, parseCall } from "../../core/catalog/parse-args.ts";
import { checkResolved } from "../../core/contract/action.ts";
import { err, type Failure, makeRefusal, ok, type Refusal, type Result } from "../../feature/refuse.ts";
import type { ParkedAction, ParkedGroup } from "./parked-group.ts";
import { type JsonObject, visibleText } from "../../feature/schema.ts";
import { toMisfit } from "../../core/contract/issues.ts";
import { toPointer } from "../../core/kit/json/json-pointer.ts";
import { seenOf } from "./conditions.ts";
import { sayCalls } from "./say-call.ts";

/** Whether a person may change what an action is called with: one call, whose arguments are known. */
export function isEditable({ args, begun }: Pick<ParkedAction, "args" | "begun">): boolean {
  return args.kind === "call" && begun === undefined;
}

/**
 * Put the arguments that a person wrote in place of those that were asked about. They are data, held to everything that arguments
 * are held to; what is wrong with one refuses all, and nothing runs.
 *
 * @param args by the action's id
 */
export function editGroup(
  group: ParkedGroup,
  args: Readonly<Record<string, JsonObject>> | undefined,
  catalog: Catalog,
): Result<ParkedGroup, Refusal> {
  if (args === undefined) return ok(group);
  const edits = new Map(Object.entries(args));
  for (const [id, input] of edits) {
    const action = group.actions.find((one) => one.id === id);
    if (action === undefined || !isEditable(action)) return err(refuseEdit(id, action !== undefined));
    const wrong = findWrong(catalog, action.tool, input);
    if (wrong !== null) return err(refuseArgs(id, wrong));
  }
  const actions = group.actions.map((action): ParkedAction => {
    const input = edits.get(action.id);
    if (input === undefined) return action;
    const { says: _, ...unsaid } = action;
    const says = saySent(catalog.get(action.tool), input);
    return { ...unsaid, args: { kind: "call", input }, ...(says !== undefined && { says }) };
  });
  return ok({ ...group, actions });
}

function saySent(tool: Tool | undefined, input: JsonObject): string | undefined {
  const call = tool && parseCall(tool, input);
  return call?.ok === true ? sayCalls(tool!, [seenOf(call.value)]) : undefined;
}

function findWrong(catalog: Catalog, name: string, input: JsonObject): Failure | null {
  const checked = checkResolved(input);
  if (!checked.ok) return checked.error;
  const tool = catalog.get(name);
  const parsed = tool === undefined ? null : parseArgs(tool, input);
  return parsed?.ok === false ? parsed.error : null;
}

function refuseEdit(id: string, isThere: boolean): Refusal {
  const issue = {
    path: toPointer(["args", visibleText(id)]),
    expected: "an action whose arguments are known, and that is no loop",
    received: isThere ? "another one" : "the id of none",
  };
  return makeRefusal("INVALID_REQUEST", toMisfit(issue).hint, { issue });
}

/** The path of an issue with arguments begins with `/args`. */
function refuseArgs(id: string, { issues = [], hint = "" }: Failure): Refusal {
  const base = toPointer(["args", visibleText(id)]);
  const [issue] = issues.map((one) => ({ ...one, path: one.path.replace(/^\/args/, base) }));
  return makeRefusal("INVALID_REQUEST", issue === undefined ? hint : toMisfit(issue).hint, {
    ...(issue !== undefined && { issue }),
  });
}
