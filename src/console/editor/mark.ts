/** A place of the text that will not do what is meant. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  /** An error will be refused; a warning may be meant. */
  readonly severity: "error" | "warning";
  readonly message: string;
}

/** Longer lists of elements are left to the API to look through. */
export const MOST_ELEMENTS = 100;
