import { visibleText } from "../kit/visible-text.ts";
import { makeRefusal, type Refusal } from "./refusal.ts";

/** Refuse a query parameter, by its name. */
export function refuseQuery(path: string, expected: string, received: string): Refusal {
  const issue = { path: visibleText(path), expected, received: visibleText(received) };
  const hint = `${issue.path}: expected ${expected}, received '${issue.received}'.`;
  return makeRefusal("INVALID_QUERY", hint, { issue });
}
