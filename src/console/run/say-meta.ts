import type { WireResult } from "../kit/wire.ts";
import { sayDuration } from "../parts/say-duration.ts";
import { count } from "../parts/count.ts";

/** Say what was measured about an action and what is to be known of its result: names and texts, in the order of weight. */
export function sayMeta(result: WireResult): readonly (readonly [name: string, text: string])[] {
  const { meta } = result;
  const { items, truncated, verification, read_as: readAs } = meta;
  const facts: readonly (readonly [string, string | false | undefined])[] = [
    [
      "Took",
      meta.duration_ms !== undefined &&
        meta.queued_ms !== undefined &&
        meta.queued_ms >= 5 &&
        `${sayDuration(meta.duration_ms)}, after ${sayDuration(meta.queued_ms)} in the queue`,
    ],
    ["Attempts", meta.attempts !== undefined && meta.attempts > 1 && String(meta.attempts)],
    ["Elements", items && `${items.ok} of ${items.total} succeeded`],
    ["Size", meta.bytes !== undefined && sayBytes(meta.bytes)],
    ["Remembered", meta.cached && `an answer from ${sayDuration(meta.age_ms ?? 0)} ago; nothing was called`],
    ["Shared", meta.deduplicated_of !== undefined && `the call of ${meta.deduplicated_of}`],
    ["Replayed", meta.idempotency_replayed && "it ran before under the same idempotency_key"],
    ["Demoted", meta.demoted && "unfinished at the deadline; it goes on as a job"],
    ["Limiter", meta.limiter && "could not be asked; the tool says to go on without"],
    [
      "Looked up",
      verification &&
        `${verification.verdict.replaceAll("_", " ")}, says ${verification.tool ?? "its read"} after ${sayDuration(verification.duration_ms)}`,
    ],
    [
      "Read as",
      readAs &&
        Object.entries(readAs)
          .flatMap(([to, from]) => (from === undefined ? [] : [`${to} from ${from}`]))
          .join(", "),
    ],
    ["Not selected", meta.select_missing?.join(", ")],
    [
      "Cut",
      truncated &&
        `from ${truncated.tokens_before.toLocaleString("en")} to ${count(truncated.tokens_after, "token")}, at ${truncated.at.map((at) => at || "the whole").join(", ")}`,
    ],
  ];
  return facts.flatMap(([name, text]) =>
    typeof text === "string" && text !== "" ? [[name, text] as const] : [],
  );
}

function sayBytes(bytes: number): string {
  if (bytes < 1_000) return count(bytes, "byte");
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
