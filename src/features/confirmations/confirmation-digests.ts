import { toDeclarationText } from "../../core/catalog/tool-schema.ts";
import type { Tool } from "../../feature/tool.ts";
import { begunFlows } from "./confirmation.ts";
import type { Account } from "../../core/contract/gate/caller.ts";
import type { ParkedAction } from "./parked-group.ts";
import { canonicalJson } from "../../core/kit/json/canonical-json.ts";

/** SHA-256 of a text's UTF-8, as hex. */
export type Sha256 = (text: string) => Promise<string>;

/** The hash of what a person says yes to: which actions, in which order, with which arguments and accounts. */
export function hashArgs(
  actions: readonly ParkedAction[],
  sha256: Sha256,
  ids?: Account["ids"],
): Promise<string> {
  const hashed = actions.map(toHashed);
  return sha256(canonicalJson(ids === undefined ? hashed : [hashed, ids]));
}

function toHashed({ id, tool, gated, needs, args, callback, runAt, begun }: ParkedAction): object {
  const inside = begunFlows(begun).map(({ at, flow }) => ({ at, actions: flow.actions.map(toHashed) }));
  return {
    id,
    tool,
    gated,
    needs,
    args,
    callback_url: callback?.url,
    run_at: runAt,
    ...(inside.length > 0 && { inside }),
  };
}

/** The hash of what a tool declares to do; of one that a tenant added, of where it sends what as well. */
export function hashDeclaration(tool: Tool, sha256: Sha256): Promise<string> {
  return sha256(tool.added?.fingerprint ?? toDeclarationText(tool));
}
