/** Things that features give each other, and what a tenant is told of itself. */

import type { Configured } from "../cloudflare/configured.ts";
import type { RequestContext } from "../cloudflare/http/request-context.ts";
import type { Jurisdiction } from "../core/contract/gate/caller.ts";
import type { Tool } from "../core/catalog/define-tool.ts";
import type { JobRecord } from "../core/contract/gate/job.ts";
import type { JsonObject } from "../core/contract/json.ts";
import type { Refusal } from "../core/contract/refusal.ts";
import type { Result } from "../core/kit/result.ts";
import type { SubjectAccounts } from "./caller.ts";

/** The things that features give to features which do not need them: a reader asks for one by its name, and takes what is listed. */
export interface Gives {
  /** Says in a sentence, to a person who is asked about a call of one of its tools, how far that reaches. */
  readonly sayReach: SayReach;
  /** Say no to a question of the caller's tenant, where the caller may; whether it was open. */
  readonly withdraw: Withdraw;
  /** Its jobs that are batches. */
  readonly jobRuns: JobRuns;
  readonly endedRuns: EndedRuns;
  readonly afterRuns: AfterRuns;
  /** The people who sign in at an issuer; null where there is none. */
  readonly people: (configured: Configured) => People | null;
  readonly accounts: (configured: Configured) => SubjectAccounts;
  /** Makes tools of kept flows. */
  readonly toFlowTool: (kept: object) => Tool;
  /** Tell a tenant of itself. When this resolves, each notice that somebody asks for is recorded; it rejects where that is not certain. */
  readonly tell: (notices: readonly Notice[], told: Told, configured: Configured) => Promise<void>;
}

/** Find what features give under a name, in the order of the list. */
export function givenBy<Name extends keyof Gives>(
  features: readonly { readonly gives?: Partial<Gives> }[],
  name: Name,
): readonly Gives[Name][] {
  return features.flatMap(({ gives }) => gives?.[name] ?? []);
}

/** Find the accounts of a deployment's subjects; undefined in a Worker whose tools use none. */
export function accountsOf(configured: Configured): SubjectAccounts | undefined {
  return givenBy(configured.features, "accounts")[0]?.(configured);
}

/**
 * How far an action reaches; null of a tool of which the feature knows nothing more. A rejection leaves it unsaid.
 *
 * @param asked with the arguments of each of its calls: one, those of a loop, or none where they are not known yet
 */
export type SayReach = (
  asked: { readonly tool: string; readonly calls: readonly JsonObject[] },
  context: RequestContext,
) => Promise<string | null>;

/** Jobs that are batches: what is known of each before it is over. */
export interface JobRuns {
  /** The name of their kind. */
  readonly kind: string;
  /** The job that a run goes on as; null where the id is none of theirs. */
  jobOf(runId: string): string | null;
  /** The results that will stay what they are, as JSON on the wire. */
  results(job: JobRecord, context: RequestContext): Promise<readonly string[]>;
}

/**
 * Find all runs that share actions with one that is over, and those that their actions were: of a key that may change what it began. The
 * context is that of the run's subject and accounts, with the tools as they are now.
 *
 * @param asked with what is wished of it, as a participle
 */
type EndedRuns = (
  id: string,
  asked: { readonly request: Request; readonly wish: string },
  context: RequestContext,
) => Promise<Result<RelatedRuns, Refusal>>;

interface RelatedRuns {
  /** The run that all of them go back to. */
  readonly root: string;
  /** The name of the key that began the one that was asked for. */
  readonly key: string;
  readonly runs: readonly EndedRun[];
  readonly context: RequestContext;
}

/** A run that is over: its actions as far as the key may see them and they are kept. */
interface EndedRun {
  readonly id: string;
  /** It is this round of a run that has several. */
  readonly round?: number;
  /** It ran what this one asked a person about. */
  readonly asker?: string;
  /** The action of another run that it was. */
  readonly of?: { readonly run: string; readonly id: string; readonly element?: number | undefined };
  readonly actions: readonly EndedAction[];
  /** That of the flow that it was. */
  readonly input?: JsonObject;
  /** One action waited for another. */
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** An action that is over, as its result had it. */
interface EndedAction {
  /** With the number of its round before it, where its run has several: `2:a0`. */
  readonly id: string;
  readonly tool: string;
  readonly status: string;
  /** Whether it took effect is not known, and with which failure it ended. */
  readonly inDoubt: boolean;
  readonly error?: { readonly code: string };
  /** It is known to have been a write. */
  readonly isWrite: boolean;
  /** In milliseconds since the epoch. */
  readonly endedAt: number;
  /** Its arguments and its result, where they are kept as they were: with its references, unless those are resolved. */
  readonly args?: JsonObject;
  readonly isResolved: boolean;
  readonly data?: unknown;
  readonly forEach?: unknown;
  /** The only parts that its result has, as JSON Pointers. */
  readonly select?: readonly string[];
  readonly jobId?: string;
  /** The question that it waited for. */
  readonly question?: string;
}

/** Tells what became of the writes of runs after those were over. */
interface AfterRuns {
  /**
   * Read the fields that a run shows of it.
   *
   * @param run with the names that its tenant's object told, when it began, and its actions as far as the key may see them
   */
  show(run: AfterRun, context: Pick<RequestContext, "gate">): Promise<object>;
  /** Put it into the answer that a run had, as JSON, of which its stream tells once it is settled. With the events before that. */
  tell(
    run: AfterRun,
    answerJson: string,
    context: Pick<RequestContext, "gate">,
  ): Promise<{ readonly envelope: string; readonly isSettled: boolean; readonly events: readonly string[] }>;
  /** Read what an export keeps of it, each as JSON, by name. */
  keep(
    names: readonly string[],
    context: Pick<RequestContext, "gate">,
  ): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Find which actions of some runs are there no more, or perhaps, by run and then by id; null while that is being decided. */
  goneOf(
    runs: readonly string[],
    context: Pick<RequestContext, "gate">,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, "gone" | "unsure">> | null>;
}

interface AfterRun {
  readonly names: readonly string[];
  /** The part that an export kept of it, where the run came back with one. */
  readonly kept?: unknown;
  readonly startedAt: number;
  readonly actions: readonly {
    readonly id: string;
    readonly round?: number | undefined;
    readonly batch_id?: string | undefined;
  }[];
}

/** Say no to a question: false where it is decided already, or none for the caller. */
type Withdraw = (id: string, context: RequestContext) => Promise<boolean>;

/** The people who sign in at an issuer. */
export interface People {
  /** The tenant whose subjects they are. */
  readonly tenant: string;
  readonly issuer: string;
  /** Load what finds out who a person is. */
  load(): Promise<PersonFinder>;
}

/** The secrets of one sign-in: they stay here, sealed, until the person returns. */
export interface SignInSecrets {
  readonly verifier: string;
  readonly nonce: string;
}

/** Finds out who a person is, at their issuer. Errors are words for the person, without a value. */
interface PersonFinder {
  makeSecrets(): SignInSecrets;
  /** Whether people can be sent to the issuer now. */
  reach(): Promise<Result<unknown, string>>;
  /** The address at which a person signs in. */
  addressFor(
    secrets: SignInSecrets,
    back: { readonly state: string; readonly redirectUri: string },
  ): Promise<Result<string, string>>;
  /** The subject of a person who returned. */
  identify(came: {
    readonly query: URLSearchParams;
    readonly redirectUri: string;
    readonly secrets: SignInSecrets;
  }): Promise<Result<string, string>>;
}

/** Something that a tenant is told of itself, as an event whose type begins with `volley.`. */
export interface Notice {
  /** The same for the same thing, however often it is told: it is published once. */
  readonly id: string;
  readonly type: string;
  /** Its data as JSON text: ids, names, times and codes. */
  readonly data: string;
  /** The endpoint that it is about, which is not told. */
  readonly about?: string;
}

/** The tenant that is told. */
export interface Told {
  readonly tenant: string;
  readonly jurisdiction?: Jurisdiction | undefined;
}

/**
 * The name of what runs a flow for a delivery; no key can have it. Its runs that fail are told of as deliveries, never as runs:
 * an endpoint that is told of each failed run would cause the next one.
 */
export const FOR_DELIVERY = "delivery:";
