/** Numbers that bound this feature, each with its reason; the others are core's. */

export {
  bodyBytes,
  questionRetentionMs,
  questionsPending,
  loopElements,
  maxBackgroundDeadlineMs,
  maxDeadlineMs,
  maxQuestionTtlMs,
  nesting,
  pageBytes,
} from "../../core/contract/limits.ts";

/** How long a person may take to say yes: what they are asked about should still be true. */
export const confirmationTtlMs = 24 * 3_600_000;
/** Actions that wait for one yes, with what they refer to, as JSON: as many of these as a batch has actions fit one message. */
export const confirmationBytes = 256 * 1024;
/** Confirmations of one tenant together, with a day's answers (each at most `idempotencyAnswerBytes`): its object's storage stays small. */
export const confirmationsBytes = 64 * 1024 * 1024;
/** Characters of the reason of a decision: a few sentences, which a model reads with the result. */
export const reasonCharacters = 500;
/** Characters of an argument in the sentence that a tool says. */
export const saidCharacters = 200;
/** Links of one question: each person of a team has one. */
export const approvalLinks = 20;
/** Characters of the name under which a link decides. */
export const approvalNameCharacters = 100;
/** A question is told to end soon when so much of its time is over, in percent: a quarter is left to decide in. */
export const confirmationExpiringPercent = 75;
/** Questions that end, or are about to, and are told of in one turn of their object. */
export const confirmationsToldAtOnce = 100;
/** Confirmations kept of one tenant, the decided and the expired among them. */
export const confirmationsKept = 1_000;
/** Approvals of one tenant that are remembered. */
export const remembered = 1_000;
/** How long an approval is remembered at most, in seconds: thirty days. */
export const maxRememberS = 2_592_000;
/** Arguments that are kept to be shown with a remembered approval, as JSON. */
export const rememberedArgsCharacters = 2_000;
/** Entries of VOLLEY_APPROVERS: each question is told to a team at most. */
export const approvers = 20;
/** Characters of the sentence in the title of a message to them. */
export const titleCharacters = 120;
/** Actions that such a message says; its link shows all. */
export const noticeLines = 10;
/** Characters of a text of a message for Slack, which takes 3,000. */
export const slackCharacters = 2_900;
