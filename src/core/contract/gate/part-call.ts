import type { Gate } from "./tenant-gate-methods.ts";

type Asked<Method> = Method extends (...args: infer Args) => unknown ? Args : never;
type Answer<Method> = Method extends (...args: never[]) => infer Result ? Result : never;

/** Calls a method of a feature's part of a tenant's object. A rejected promise means that nothing is certain, as for any call. */
export type PartCall<Methods> = <Name extends keyof Methods & string>(
  gate: Pick<Gate, "call">,
  method: Name,
  ...args: Asked<Methods[Name]>
) => Promise<Answer<Methods[Name]>>;

/** The same methods where they are answered: each hears when it is called. */
export type PartMethods<Methods> = {
  readonly [Name in keyof Methods]: (nowMs: number, ...args: Asked<Methods[Name]>) => Answer<Methods[Name]>;
};

/** Make what calls the methods of a feature's part: core passes the call on and knows none of them. */
export function createPartCall<Methods>(feature: string): PartCall<Methods> {
  return (gate, method, ...args) => gate.call(feature, method, ...args) as Promise<never>;
}

/** The writes of runs that are over, as far as something became of them since: counted by their tools. */
export interface Aftermath {
  /** It takes the place of an earlier one of the same name. */
  readonly id: string;
  /** Those that share the writes. */
  readonly runs: readonly string[];
  readonly at: number;
  readonly tools: readonly ToolAftermath[];
}

interface ToolAftermath {
  readonly tool: string;
  /** Its writes that are there no more. */
  readonly gone: number;
  /** Those that stand, and of these the ones of which that is not certain. */
  readonly stands: number;
  readonly unsure: number;
  /** Those about which something is under way, and that wait for a person. */
  readonly going: number;
  readonly waits: number;
}
