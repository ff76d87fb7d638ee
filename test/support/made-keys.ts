import { digestKey } from "../../src/cloudflare/http/key-ring.ts";
import { makeKey } from "../../src/features/keys/stored-key.ts";
import { eventually } from "./eventually.ts";
import { type RawAnswer, TestCaller } from "./test-caller.ts";

export const jsonOf = (answer: RawAnswer) => JSON.parse(answer.text) as Record<string, unknown>;
export const freshKey = () => makeKey(crypto.getRandomValues(new Uint8Array(32)));
export const hashOf = async (key: string) => Buffer.from(await digestKey(key)).toString("hex");

/** Ask a server about keys, as one of its keys unless another is named. */
export function keysAt(baseUrl: string, manager: string) {
  const as = (key: string, url = baseUrl) => new TestCaller(url, key);
  const usual = as(manager);
  const send = (method: string, path: string, body?: unknown, by = usual): Promise<RawAnswer> =>
    by.send({ method, path, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const statusOf = async (key: string, url = baseUrl) => (await as(key, url).get("/v1/tools")).status;
  return {
    as,
    send,
    statusOf,
    /** Make a key, which must work, and give it. */
    make: async (body: object, by = usual): Promise<string> => {
      const answer = await send("POST", "/v1/keys", body, by);
      if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
      return String(jsonOf(answer)["key"]);
    },
    /** Wait until a key is none any more. */
    untilRefused: (key: string, url = baseUrl) =>
      eventually("the key to end", async () => ((await statusOf(key, url)) === 401 ? true : undefined), {
        withinMs: 100_000,
        everyMs: 100,
      }),
  };
}
