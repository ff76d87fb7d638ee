import * as z from "zod/mini";

import { lazySchema } from "../../core/contract/lazy-schema.ts";
import { cutText } from "../kit/cut-text.ts";

/** A message as Gmail gives it, as far as it is read. */
export const messageSchema = lazySchema(() =>
  z.looseObject({
    id: z.string(),
    threadId: z.nullish(z.string()),
    snippet: z.nullish(z.string()),
    payload: z.nullish(
      z.looseObject({
        headers: z.nullish(z.array(z.looseObject({ name: z.string(), value: z.string() }))),
      }),
    ),
  }),
);

/** A header of a message on one line, cut; empty where it has none of that name. */
export function headerOf(
  message: z.output<ReturnType<typeof messageSchema>>,
  name: string,
  maxLength: number,
): string {
  const isIt = (header: { readonly name: string }): boolean =>
    header.name.toLowerCase() === name.toLowerCase();
  return cutText(message.payload?.headers?.find(isIt)?.value ?? "", maxLength);
}
