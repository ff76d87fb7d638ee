import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { answerModel } from "../../test/sandbox/upstreams/model.ts";
import { REAL_PORTS } from "../../test/sandbox/upstreams/stand-in.ts";

/** Where a model is that is not the sandbox's own. */
export interface RealModel {
  readonly baseUrl: string;
  readonly key: string;
}

/** One answer of the model; times are those of `performance.now()`. */
export interface ModelAnswer {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** The tokens among those that went in which the model's cache had. */
  readonly tokensCached: number;
}

/** Told when the model is asked, and when it has answered. */
export interface ModelListener {
  readonly onAsked: () => void;
  readonly onAnswered: (answer: ModelAnswer) => void;
}

/** Stands between Volley and its model. */
export interface ModelWindow {
  /** For `LLM_BASE_URL`. */
  readonly baseUrl: string;
  listener: ModelListener;
  close(): Promise<void>;
}

const NOBODY: ModelListener = { onAsked: () => {}, onAnswered: () => {} };

/**
 * Open a window on the model: what Volley asks it passes through here, so that each answer's time and tokens can be seen. The
 * model is the sandbox's scripted one where no real one is given; that one's key stays in this process.
 */
export async function openModelWindow(real: RealModel | null): Promise<ModelWindow> {
  const server = createServer((request, response) => void pass(request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const window: ModelWindow = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    listener: NOBODY,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    window.listener.onAsked();
    const response = await ask(await text(incoming), real);
    const type = response.headers.get("content-type") ?? "application/json";
    outgoing.writeHead(response.status, { "content-type": type });
    const said: string[] = [];
    const decoder = new TextDecoder();
    if (response.body !== null)
      for await (const chunk of response.body) {
        said.push(decoder.decode(chunk, { stream: true }));
        outgoing.write(chunk);
      }
    window.listener.onAnswered({ startedAt, endedAt: performance.now(), ...readUsage(said.join("")) });
    outgoing.end();
  }
  return window;
}

function ask(body: string, real: RealModel | null): Promise<Response> {
  const init = (key: string) => ({
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body,
  });
  if (real !== null) return fetch(`${real.baseUrl.replace(/\/+$/, "")}/chat/completions`, init(real.key));
  return answerModel(new Request("https://model.sandbox.test/v1/chat/completions", init("demo")), REAL_PORTS);
}

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number };
}

/** The last usage that a stream tells. */
function readUsage(stream: string): Pick<ModelAnswer, "tokensIn" | "tokensOut" | "tokensCached"> {
  const chunks = [...stream.matchAll(/^data: (\{.*)$/gm)].map(
    ([, data]) => JSON.parse(data!) as { readonly usage?: Usage | null },
  );
  const usage = chunks.findLast((chunk) => chunk.usage)?.usage;
  return {
    tokensIn: usage?.prompt_tokens ?? 0,
    tokensOut: usage?.completion_tokens ?? 0,
    tokensCached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
  };
}
