import type { Message, Replies } from "./dialect.ts";
import type { ToolReply } from "../../../turns/provider-turn.ts";

/** How a provider whose replies are messages of their own writes and finds them. */
export interface ReplyWords {
  /** The ids of a turn's calls, in their order. */
  readonly ids: readonly string[];
  /** The id of the call that a message replies to; null where it is no reply. */
  readonly repliedTo: (message: Message) => string | null;
  readonly toReply: (id: string, reply: ToolReply) => Message;
}

/**
 * Put a turn and the replies to its calls before the rest of a conversation. Replies of the caller's that stand at its beginning are taken
 * in the places of their calls; those to no call of the turn come after all.
 */
export function joinReplies(
  {
    turn,
    replies,
    rest,
  }: { readonly turn: Message; readonly replies: Replies; readonly rest: readonly Message[] },
  { ids, repliedTo, toReply }: ReplyWords,
): readonly Message[] {
  const theirs = new Map<string, Message>();
  let from = 0;
  for (; from < rest.length; from += 1) {
    const id = repliedTo(rest[from]!);
    if (id === null) break;
    theirs.set(id, rest[from]!);
  }
  const answers = ids.flatMap((id): readonly Message[] => {
    const reply = replies.get(id);
    if (reply !== undefined) return [toReply(id, reply)];
    const sent = theirs.get(id);
    return sent === undefined ? [] : [sent];
  });
  const strange = [...theirs].filter(([id]) => !ids.includes(id)).map(([, message]) => message);
  return [turn, ...answers, ...strange, ...rest.slice(from)];
}
