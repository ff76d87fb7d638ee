import type { Terminal } from "./terminal.ts";

/** The exit code for a shell: done, or nothing differs; the answer is no, or something differs; it could not be asked. */
export type ExitCode = 0 | 1 | 2;

/** One option of a command. */
export type Option = { readonly about: string } & (
  | { readonly type: "boolean" }
  | { readonly type: "string"; readonly value: string; readonly default?: string }
);
export type Options = Readonly<Record<string, Option>>;

/** A word without dashes that a command takes. */
export interface Positional {
  readonly name: string;
  readonly about: string;
  readonly isOptional?: boolean;
}

/** The values of a command's options. */
type Values<O extends Options> = {
  readonly [K in keyof O]: O[K]["type"] extends "boolean"
    ? boolean
    : O[K] extends { readonly default: string }
      ? string
      : string | undefined;
};

/** One call of a command. */
export interface Call<O extends Options = Options> {
  readonly values: Values<O>;
  readonly positionals: readonly string[];
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder where one stands. */
  readonly folder: string;
}

export interface Command<O extends Options = Options> {
  /** The words that call it, such as `flows diff`. */
  readonly words: string;
  readonly summary: string;
  /** Paragraphs below the summary. */
  readonly about?: readonly string[];
  readonly positionals?: readonly Positional[];
  readonly options: O;
  /** Meanings of its exit codes besides those that every command has. */
  readonly exits?: string;
  readonly examples?: readonly string[];
  run(call: Call<O>): Promise<ExitCode>;
}

/** Define a command; its options give its values their types. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command;
}
