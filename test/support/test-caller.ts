import { Agent, type IncomingHttpHeaders, request as httpRequest } from "node:http";

import type { WireEnvelope } from "./execute-batch.ts";

/** One HTTP request, with nothing made right by a client library. */
export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /**
   * Replaces the JSON content type and the key when it names them; `undefined` leaves one out, and an array is sent as a
   * header line each.
   */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** An array is sent chunked, without a content length. */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[];
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A refusal as it goes over the wire (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly request_id: string;
  readonly retry_after_ms?: number;
}

/** Every request on a connection of its own: an early refusal may close it. */
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

/** A caller of a running Volley, over Node's plain HTTP client. */
export class TestCaller {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key = "sandbox-key") {
    this.#url = url;
    this.#key = key;
  }

  /** Send anything, by default as a POST to `/v1/execute_actions`. */
  send({ method = "POST", path = "/v1/execute_actions", headers, body }: RawRequest): Promise<RawAnswer> {
    const merged = {
      authorization: `Bearer ${this.#key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    };
    const chunks = Array.isArray(body) ? (body as (string | Uint8Array)[]) : null;
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest(
        `${this.#url}${path}`,
        {
          agent,
          method,
          headers: {
            ...Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined)),
            ...(chunks !== null && { "transfer-encoding": "chunked" }),
          },
        },
        (incoming) => {
          const parts: Buffer[] = [];
          incoming.on("data", (part: Buffer) => parts.push(part));
          incoming.once("error", reject);
          incoming.once("end", () =>
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              text: Buffer.concat(parts).toString(),
            }),
          );
        },
      );
      outgoing.once("error", reject);
      for (const chunk of chunks ?? []) outgoing.write(chunk);
      outgoing.end(chunks === null ? body : undefined);
    });
  }

  /** Send what a provider returned, and give what is to be appended. */
  async answerTo<T>(path: string, turn: unknown): Promise<T> {
    const answer = await this.send({ path, body: JSON.stringify(turn) });
    if (answer.status !== 200) throw new Error(`The turn was refused: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as T;
  }

  /** Execute a batch that is not refused. */
  async execute(actions: readonly unknown[], fields: object = {}): Promise<WireEnvelope> {
    const answer = await this.send({ body: JSON.stringify({ actions, ...fields }) });
    if (answer.status !== 200) throw new Error(`The batch was refused: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as WireEnvelope;
  }

  /** Get a path. */
  get(path: string): Promise<RawAnswer> {
    return this.send({ method: "GET", path });
  }
}

/** The problem document of a refusal. */
export function problemOf({ headers, text }: RawAnswer): Problem {
  if (headers["content-type"] !== "application/problem+json")
    throw new Error(`Not a problem document: ${headers["content-type"]} ${text.slice(0, 200)}`);
  return JSON.parse(text) as Problem;
}
