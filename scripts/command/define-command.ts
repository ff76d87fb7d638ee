import type { Terminal } from "./terminal.ts";

/** The exit code for a shell: done, or nothing differs; the answer is no, or something differs; it could not be asked. */
export type ExitCode = 0 | 1 | 2;

/** One option of a command or a script. */
export type Option = { readonly about: string } & (
  | { readonly type: "boolean" }
  | {
      readonly type: "string";
      readonly value: string;
      readonly default?: string;
      readonly isRequired?: true;
      /** Whether it may be given several times. */
      readonly isMultiple?: true;
    }
);
export type Options = Readonly<Record<string, Option>>;

/** A word without dashes that a command takes. */
export interface Positional {
  readonly name: string;
  readonly about: string;
  readonly isOptional?: boolean;
  /** Whether all words from here on are such; it is the last one then, and may be missing. */
  readonly isMultiple?: boolean;
}

/** The values of options. */
export type Values<O extends Options> = {
  readonly [K in keyof O]: O[K]["type"] extends "boolean"
    ? boolean
    : O[K] extends { readonly isMultiple: true }
      ? readonly string[]
      : O[K] extends { readonly default: string } | { readonly isRequired: true }
        ? string
        : string | undefined;
};

/** How a command or a script is called, and what it is for. */
export interface Syntax<O extends Options = Options> {
  /** The words that are typed, such as `volley flows diff` or `npm run sandbox --`. */
  readonly call: string;
  readonly summary: string;
  /** Paragraphs below the summary. */
  readonly about?: readonly string[];
  readonly positionals?: readonly Positional[];
  readonly options: O;
  /** Meanings of its exit codes besides those that every command has. */
  readonly exits?: string;
  readonly examples?: readonly string[];
}

/** One call of a command. */
export interface Call<O extends Options = Options> {
  readonly values: Values<O>;
  readonly positionals: readonly string[];
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder where one stands. */
  readonly folder: string;
}

export interface Command<O extends Options = Options> extends Omit<Syntax<O>, "call"> {
  /** The words that call it, such as `flows diff`. */
  readonly words: string;
  run(call: Call<O>): Promise<ExitCode>;
}

/** Options that every command has. */
const EVERYWHERE = {
  json: { type: "boolean", about: "answer with one JSON value, for machines" },
  help: { type: "boolean", about: "say this, and do nothing" },
} as const satisfies Options;

/** Get a command's syntax, with the options that every command has. */
export function syntaxOf(command: Command): Syntax {
  return { ...command, call: `volley ${command.words}`, options: { ...command.options, ...EVERYWHERE } };
}

/** Define a command; its options give its values their types. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command;
}
