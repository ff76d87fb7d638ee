/** Numbers that bound this feature, each with its reason; the others are core's. */

export { gateTimeoutMs, nesting, pageBytes } from "../../feature/kit.ts";

/** Nothing that began before a tenant was deleted is under way for longer. */
export const erasedKnownMs = 24 * 3_600_000;
/** Objects that keep sign-ins, by whose they are, and clients and forms that were opened, by chance. */
export const signInShards = 16;
/** A form, or a request of an OAuth client: names, addresses, a token or two. */
export const signInBodyBytes = 16 * 1024;
/** A client's name on a page for people. */
export const clientNameCharacters = 80;
/** A client that registered itself and was never let in is forgotten: a person decides within minutes, and returns within the day. */
export const unusedClientS = 24 * 3_600;
/** One that was let in is forgotten when it has not asked for a token for so long. */
export const usedClientS = 90 * 24 * 3_600;
/** Clients in one of the objects that were never let in; the oldest goes first. A flood fills eight thousand records of a few KB, and no more. */
export const unusedClients = 500;
/** Forms in one of the objects that were opened and not sent; the oldest goes first. */
export const openForms = 1_000;
/** Sign-ins of one key, or of one person where people sign in elsewhere. */
export const signIns = 200;
/** Access tokens of one sign-in that are good at the same time; the oldest ends first. */
export const signInTokens = 16;
/** Refresh tokens of one sign-in that are remembered after others took their places: one that is shown again ends the sign-in. */
export const spentTokens = 64;
/** An access token lasts an hour, as clients expect of one that can be refreshed. */
export const signInTokenS = 3_600;
/** Two refreshes of one token within so long get the same pair. */
export const refreshAgainMs = 10_000;
/** A refresh that another has claimed looks for its answer so often, */
export const refreshWaits = 50;
/** and waits in between. */
export const refreshWaitMs = 100;
/** A sign-in ends when its client has not asked for a token for so long. */
export const signInIdleS = 30 * 24 * 3_600;
/** The document that describes a client; the specification recommends 5 KB. */
export const clientDocumentBytes = 5 * 1024;
/** How long such a document is believed: an address that a client takes out is refused an hour later. */
export const clientDocumentS = 3_600;
/** Documents that are fetched for sign-in are small and asked for while a person waits. */
export const signInFetchMs = 10_000;
/** A document of the issuer that people sign in at: its addresses, its keys, or a token. */
export const issuerDocumentBytes = 64 * 1024;
/** How long an isolate believes the issuer's documents. */
export const issuerDocumentMs = 3_600_000;
/** How long it is remembered that they could not be read: each person would wait anew. */
export const issuerFailureMs = 10_000;
/** An unknown key of the issuer or a wrong signature has its keys read again, no more often than this. */
export const issuerKeysPauseMs = 60_000;
/** The clocks of an issuer and of this deployment may differ by so much. */
export const issuerSkewMs = 60_000;
/** Rows of sign-ins that are over, and are deleted in one turn of their object. */
export const signInsPruned = 200;
