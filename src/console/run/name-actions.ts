/** An action as a drawing shows it: what it is called and which tool it calls. */
export interface NamedAction {
  readonly id: string;
  /** Null where the action names none. */
  readonly tool: string | null;
}

/** Where models and people write a tool's name when they do not write `tool`. */
const TOOL_FIELDS = ["tool", "name", "function", "tool_name"];

/** Name the actions of a batch as the API does: an action without an id is `a` and its place. Anything may be given. */
export function nameActions(actions: unknown): readonly NamedAction[] {
  if (!Array.isArray(actions)) return [];
  return actions.map((action: unknown, index) => {
    const fields = Object(action) as Readonly<Record<string, unknown>>;
    const tool = TOOL_FIELDS.map((field) => fields[field]).find((name) => typeof name === "string");
    const id = typeof fields["id"] === "string" ? fields["id"] : `a${index}`;
    return { id, tool: typeof tool === "string" ? tool : null };
  });
}
