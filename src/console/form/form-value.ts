/** A step into a value: the name of a field or the place in a list. */
export type Step = string | number;

/** Set a value at a place, with a copy of everything above it; `undefined` takes a field out. */
export function setAt(value: unknown, steps: readonly Step[], next: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return next;
  if (typeof step === "number") {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    const copy = [...list];
    copy[step] = setAt(list[step], rest, next);
    return copy;
  }
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  const fields: Readonly<Record<string, unknown>> = isRecord ? { ...value } : {};
  const own = Object.hasOwn(fields, step) ? fields[step] : undefined;
  const changed = setAt(own, rest, next);
  const others = Object.entries(fields).filter(([name]) => name !== step);
  if (changed === undefined) return Object.fromEntries(others);
  const isKnown = others.length < Object.keys(fields).length;
  const entries = isKnown
    ? Object.entries(fields).map(([name, kept]) => [name, name === step ? changed : kept] as const)
    : [...others, [step, changed] as const];
  return Object.fromEntries(entries);
}

/** Read what was typed into a field for numbers: what is no number stays text, which the API then says. */
export function readNumber(text: string): number | string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : text;
}

/** Read what was typed into a field for JSON. */
export function readJsonText(text: string): { readonly value: unknown; readonly isJson: boolean } {
  if (text.trim() === "") return { value: undefined, isJson: true };
  try {
    return { value: JSON.parse(text) as unknown, isJson: true };
  } catch {
    return { value: text, isJson: false };
  }
}
