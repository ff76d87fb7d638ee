import type { Word } from "./token.ts";

/** Say why a command with these arguments is not proven read-only, or null when it is. */
export type CheckArguments = (args: readonly Word[]) => string | null;
