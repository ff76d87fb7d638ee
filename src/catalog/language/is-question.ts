/** Words with which a question begins that wants to know, not to have something done: `could you` does not. */
const ASKS =
  /^\W*(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|am|does|do|did|has|have|had)\b/i;

/** Whether a request asks for something to be told, so that nothing need change. */
export function isQuestion(text: string): boolean {
  return ASKS.test(text);
}
