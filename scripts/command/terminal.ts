import { styleText } from "node:util";

type Colour = "green" | "red" | "yellow" | "bold" | "dim";

/** Where a command speaks: lines for people, or one JSON value for machines. */
export interface Terminal {
  /** Whether `--json` was given: then lines are not printed, and `give` is. */
  readonly isJson: boolean;
  /** The width, in columns. */
  readonly width: number;
  /** Print a line of the answer, for people. */
  readonly print: (line: string) => void;
  /** Print a line about the work itself, such as a wait. */
  readonly note: (line: string) => void;
  /** Print the answer for machines; does nothing without `--json`. */
  readonly give: (value: unknown) => void;
  readonly paint: (colour: Colour, text: string) => string;
}

/** The terminal of this process. */
export function openTerminal(isJson: boolean): Terminal {
  return {
    isJson,
    width: Math.max(40, process.stdout.columns ?? 80),
    print: (line) => {
      if (!isJson) console.log(line);
    },
    note: (line) => console.error(line),
    give: (value) => {
      if (isJson) console.log(JSON.stringify(value, null, 2));
    },
    paint: (colour, text) => styleText(colour, text, { stream: process.stdout }),
  };
}
