/** Numbers that bound this feature, each with its reason; the others are core's. */

export { askedLineCharacters, breakerPauseMaxMs, pageBytes } from "../../core/contract/limits.ts";

/** How long a link is good that connects an account, and how long what came of it waits for the caller's word: as long as a sign-in takes. */
export const connectionLinkMs = 10 * 60_000;
/** Wrong codes that end what waits for one: guessing has five in 25 billion, and a person who types seldom needs three. */
export const wrongCodes = 5;
/** A token is not used in its last minute: clocks differ, and a request that waits for a slot is to arrive in time. */
export const tokenMarginMs = 60_000;
/** Connections of one subject: a person has a handful of accounts, and one more of each. */
export const connectionsOfSubject = 50;
/** Connectors of which one request chooses a connection by name: each run keeps the names for its reruns. */
export const connectionsChosen = 20;
/** Connections that one of a tenant's sixteen objects keeps: 100,000 together, two KiB each. */
export const connectionsPerShard = 6_250;
/** The longest that a provider of accounts is waited for: a person waits too. */
export const providerTimeoutMs = 10_000;
/** One call of an object that asks a provider: twice in a row at most. */
export const connectionTimeoutMs = 25_000;
/** So many connections whose refreshes fail are enough to keep all others away from their provider: fewer may be at fault themselves. */
export const providerConnections = 3;
/** A provider's answer with tokens takes a few KiB; more is none. */
export const providerAnswerBytes = 64 * 1024;
/** The longest token: claims of many groups take 10 KiB, and what does not fit in a header is of no use. */
export const tokenCharacters = 16_384;
/** The longest name of an account that is shown. */
export const accountCharacters = 200;
/** The longest key of a subject, and the longest address to go back to. */
export const connectionTextCharacters = 2_048;
/** Scopes that one link asks for. */
export const connectionScopes = 50;
/** How long what waited for an account and could not be admitted waits until it is tried again: a minute has room for it. */
export const awaitedAgainMs = 60_000;
/** How often it is tried: for half an hour. Its question waits on, for a person or until the account is connected anew. */
export const awaitedTries = 30;
