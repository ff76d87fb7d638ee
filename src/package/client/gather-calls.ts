/** Sends many things in one request: one answer for each, in their order. */
export type SendAll<T, A> = (all: readonly T[], signal: AbortSignal | undefined) => Promise<readonly A[]>;

/**
 * Send together what is asked for in one turn of the event loop, as a model's calls of one step are, so that they are ordered and run as
 * one batch. At most `most` go in one request.
 */
export function gatherCalls<T, A>(
  sendAll: SendAll<T, A>,
  most: number,
): (one: T, signal?: AbortSignal) => Promise<A> {
  let gathered: T[] = [];
  let sent: Promise<readonly A[]> | null = null;
  return async (one, signal) => {
    if (gathered.length === most) sent = null;
    if (sent === null) {
      const all: T[] = (gathered = []);
      sent = new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() => {
        if (gathered === all) sent = null;
        return sendAll(all, signal);
      });
    }
    const place = gathered.push(one) - 1;
    return (await sent)[place]!;
  };
}
