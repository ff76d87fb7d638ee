import type { Asker, BegunLoop } from "../../core/plan/step.ts";
import type { OnError } from "../../core/contract/batch.ts";
import type { Failure } from "../../feature/refuse.ts";
import type { JsonObject } from "../../feature/schema.ts";
import type { Account } from "../../core/contract/gate/caller.ts";
import type { CallbackTarget, RunOf } from "../../core/contract/gate/job.ts";
import type { KeptLater } from "../../core/gate/execution.ts";
import type { Needs } from "../../core/kit/layers.ts";

/** The arguments of a parked action, as they were asked. */
export type ParkedArgs =
  /** Everything it refers to is known: this is what will be sent. */
  | { readonly kind: "call"; readonly input: JsonObject }
  /** The same for each element of a `for_each`; an element that is wrong stays so. */
  | {
      readonly kind: "loop";
      readonly elements: readonly ({ readonly input: JsonObject } | { readonly error: Failure })[];
    }
  /** As it was sent: it refers to what has not happened yet. */
  | { readonly kind: "waiting"; readonly input: JsonObject; readonly forEach?: unknown };

/** The arguments of the calls that an action makes; none where they are not known yet. */
export function callsOf(args: ParkedArgs): readonly JsonObject[] {
  switch (args.kind) {
    case "call":
      return [args.input];
    case "loop":
      return args.elements.flatMap((element) => ("input" in element ? [element.input] : []));
    case "waiting":
      return [];
  }
}

export interface ParkedAction {
  readonly id: string;
  readonly tool: string;
  /** Needs a person's yes itself; the others only wait for one that does. */
  readonly gated: boolean;
  /** Positions in the group of the actions that must have succeeded before. */
  readonly needs: readonly number[];
  readonly args: ParkedArgs;
  /** The sentence of its tool; absent where the tool has none. */
  readonly says?: string;
  readonly timeoutMs: number;
  readonly select: readonly (readonly string[])[] | null;
  /** Where the event about its job's end goes. */
  readonly callback?: CallbackTarget;
  /** When its job's first attempt is to begin. */
  readonly runAt?: number;
  /** The work that it had begun when it asked; absent where nothing of it has run. */
  readonly begun?: BegunFlow | BegunLoop<BegunFlow>;
  /** It may have taken effect in an earlier run. */
  readonly doubted?: true;
}

/** A flow that has begun and asks about an action of its own: what is left of it, and what its answer needs besides. */
export interface BegunFlow extends Pick<ParkedGroup, "actions" | "results" | "onError" | "declarations"> {
  readonly kind: "flow";
  /** How its other actions ended, as outcomes are kept; of their data only what the answer refers to. */
  readonly over: readonly (readonly [id: string, outcomeJson: string])[];
  /** Its writes that have taken effect. */
  readonly written?: readonly string[];
}

export interface KeptAsker {
  /** The name of the key; absent where a trigger started the run. */
  readonly key?: string | undefined;
  /** The flow that the actions are of; absent where they are a batch's. */
  readonly flow?: string | undefined;
  /** The trigger that started the flow, where no key did. */
  readonly trigger?: RunOf["trigger"] | undefined;
  /** The batch, or the job that a run of a trigger is. */
  readonly runId: string;
}

/** The accounts that parked actions wait for. */
export interface AwaitedAccounts {
  /** Stands for the subject. */
  readonly digest: string;
  readonly connectors: readonly string[];
}

/** Everything needed to run parked actions later, without the batch they came from. It is stored as JSON. */
export interface ParkedGroup {
  readonly format: number;
  /** In the order of their batch. */
  readonly actions: readonly ParkedAction[];
  /** The name of each by which every run under its key knows it; absent where no other run asks the same. Not shown. */
  readonly names?: readonly string[];
  /** Results outside the group that the waiting actions refer to, by id: only the parts they refer to. */
  readonly results: readonly (readonly [id: string, data: unknown])[];
  readonly onError: OnError;
  readonly deadlineMs: number;
  readonly maxTokens: number | null;
  /** The name of the key that asked, or what the log calls the trigger that did. */
  readonly requestedBy: string;
  /** The same in full; absent where a version recorded it that did not say. */
  readonly asker?: KeptAsker;
  /** The accounts that it uses, whichever person says yes; absent for those of the deployment alone. */
  readonly account?: Account;
  /** The addresses or logins of the accounts that it would use, by the name of the tool; absent where a version recorded it that did not say. */
  readonly accountNames?: Readonly<Record<string, string>>;
  /** It waits for accounts alone, and no yes: it runs once they are connected. */
  readonly awaits?: AwaitedAccounts;
  /** How the writes of what runs are looked after; absent where nothing does that. */
  readonly keptAs?: KeptLater;
  /** How many people have to say yes; absent where one does. */
  readonly people?: number;
  /** Where the batch's events go; absent where it names no address. */
  readonly callback?: CallbackTarget;
  /** SHA-256 of what a person says yes to: ids, tools and arguments. */
  readonly argsHash: string;
  /** SHA-256 of the declaration of every tool involved, by name. */
  readonly declarations: readonly (readonly [tool: string, hash: string])[];
}

/** Keep who asked; what is not known of it is not written. */
export const keepAsker = ({ key, tool: flow, trigger, runId }: Asker): KeptAsker => ({
  key,
  flow,
  trigger,
  runId,
});

/** Recall who asked. */
export const recallAsker = ({ flow: tool, ...asker }: KeptAsker): Asker => ({ ...asker, tool });

/**
 * Divide parked steps into groups: steps belong together when one needs the other, so two gated steps that share a
 * dependent are one question. Each group, and the list of them, is in the order of the batch.
 */
export function findGroups(parked: readonly number[], needs: Needs): number[][] {
  const groupOf = new Map(parked.map((index) => [index, [index]]));
  for (const index of parked) {
    for (const needed of needs[index]!) {
      const [own, other] = [groupOf.get(index)!, groupOf.get(needed)];
      if (other === undefined || other === own) continue;
      own.push(...other);
      for (const member of other) groupOf.set(member, own);
    }
  }
  return [...new Set(groupOf.values())]
    .map((group) => group.sort((a, b) => a - b))
    .sort(([a], [b]) => a! - b!);
}
