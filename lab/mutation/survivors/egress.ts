/** Why mutants of `egress` live. */
import type { Reasons } from "../reasons.ts";
import { AT_BOUND, DEFAULT, on, SHORTCUT, TIDY, TYPE } from "../why.ts";

const NO_BODY = "Where there is no body the error is swallowed with that of a body that cannot be given up.";
const ENDS_LATER = "A secret ends behind its beginning, so no end is 0.";
const GUARDED_AGAIN =
  "The quick way past the guard: an address that does not take it is judged by `guardUrl`, with the same result.";
const PARSED_AGAIN = "An address that was parsed is parsed again, to the same.";
const MORE_DIGITS =
  "A character that is no digit is below zero, and makes its number negative, which is not valid either.";

export const EGRESS: Reasons = {
  "src/core/egress/byte-budget.ts": [
    on("More than there may be is no less with what its digits add.", "plain > most ? plain"),
    on(AT_BOUND, "if (surplus <= 0)"),
    on("The account is there whenever bytes were shared.", "this.#share?.give("),
    on("To await nothing takes a turn of the loop and no more.", "if (turn !== null) await turn"),
  ],
  "src/core/egress/call-clock.ts": [
    on("The first phase is entered before it can end.", '#phase: TimeoutPhase = "total"'),
    on(SHORTCUT, "if (this.#phaseAt < this.#armedAt)"),
    on(TIDY, "this.#onEnd.clear()"),
    on(AT_BOUND, "if (missingMs > 0)"),
  ],
  "src/core/egress/egress.ts": [
    on(SHORTCUT, "if (clock.ended !== null) throw", "return origin === null ? unwrap"),
    on("A clock that does not stand still goes on when it is told to.", "clock.resume()"),
    on("A body that is undefined is none.", "if (body !== undefined) init.body"),
    on("A text that names no media type is no stream.", "text\\/event-stream"),
    on(SHORTCUT, "byTool === undefined", "guard === undefined", "guards.set(", "byTool.set("),
    on("A malformed origin can be called by no address.", "hosts.map(toOrigin)"),
    on(NO_BODY, "response.body?.cancel()"),
  ],
  "src/core/egress/guard-url.ts": [
    on(
      GUARDED_AGAIN,
      "[...allowedOrigins].filter(",
      "if (target !== null && callable.has(",
      "const prefixes =",
      "prefixes.find(",
    ),
    on(PARSED_AGAIN, "const target = typeof url"),
    on("A text that is no address is refused before any origin is looked for.", "const guarded = guardUrl("),
  ],
  "src/core/egress/isolate-bytes.ts": [
    on(
      "While somebody of a tenant waits no lead is free: each that ends is given on at once.",
      "(account.queue.size === 0 && this.#lead(",
    ),
    on(TIDY, "this.#tidy(account)", "this.#settle(account, request)", "#tidy(account: Account)"),
    on(TIDY, "account.beside === 0 &&", "this.#accounts.delete(", "this.#live.delete("),
    on(TYPE, "if (account === undefined) return", "if (account === undefined ||"),
    on(AT_BOUND, "if (now < request.seenAt)"),
    on("A call that waits no longer leaves nothing to settle.", "if (!request.waiters.delete(waiter))"),
    on(
      "One more look at a tenant for which nothing waits any more, which finds that.",
      "this.#turns.delete(account)",
      "return false;",
    ),
    on(SHORTCUT, "account.smallWaiting > 0 ? account.queue", "if (given > 0)"),
  ],
  "src/core/egress/read-body.ts": [
    on(AT_BOUND, "declared <= Math.min(", "declared > SMALL_BODY", "if (bytes > taken)"),
    on("To await nothing takes a turn of the loop and no more.", "if (turn !== null) await turn"),
    on("To await nothing takes a turn of the loop and no more.", "taken.ok && taken.value !== null"),
    on("The text of null has no digits.", "DIGITS.test(length)"),
    on(
      "The first piece is not taken either: the clock is asked again behind it.",
      "if (clock.ended !== null) throw",
    ),
    on("A stream that has ended cannot be cancelled any more.", "if (!isWhole) cancel()"),
    on("Nothing came, so no half of a character is left to be read.", "let isEnough = false"),
    on(SHORTCUT, "length + chunk.length > bytes.length"),
    on(NO_BODY, "response.body?.cancel()"),
    on("A spelling that only the way in pieces knows is read there, to the same text.", "/^utf-?8$/i"),
    on("A text that names no charset and no media type has none.", 'contentType ?? ""'),
  ],
  "src/core/egress/read-cache.ts": [
    on("Nothing is kept of a tool without a time to live, so nothing of it is found.", "if (ttlMs === null)"),
    on("Reads forget it as well; here it only gives memory back in an outage.", "dropOver(domain, now)"),
    on("A count only has to differ from that of before.", "domain.cleared += 1"),
  ],
  "src/core/egress/redact.ts": [
    on(
      SHORTCUT,
      "if (worthwhile.length === 0)",
      "return found === null ? json",
      "if (found !== null && found.end <= start)",
      "return found !== null && found.start < end",
      "beginWith((one) => one >= 128)",
      "escaped === code ? end",
      "if (!isBlank(code) && !isEscape(code)) return -1",
      "wanted > 0xffff ? endOfParts(",
      "if (!isEscape(code)) return ends",
      "read >= 0; depth",
      "(code === PERCENT || code === AMPERSAND) && depth",
      "end < at + LONGEST_NAME",
    ),
    on(AT_BOUND, "while (at < json.length)", "at < json.length; at += 1", "start < text.length"),
    on(
      "A form that begins one character earlier was looked for before, and was not there.",
      "let at = start + 1",
    ),
    {
      on: ["if (end < 0) return -1"],
      as: ["ConditionalExpression"],
      why: "A digit that is not there ends before the text, where the next one is not there either.",
    },
    on(ENDS_LATER, "if (end >= 0) return { start", "if (end < 0) return -1", "if (end >= 0) return end"),
    on(ENDS_LATER, "return end >= 0 ? end", "return end < 0 && codeAt("),
    on(
      "It is asked of an escape only, or compared with what is a byte or a backslash.",
      "default:",
      "return -1;",
    ),
    on(MORE_DIGITS, "if (high < 0)", "if (code >= ZERO && code <= NINE) return code"),
  ],
  "src/core/egress/retry-after.ts": [
    on("A zone that is said twice is read as once.", "const at = Date.parse("),
  ],
  "src/core/egress/send-callback.ts": [
    on("Without a secret the attempt to sign fails, which is no answer either.", "secrets === null"),
    on(NO_BODY, "response.body?.cancel()"),
  ],
  "src/core/egress/upstream-failure.ts": [
    on("A 500 may pass, so it was answered one line before.", "status >= 500"),
  ],
  "src/core/egress/tool-secrets.ts": [
    on(DEFAULT, 'secretOf(name) ?? ""'),
    on(SHORTCUT, "cached?.secret !== secret", "derived.set(tool, cached)"),
  ],
};
