import { isJsonObject } from "../../../core/contract/json.ts";
import { mapFields, mapSame } from "./map-same.ts";

/** The text that the chosen tokens of `logprobs` are, in all of its lists. */
export function tokensIn(logprobs: unknown): string {
  const lists = Array.isArray(logprobs)
    ? [logprobs]
    : isJsonObject(logprobs)
      ? Object.values(logprobs).filter((list) => Array.isArray(list))
      : [];
  return lists
    .flat()
    .map((one: unknown) => (isJsonObject(one) && typeof one["token"] === "string" ? one["token"] : ""))
    .join("");
}

/** Take the `logprobs` out of an answer whose tokens say, one after the other, what no text of it may. */
export function withoutTokens(answer: unknown, says: (text: string) => boolean): unknown {
  if (Array.isArray(answer)) return mapSame(answer as readonly unknown[], (one) => withoutTokens(one, says));
  if (!isJsonObject(answer)) return answer;
  return mapFields(answer, (field, key) => {
    if (key !== "logprobs") return withoutTokens(field, says);
    return says(tokensIn(field)) ? null : field;
  });
}
