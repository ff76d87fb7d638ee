import { setTimeout as sleep } from "node:timers/promises";

import type { JsonObject } from "../../src/core/contract/json.ts";
import type { Deployment } from "../flows/flows-client.ts";
import { REQUEST_MS, sayNetwork } from "../flows/say-network.ts";
import { CommandError } from "./command-error.ts";

const LONGEST_WAIT_S = 60;
const MOST_WAITS = 5;

/** Send a request, and send it again where the deployment says when. Throws, in a sentence, where it is not reached. */
export async function sendPatiently(
  { url, key }: Deployment,
  path: string,
  { method = "GET", body }: { readonly method?: string; readonly body?: JsonObject } = {},
): Promise<{ readonly response: Response; readonly text: string }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  for (let waits = 0; ; waits += 1) {
    const response = await fetch(url + path, {
      method,
      // A key goes where it was meant to go, and nowhere else.
      redirect: "manual",
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_MS),
    }).catch((error: Error) => {
      throw new CommandError(`Cannot reach ${url}: ${sayNetwork(error)}.`);
    });
    const text = await response.text();
    const waitS = Number(response.headers.get("retry-after") ?? Number.NaN);
    const isEarly = [429, 503].includes(response.status) && waitS <= LONGEST_WAIT_S;
    if (!isEarly || waits === MOST_WAITS) return { response, text };
    await sleep(1_000 * waitS);
  }
}
