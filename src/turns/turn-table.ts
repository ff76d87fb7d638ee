/** The ways in which providers write a model's turn. */
export type Speech = "chat" | "messages" | "responses" | "gemini";

/** The ways to deal with a part of a turn. */
type Done =
  /** It waits for no answer, because it is said, thought, or run by the provider itself. It goes to the caller, and back to the model. */
  | "kept"
  /** It is run where it calls a tool of ours; the caller's own tools are handed over. */
  | "runs"
  /** Nothing is run for it, and the model is told why, in words that show what it wrote. */
  | "told"
  /** Somebody else has to answer it: the turn goes to the caller, and what of it is ours has run. */
  | "handed over"
  /** The turn goes back as it is, and the model is asked again. */
  | "asked again";

/** A part of a turn, and the types by which each way of speech that has it knows it. */
interface KnownPart {
  readonly comes: string;
  readonly done: Done;
  readonly types: Readonly<Partial<Record<Speech, readonly string[]>>>;
}

/**
 * The parts of a model's turn that are known by their type, and what is done with each: in a conversation that goes on here, and in a
 * turn that a caller sends. A type that ends in `*` stands for all that begin with what is before it, one that begins with `*` for all
 * that end so; a type of its own row comes first. Tests play all else that can come (`test/support/turn-table.ts`).
 */
export const PARTS_BY_TYPE: readonly KnownPart[] = [
  {
    comes: "a call of a function",
    done: "runs",
    types: {
      chat: ["function"],
      messages: ["tool_use"],
      responses: ["function_call"],
      gemini: ["functionCall"],
    },
  },
  {
    comes: "a call in free text, of no tool of the caller's",
    done: "told",
    types: { chat: ["custom"], responses: ["custom_tool_call"] },
  },
  {
    comes: "a server's question whether it may call",
    done: "handed over",
    types: { responses: ["mcp_approval_request"] },
  },
  { comes: "a call of a shell", done: "handed over", types: { responses: ["shell_call"] } },
  { comes: "a call of a local shell", done: "handed over", types: { responses: ["local_shell_call"] } },
  { comes: "a patch to apply", done: "handed over", types: { responses: ["apply_patch_call"] } },
  { comes: "a call of a computer", done: "handed over", types: { responses: ["computer_call"] } },
  {
    comes: "a search for tools that the client makes",
    done: "handed over",
    types: { responses: ["tool_search_call"] },
  },
  {
    comes: "a call of a type that is not known",
    done: "handed over",
    types: { chat: ["*"], messages: ["*_use"], responses: ["*_call"] },
  },
  {
    comes: "a call that the provider ran",
    done: "kept",
    types: {
      messages: ["server_tool_use", "mcp_tool_use"],
      responses: [
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
      ],
    },
  },
  { comes: "a list of a server's tools", done: "kept", types: { responses: ["mcp_list_tools"] } },
  {
    comes: "a thought",
    done: "kept",
    types: { messages: ["thinking", "redacted_thinking"], responses: ["reasoning"] },
  },
  { comes: "a turn that pauses", done: "asked again", types: { messages: ["pause_turn"] } },
];

const BY_TYPE: ReadonlyMap<string, Done> = new Map(
  PARTS_BY_TYPE.flatMap(({ types, done }) =>
    Object.entries(types).flatMap(([speech, names]) =>
      names.map((name) => [`${speech} ${name}`, done] as const),
    ),
  ),
);

/** Look up what is done with a part of a turn, by the type that its provider gives it; a part that waits for no answer is kept. */
export function whatIsDone(speech: Speech, type: unknown): Done {
  const name = typeof type === "string" ? type : "";
  const ending = `*_${name.slice(name.lastIndexOf("_") + 1)}`;
  const names = [name, ending, "*"].map((one) => BY_TYPE.get(`${speech} ${one}`));
  return names.find((done) => done !== undefined) ?? "kept";
}

/** Whether a part of a turn calls a tool by its name. */
export function isCalled(speech: Speech, type: unknown): boolean {
  const done = whatIsDone(speech, type);
  return done === "runs" || done === "told";
}

/** Every provider takes such a name. */
const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;

/** Make a name that every provider takes of the one that a model wrote: it stays where it is one. */
export function legalName(name: string): string {
  if (LEGAL.test(name)) return name;
  const legal = name.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, 64);
  return legal === "" ? "unnamed" : legal;
}
