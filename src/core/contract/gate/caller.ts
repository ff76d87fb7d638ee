import * as z from "zod/mini";

import { sha256 } from "../../kit/sha256.ts";

/** Where the platform keeps an object when it is told to: in the European Union, or in the United States. */
export const JURISDICTIONS = ["eu", "us"] as const;
/** Where the objects of a tenant may be kept. */
export type Jurisdiction = (typeof JURISDICTIONS)[number];

/** The form of a key's or a tenant's name. */
export const KEY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * The form of a subject, whose accounts are used, and of a customer, who receives: the caller's own words, or ids of other systems as they are
 * (OpenID Connect Core, 2, bounds a `sub` so; distinguished names have blanks). Where one becomes part of the name of an object it is a digest.
 */
export const SUBJECT = /^[!-~](?:[ -~]{0,253}[!-~])?$/;
export const SUBJECT_IN_WORDS = "1 to 255 visible ASCII characters, blanks only between them";

/** The field that names a subject or a customer. */
export const subjectField = (described: string) =>
  z.string().check(z.regex(SUBJECT, SUBJECT_IN_WORDS), z.describe(described));

/** Name a subject in a sentence: one that is more than a word is quoted, so that it reads as no part of it. */
export function saySubject(subject: string): string {
  if (/^[A-Za-z0-9_.@:-]+$/.test(subject) && subject.length <= 128) return subject;
  return JSON.stringify(subject.length > 80 ? `${subject.slice(0, 80)}…` : subject);
}

/** The objects among which a tenant's subjects are shared out. */
export const SUBJECT_SHARDS = 16;

/** The one of them that keeps what a subject has. */
export function shardOfSubject(subject: string): number {
  return Number.parseInt(sha256(`subject ${subject}`).slice(0, 8), 16) % SUBJECT_SHARDS;
}

/** The rights of a key that acts for one subject: each is good for that one's calls, questions and accounts, every other for all of a tenant's. */
export const SUBJECT_FLAGS: readonly string[] = ["skip_approval", "approve", "manage_connections"];

/** The flags that a key may have: one that acts for a subject has none that reaches beyond it. */
export function fittingFlags(flags: readonly string[], subject: string | undefined): readonly string[] {
  return subject === undefined ? flags : flags.filter((flag) => SUBJECT_FLAGS.includes(flag));
}

/** Whose accounts the calls of a request use: the caller says it, and never a model. */
export interface Account {
  readonly subject: string;
  /** Stands for the subject where its own word is not to be. */
  readonly digest: string;
  /** Which connection, by connector, where it is not the usual one. */
  readonly connections?: Readonly<Record<string, string>> | undefined;
  /** The only accounts that may be used, by connector, as ids of their providers; any of one that is not named. */
  readonly ids?: Readonly<Record<string, string>> | undefined;
  /** When an attempt began of which nothing was heard, in milliseconds since the epoch: it may have used an account that was there then. */
  readonly usedAt?: number;
  /** A call that misses a connection waits for it. */
  readonly parks?: true;
  /** Where the links lead back to that are made for its calls. */
  readonly returnTo?: string | undefined;
  /** The origin of the deployment's pages, for links. */
  readonly site: string;
}

/** Stands among ids of accounts for the deployment's own. No provider gives one like it. */
export const OWN_ACCOUNT = "(deployment)";
/** The same where none was connected when a question was asked: one that comes later is not used unasked. */
export const NO_ACCOUNT = "(none)";

/** Who asked for a call, by their configured names, and in which request. */
export interface Origin {
  readonly tenant: string;
  readonly key: string;
  readonly requestId: string;
  /** Absent where its calls use accounts of the deployment alone. */
  readonly account?: Account | undefined;
  /** The id of the trace that the request is part of; absent if its caller sent none. */
  readonly traceId?: string;
}

/** The origin of a job that was recorded before jobs said theirs: no name of a tenant or key is empty. */
export const UNKNOWN_ORIGIN: Origin = { tenant: "", key: "", requestId: "" };

/** So many requests per window. */
export interface Quota {
  readonly limit: number;
  readonly windowS: number;
}

/** A key that has made others, and what it may send together with them. */
export interface MakerKey {
  readonly name: string;
  readonly quota: Quota;
}

/** Who is calling: one configured key. */
export interface Caller {
  readonly name: string;
  /** Whose jobs, quotas and confirmations these are; one Durable Object each. */
  readonly tenant: string;
  /** Names or categories of the tools it may call, or `*`; of one that signed in, each behind the scope that narrows it. */
  readonly tools: readonly string[];
  readonly quota: Quota;
  /** The keys above it, the one that made it first; absent for a key of the configuration. Its requests count on their quotas too. */
  readonly makers?: readonly MakerKey[];
  /** Its rights besides calling its tools. */
  readonly flags: readonly string[];
  /** The one whose accounts its calls use; it names no other. */
  readonly subject?: string;
  /** It names no subject besides its own, and none if it has none: a program that was let in acts for the person who signed in. */
  readonly namesNoSubject?: true;
  /** When the key itself ends, in milliseconds since the epoch; one that does not say goes on. */
  readonly endsAtMs?: number;
  /** The configuration variable with the secret that signs its callbacks, when it is not the deployment's. */
  readonly webhookSecret?: string;
  /** Where its tenant's objects are kept, the same for every key of a tenant; wherever the platform likes unless said. */
  readonly jurisdiction?: Jurisdiction;
}

/** The triggers that start a run of a flow without a waiting caller. */
export const TRIGGERS = ["webhook", "cron"] as const;

/** The name of the caller that a tenant's runs have; no key can have it. */
export const RUNNER = "flow:";

/** The one of some callers, at least one, that may send the most requests a second, and of those the most at once. */
export function mostRequests(callers: readonly [Caller, ...Caller[]]): Caller {
  return callers.reduce((most, one) => {
    const [a, b] = [one.quota, most.quota];
    const isMore = a.limit * b.windowS - b.limit * a.windowS || a.limit - b.limit;
    return isMore > 0 ? one : most;
  });
}

/** Whether a caller has a flag. */
export function mayDo({ flags }: Pick<Caller, "flags">, flag: string): boolean {
  return flags.includes(flag);
}
