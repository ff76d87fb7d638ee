/** A place of the text that will not do what is meant. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  /** An error will be refused; a warning may be meant. */
  readonly severity: "error" | "warning";
  readonly message: string;
}

/** The first character of something, for what is wrong with all of it. */
export function headOf({ start }: Pick<Mark, "start">): Pick<Mark, "start" | "end"> {
  return { start, end: start + 1 };
}

/** Longer lists of elements are left to the API to look through. */
export const MOST_ELEMENTS = 100;
