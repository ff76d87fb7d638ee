import { utf8Length } from "../../core/contract/json.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { ok, type Result } from "../../core/kit/result.ts";
import type { Refusal } from "../../core/contract/refusal.ts";
import { respondJson, quotaHeaders, respondRefused, respondResult } from "./respond.ts";
import type { MiddlewareHandler } from "hono";
import { withCurrentTools } from "../../core/run/execute/executor.ts";
import { countList } from "../../core/gate/admit-plan.ts";
import type { RequestContext } from "./request-context.ts";
import type { RouterTypes } from "./router.ts";

/** A page of a list, as it was asked for and as it is written. */
export interface PageOptions<Item> {
  /** The most entries. */
  readonly limit: number;
  readonly toJson: (item: Item) => string;
  /** The cursor of what stands behind an entry. */
  readonly toCursor: (item: Item) => string;
  /** The cursor of what stands behind everything that was found; null where nothing does. */
  readonly next?: string | null;
  /** Others stand behind the last one that was found. */
  readonly hasMore?: boolean;
  /** Fields beside the list. */
  readonly beside?: object;
}

/**
 * Answer with a page of a list: so many of the entries that were found as it may have, and as fit, but never none of some.
 *
 * @param name of the field that has the entries
 * @param found the entries in their order. Those beyond the limit are not shown, and tell that there is another page.
 */
export function respondList<Item>(
  name: string,
  found: readonly Item[],
  { limit, toJson, toCursor, next = null, hasMore = false, beside = {} }: PageOptions<Item>,
): Result<Response, Refusal> {
  const more = JSON.stringify(beside).slice(1, -1);
  const rest = more === "" ? "" : `,${more}`;
  const texts: string[] = [];
  let bytes = ENVELOPE_BYTES + utf8Length(rest);
  for (const item of found.slice(0, limit)) {
    const text = toJson(item);
    bytes += utf8Length(text) + 1;
    if (texts.length > 0 && bytes > LIMITS.pageBytes) break;
    texts.push(text);
  }
  const last = found[texts.length - 1];
  const isCut = texts.length < found.length || hasMore;
  const cursor = isCut && last !== undefined ? toCursor(last) : next;
  const list = `{${JSON.stringify(name)}:[${texts.join(",")}],"next_cursor":${JSON.stringify(cursor)}${rest}}`;
  return ok(respondJson(list));
}

/** Room for the names of the fields and the cursor. */
const ENVELOPE_BYTES = 1024;

/**
 * Make requests that run nothing draw from the key's second allowance, before anything else of them is looked at: each is
 * one, whatever it is answered, and every answer says what is left.
 */
export const countLists: MiddlewareHandler<RouterTypes> = (c, next) =>
  answerCounted(c.get("context"), async (context) => {
    c.set("context", context);
    await next();
    return ok(c.res);
  });

/** Answer a request that could have run something and runs nothing: it has looked, and so it draws from the second allowance too. */
export async function answerUnrun(
  context: RequestContext,
  answer: Result<Response, Refusal>,
): Promise<Result<Response, Refusal>> {
  return ok(await answerCounted(context, () => Promise.resolve(answer)));
}

/** Count a request by the second allowance, and answer it. */
export async function answerCounted(
  received: RequestContext,
  answer: (context: RequestContext) => Promise<Result<Response, Refusal>>,
): Promise<Response> {
  let context = received;
  received.watch?.enter("admit");
  const counted = await withCurrentTools(received, (current) => {
    context = current;
    return countList(current);
  });
  if (!counted.ok) return respondRefused(counted.error, context);
  received.watch?.enter("run");
  const response = respondResult(await answer(context), context);
  for (const [name, value] of Object.entries(quotaHeaders(context.caller, counted.value)))
    response.headers.set(name, value);
  return response;
}
