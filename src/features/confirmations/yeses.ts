import type { JsonObject } from "../../feature/schema.ts";
import { canonicalJson } from "../../core/kit/json/canonical-json.ts";
import { sha256 } from "../../feature/kit.ts";
import type { Decider } from "./decision.ts";
import type { ParkedGroup } from "./parked-group.ts";

/** A yes to a question that wants several people. */
export interface Yes {
  /** Stands for the person: a key and all links that it made are one. */
  readonly voter: string;
  readonly decider: Decider;
  /** The digest of the key by which it was given, or whose link it was: it counts for as long as that key may decide. */
  readonly hash?: string | undefined;
  /** The digest of its link. */
  readonly link?: string | undefined;
}

/** The yeses to a question so far, all to the same arguments. */
export interface Yeses {
  readonly given: readonly Yes[];
  /** The arguments that the first of them wrote, by action. */
  readonly args?: Readonly<Record<string, JsonObject>> | undefined;
  /** Counts how often somebody wrote others: a yes to what was there before is none. */
  readonly edition: number;
}

export const NO_YESES: Yeses = { given: [], edition: 0 };

/** Name the person who decides: the maker of a link and all its links are one. */
export function toVoter({ name, via, madeBy }: Decider): string {
  return via === "approver" ? `approver ${name}` : `key ${via === "key" ? name : (madeBy ?? "")}`;
}

/** Take out the yeses that have ended, and the arguments whose writer is one of them. */
export function withoutEnded({ given, args, edition }: Yeses, isOver: (yes: Yes) => boolean): Yeses {
  if (args !== undefined && isOver(given[0]!)) return { given: [], edition: edition + 1 };
  const left = given.filter((yes) => !isOver(yes));
  return { given: left, edition, ...(args !== undefined && { args }) };
}

/** Count a yes. One of a person who said it before changes nothing, and one with other arguments begins anew. */
export function countYes(before: Yeses, yes: Yes, written: Yeses["args"]): Yeses {
  const { given, args, edition } = before;
  if (written !== undefined) return { given: [yes], args: { ...args, ...written }, edition: edition + 1 };
  return given.some(({ voter }) => voter === yes.voter) ? before : { ...before, given: [...given, yes] };
}

/** The hash of what a person is shown: arguments that somebody wrote are part of it. */
export function hashShown({ argsHash }: Pick<ParkedGroup, "argsHash">, args: Yeses["args"]): string {
  return args === undefined ? argsHash : sha256(`${argsHash} ${canonicalJson(args)}`);
}
