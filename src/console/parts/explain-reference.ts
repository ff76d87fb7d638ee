/** Say in words what a reference of a batch stands for; null for any other value. */
export function explainReference(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  if (entries.length !== 1) return null;
  const [name, target] = entries[0]!;
  if (typeof target !== "string") return null;
  if (name === "$ref") return sayTarget(target);
  if (name === "$template") return `Text made when it runs: ${target}`;
  return null;
}

function sayTarget(target: string): string {
  const at = target.indexOf("#");
  const [id, pointer] = at < 0 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)];
  const what = pointer === "" ? "the whole result" : `${pointer} of the result`;
  if (id === "item") return pointer === "" ? "Each element" : `${pointer} of each element`;
  if (id === "input") return pointer === "" ? "The whole input" : `${pointer} of the input`;
  return `${what[0]!.toUpperCase()}${what.slice(1)} of ${id}`;
}
