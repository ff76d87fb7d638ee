import { type MessagesProblem, refuse, refuseAt } from "./messages-problem.ts";

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
}

/** A message whose blocks have been checked one by one. */
export interface TypedMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly Block[];
}

/** Whether a message calls a tool of the caller's, or answers it. */
export function hasToolBlocks({ content }: TypedMessage): boolean {
  return (
    typeof content !== "string" && content.some(({ type }) => type === "tool_use" || type === "tool_result")
  );
}

/**
 * Find what Anthropic would refuse about how calls and results belong together: each call is answered once, at the
 * beginning of the very next message; nothing else is answered; and no id is used twice in a conversation.
 */
export function* findPairProblems(messages: readonly TypedMessage[]): Generator<MessagesProblem, undefined> {
  const everyId = new Set<string>();
  let open: readonly string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = typeof content === "string" ? [] : content;
    yield* findResultProblems(blocks, open, index);
    open = role === "assistant" ? blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id!) : [];
    for (const id of open) {
      if (everyId.has(id)) yield refuseAt(["messages", index], "`tool_use` ids must be unique");
      everyId.add(id);
    }
    yield* findServedProblems(blocks, index);
  }
  if (open.length > 0) yield refuseUnanswered(open, messages.length - 1);
}

function* findResultProblems(
  blocks: readonly Block[],
  open: readonly string[],
  index: number,
): Generator<MessagesProblem, undefined> {
  const answered = new Set<string>();
  for (const [position, { type, tool_use_id: id = "" }] of blocks.entries()) {
    if (type !== "tool_result") continue;
    const path = ["messages", index, "content", position];
    if (!open.includes(id))
      yield refuseAt(
        path,
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a ` +
          "corresponding `tool_use` block in the previous message.",
      );
    if (answered.has(id))
      yield refuseAt(
        path,
        `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    answered.add(id);
  }
  const before = blocks.findIndex(({ type }) => type !== "tool_result");
  const isLate = before !== -1 && blocks.slice(before).some(({ type }) => type === "tool_result");
  const missing = isLate ? open : open.filter((id) => !answered.has(id));
  if (missing.length > 0) yield refuseUnanswered(missing, index - 1);
}

function refuseUnanswered(ids: readonly string[], index: number): MessagesProblem {
  return refuse(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. ` +
      "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  );
}

/** Results of Anthropic's own tools stand after their call, in the same message. */
function* findServedProblems(blocks: readonly Block[], index: number): Generator<MessagesProblem, undefined> {
  const ids = new Set<string>();
  for (const [position, { type, id, tool_use_id: answers }] of blocks.entries()) {
    if (type === "server_tool_use" || type === "mcp_tool_use") ids.add(id!);
    if (!type.endsWith("_tool_result") || ids.has(answers!)) continue;
    yield refuseAt(
      ["messages", index, "content", position],
      `unexpected \`tool_use_id\` found in \`${type}\` blocks: ${answers}. Each \`${type}\` block must have a ` +
        "corresponding `server_tool_use` block before it.",
    );
  }
}
