/** Stands in arguments for what is known only when another action has run: any value, or the text of a template. */
export class Pending {
  /** The one reference that a template writes and nothing else; null where there is more, or no template. */
  readonly #alone: string | null;
  readonly isText: boolean;

  private constructor(isText: boolean, alone: string | null) {
    this.isText = isText;
    this.#alone = alone;
    // A walk over arguments sees an object without keys.
    Object.defineProperty(this, "isText", { enumerable: false });
  }

  static readonly value = new Pending(false, null);

  static text(alone: string | null): Pending {
    return new Pending(true, alone);
  }

  /** Whether it is the text of one reference alone, which may be the digits of a number. */
  get isAlone(): boolean {
    return this.#alone !== null;
  }

  /** How the value itself is had where text does not fit; empty where it is no text. */
  get advice(): string {
    if (!this.isText) return "";
    const value =
      this.#alone === null ? "" : `; ${JSON.stringify({ $ref: this.#alone })} stands for the value itself`;
    return `A $template always makes text${value}.`;
  }
}

/** The objects and arrays in a value in which something is pending, however deep. */
export function findOpen(value: unknown, open = new Set<unknown>()): ReadonlySet<unknown> {
  visit(value, open);
  return open;
}

function visit(value: unknown, open: Set<unknown>): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (value instanceof Pending || open.has(value)) return true;
  let isOpen = false;
  for (const inner of Array.isArray(value) ? value : Object.values(value))
    if (visit(inner, open)) isOpen = true;
  if (isOpen) open.add(value);
  return isOpen;
}
