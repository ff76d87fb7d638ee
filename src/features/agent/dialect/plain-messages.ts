import type { Message } from "./dialect.ts";

/** How the calls and replies of a conversation are found. */
export interface PlainWords {
  /** The text of a reply to a call; null where a message is none. */
  readonly observationOf: (message: Message) => string | null;
  /** The text of a model's message, and its calls; null where a message has none. */
  readonly actionsOf: (
    message: Message,
  ) => { readonly text: string; readonly calls: readonly PlainCall[] } | null;
}

interface PlainCall {
  readonly name: unknown;
  readonly args: unknown;
}

/** Write what messages say of calls and their replies as text: replies that follow each other are one message of the user's. */
export function toPlainMessages(
  messages: readonly Message[],
  { observationOf, actionsOf }: PlainWords,
): readonly Message[] {
  const plain: Message[] = [];
  const observed: string[] = [];
  const observe = (): void => {
    if (observed.length > 0) plain.push({ role: "user", content: observed.join("\n") });
    observed.length = 0;
  };
  for (const message of messages) {
    const observation = observationOf(message);
    if (observation !== null) {
      observed.push(`Observation: ${observation}`);
      continue;
    }
    observe();
    const actions = actionsOf(message);
    plain.push(actions === null ? message : { role: "assistant", content: toActions(actions) });
  }
  observe();
  return plain;
}

function toActions({ text, calls }: { readonly text: string; readonly calls: readonly PlainCall[] }): string {
  const actions = calls.map(({ name, args }) => `Action: ${String(name)}\nAction Input: ${String(args)}`);
  return [text, ...actions].filter((part) => part !== "").join("\n");
}
