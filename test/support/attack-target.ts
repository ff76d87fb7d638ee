import type { Answered, Target } from "../../lab/attacks/attack.ts";
import type { SandboxSetup } from "./set-up-sandbox.ts";

const KEY = { authorization: "Bearer sandbox-key" };

/** The sandbox as attacks reach it. */
export function toTarget({ upstream, volley: { url } }: SandboxSetup): Target {
  const ask = async (path: string, request: RequestInit): Promise<Answered> => {
    const response = await fetch(`${url}${path}`, request);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, bytes: Buffer.byteLength(text) };
  };
  const send = (path: string, body: unknown, headers = {}): Promise<Answered> =>
    ask(path, {
      method: "POST",
      headers: { ...KEY, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  return {
    url,
    upstream,
    send,
    get: (path) => ask(path, { headers: KEY }),
    execute: (batch, headers) => send("/v1/execute_actions", batch, headers),
  };
}
