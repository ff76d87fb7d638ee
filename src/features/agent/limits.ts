/** Numbers that bound this feature, each with its reason; the others are core's. */

export { idempotencyAnswerBytes, maxTokens, valueBytes } from "../../core/contract/limits.ts";

/** A conversation with a model: a long one with its images' addresses, and an isolate still holds it several times. */
export const agentBodyBytes = 4 * 1024 * 1024;
/** Its nesting: schemas of the caller's own tools stand in it. */
export const agentNesting = 64;
/** JSON values of a conversation: about 15 MB of an isolate's memory. */
export const agentValues = 250_000;
/** Rounds of tool calls that one request has, when it does not say: most questions take two or three. */
export const agentRounds = 5;
/** The most that it may say: what needs more is better asked in steps. */
export const agentMaxRounds = 20;
/** A request to a model with all its rounds, when it does not say: clients give up after two to ten minutes. */
export const agentDeadlineMs = 120_000;
/** Less than a second is no time for a model. */
export const agentLeastDeadlineMs = 1_000;
/** The longest that proxies and clients keep a request open. */
export const agentMaxDeadlineMs = 300_000;
/** Estimated tokens of the data of one round's results together, when the request does not say: five rounds of them still leave a model of 200,000 room to think. */
export const agentRoundTokens = 25_000;
/** The most that a request may give a round: a million of them in five rounds were 600 MB of an isolate's memory. */
export const agentRoundMaxTokens = 250_000;
/** Estimated tokens of the schema of one tool for all: a model is told of more tools by those that find them. */
export const agentSchemaTokens = 4_000;
/** Names of tools and categories in one request to a model. */
export const agentTools = 500;
/** One answer of a model: the longest of today are a megabyte. */
export const modelBytes = 8 * 1024 * 1024;
/** One answer as a stream, where a token takes 200 bytes. */
export const modelStreamBytes = 32 * 1024 * 1024;
/** One event of it: some servers send a whole answer as one. */
export const modelEventCharacters = 4 * 1024 * 1024;
/** JSON values of an answer, or of one event of it: as many as a whole conversation may have. */
export const modelValues = 250_000;
/** Pieces that an answer arrives in, and events in it: the longest answers of today have 128,000 tokens, each by itself. */
export const modelPieces = 200_000;
/** Text in which calls are looked for where a model writes them as text; a model that writes a book has called nothing. */
export const reactCharacters = 2 * 1024 * 1024;
/** Bytes of a model's refusal that are read to find its code. */
export const modelErrorBytes = 64 * 1024;
/** Times that a model is asked again: what two do not help with, a third does not. */
export const modelRetries = 2;
/** Kept turns of one conversation that are put back: the last ones, for what is kept is minutes old. */
export const keptTurns = 32;
/** Text of a conversation that is hashed to find them, all prefixes together. */
export const keptTurnCharacters = 16 * 1024 * 1024;
/** Rows that one kept turn may take, of `turnPartCharacters` each: five rounds of large results. */
export const turnParts = 24;
/** Characters of a kept turn in one row: a row has a megabyte, and a character three bytes at most. */
export const turnPartCharacters = 300_000;
