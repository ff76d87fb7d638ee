import { attemptNow } from "../../core/kit/result.ts";

/** The answer in a text without calls: without the format's words. */
export function toAnswer(text: string): string {
  const final = /\bFinal Answer:\*{0,3}/.exec(text);
  if (final !== null) {
    const answer = text.slice(final.index + final[0].length).trim();
    if (answer !== "") return answer;
  }
  const thought = THOUGHT.exec(text);
  if (thought === null) return text.trim();
  const said = text.slice(thought[0].length);
  // LlamaIndex teaches models this label.
  const answer = /^\*{0,3}Answer\*{0,3}:\*{0,3}/m.exec(said);
  return (answer === null ? said : said.slice(answer.index + answer[0].length)).trim();
}

const THOUGHT = /^\s*[>#*_]{0,6}[ \t]{0,3}thoughts?(?:[ \t]{0,3}\d{1,3})?[*_]{0,4}[ \t]{0,3}[:：]\*{0,4}/i;

/** An answer given as an input: text, JSON text, or an object with that text alone. */
export function unwrapAnswer(sent: unknown): string {
  if (typeof sent !== "string") {
    const values = Object.values(sent ?? {}) as unknown[];
    return values.length === 1 && typeof values[0] === "string" ? values[0].trim() : JSON.stringify(sent);
  }
  const inner = /^\s*["{]/.test(sent) ? attemptNow((): unknown => JSON.parse(sent)) : null;
  if (inner?.ok !== true) return sent.trim();
  return typeof inner.value === "string" ? inner.value.trim() : unwrapAnswer(inner.value);
}
