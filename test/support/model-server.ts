import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

import { type Dialect, type Problem, dialectOf, toChatError } from "../sandbox/upstreams/model-dialect.ts";
import { tellOfServer } from "../sandbox/upstreams/model-lists.ts";
import { type ModelReply, type ModelSpeech, toReply } from "../sandbox/upstreams/model-reply.ts";
import { type Delivery, deliver } from "./deliver.ts";

export type { ModelSpeech } from "../sandbox/upstreams/model-reply.ts";

/** One request a client sent, whether it was answered or refused. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** The same as it came, digit for digit. */
  readonly text: string;
}

/** A malformed answer; without a body, the provider's own error of that status. */
interface Refused {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
}

/** No answer at all, until the client goes away. */
interface Hanging {
  readonly hang: true;
}

/** Exactly these bytes; the parts of a list are written one by one. */
interface Raw {
  readonly raw: string | readonly (string | Uint8Array)[];
  /** That of a stream or of JSON by default, whichever was asked for. */
  readonly contentType?: string;
}

/** The next turn of the model, and how that reaches its client. */
export type ModelTurn = (ModelSpeech | Refused | Hanging | Raw) &
  Delivery & {
    /** After so many events of a stream an error event, and its end; without a stream, that error alone. */
    readonly errorAfter?: number;
    /** Lines of a stream end with CRLF. */
    readonly crlf?: boolean;
  };

/** A turn, or what makes one of the request. */
export type ScriptedTurn = ModelTurn | ((request: ModelRequest) => ModelTurn | Promise<ModelTurn>);

/**
 * A model on loopback that speaks the APIs of OpenAI and of Anthropic, says what it was told to, and is as strict as they
 * are: what they would refuse it refuses with 400, in their shape, and keeps in `problems`. A refused request uses up no turn.
 */
export class ModelServer implements AsyncDisposable {
  readonly requests: ModelRequest[] = [];
  /** Why requests were refused; a test says `expect(model.problems).toEqual([])`. */
  readonly problems: string[] = [];
  /** Paths that it does not have, besides unknown ones. */
  readonly lacks = new Set<string>();
  readonly #turns: ScriptedTurn[] = [];
  readonly #server: Server;
  /** Part of its ids: what is kept for one server's conversations is not found by another's. */
  readonly #name = randomUUID().slice(0, 8);
  #aborted = 0;
  #ids = 0;
  #isClosing = false;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.problems.push(String(error));
        if (response.headersSent) response.destroy();
        else send(response, 500, toChatError({ status: 500, message: String(error) }));
      });
    });
  }

  /** Start one. */
  static async start(): Promise<ModelServer> {
    const model = new ModelServer();
    await new Promise<void>((resolve) => {
      model.#server.listen(0, "127.0.0.1", resolve);
    });
    return model;
  }

  /** For `ANTHROPIC_BASE_URL`. */
  get anthropicBaseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** For `LLM_BASE_URL`. */
  get baseUrl(): string {
    return `${this.anthropicBaseUrl}/v1`;
  }

  /** How many requests' clients went away before their answer ended. */
  get aborted(): number {
    return this.#aborted;
  }

  /** How many turns of the script are left. */
  get unsaid(): number {
    return this.#turns.length;
  }

  /** Say these next, in this order. */
  willSay(...turns: readonly ScriptedTurn[]): void {
    this.#turns.push(...turns);
  }

  /** Forget the script and all that was remembered. */
  reset(): void {
    for (const list of [this.requests, this.problems, this.#turns]) list.length = 0;
    this.#aborted = 0;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let isCut = false;
    response.on("close", () => {
      if (!response.writableFinished && !isCut && !this.#isClosing) this.#aborted += 1;
    });
    const text = await readText(incoming);
    // Its client was gone before it had asked.
    if (text === null) return;
    const path = incoming.url ?? "";
    const dialect = dialectOf(`${incoming.method} ${path}`);
    const body = parseBody(text);
    const request = { path, headers: incoming.headers, body: (body ?? {}) as ModelRequest["body"], text };
    this.requests.push(request);
    const isAnthropic = incoming.headers["anthropic-version"] !== undefined;
    const told = this.lacks.has(path)
      ? undefined
      : tellOfServer(`${incoming.method} ${path}`, isAnthropic, text);
    if (told !== undefined) return send(response, 200, told);
    if (dialect === undefined || this.lacks.has(path)) {
      if (dialect === undefined) this.problems.push(`${incoming.method} ${path}: no such path`);
      return send(
        response,
        404,
        toChatError({ status: 404, message: `Invalid URL (${incoming.method} ${path})` }),
      );
    }
    const problem = findHeaderProblem(request) ?? dialect.check(body);
    if (problem !== null) {
      this.problems.push(`${path}: ${problem.message}`);
      return send(response, problem.status, dialect.error(problem));
    }

    const next = this.#turns.shift();
    const turn = typeof next === "function" ? await next(request) : next;
    if (turn === undefined) {
      const message = `The script has no further turn for request ${this.requests.length}, of ${path}`;
      return send(response, 500, dialect.error({ status: 500, message }));
    }
    isCut = await this.#say(turn, { dialect, request, response });
  }

  async #say(turn: ModelTurn, { dialect, request, response }: Exchange): Promise<boolean> {
    const isStream = request.body["stream"] === true;
    const streamed = "text/event-stream; charset=utf-8";
    if ("hang" in turn) return false;
    if ("raw" in turn) {
      const { raw, contentType = isStream ? streamed : "application/json" } = turn;
      const parts = typeof raw === "string" ? [raw] : raw;
      return deliver(parts, { status: 200, headers: { "content-type": contentType } }, response, turn);
    }
    const failure = { status: dialect.failure, message: "The server had an error while it answered" };
    const refused = "status" in turn ? turn : undefined;
    if (refused !== undefined || (turn.errorAfter !== undefined && !isStream)) {
      const { status, headers, body } = refused ?? { status: failure.status };
      const shown = body ?? dialect.error({ status, message: `The model answers ${status}` });
      const type = typeof shown === "string" ? "text/plain" : "application/json";
      const parts = [typeof shown === "string" ? shown : JSON.stringify(shown)];
      return deliver(parts, { status, headers: { "content-type": type, ...headers } }, response, turn);
    }
    const reply = this.#toReply(turn as ModelSpeech, dialect, request);
    const all = isStream ? dialect.events(reply, request.body) : [JSON.stringify(dialect.json(reply))];
    const { errorAfter, crlf = false } = turn;
    const said = errorAfter === undefined ? all : [...all.slice(0, errorAfter), dialect.errorEvent(failure)];
    const parts = crlf && isStream ? said.map((part) => part.replaceAll("\n", "\r\n")) : said;
    const headers = {
      "content-type": isStream ? streamed : "application/json",
      [dialect.requestId]: `req_${this.requests.length}`,
    };
    return deliver(parts, { status: 200, headers }, response, turn);
  }

  #toReply(speech: ModelSpeech, { ids }: Dialect, { body }: ModelRequest): ModelReply {
    this.#ids += 1;
    const count = this.#ids;
    return toReply(speech, {
      model: String(body["model"]),
      created: 1_793_620_800,
      id: `${ids.turn}${this.#name}_${count}`,
      callId: (index) => `${ids.call}${this.#name}_${count}_${index}`,
      asked: JSON.stringify(body),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

interface Exchange {
  readonly dialect: Dialect;
  readonly request: ModelRequest;
  readonly response: ServerResponse;
}

/** The key may be anyone's; the rest of the headers has to be there. */
function findHeaderProblem({ path, headers }: ModelRequest): Problem | null {
  if (headers["content-type"]?.startsWith("application/json") !== true)
    return { status: 415, message: "content-type: must be 'application/json'" };
  if (path.startsWith("/v1/messages") && headers["anthropic-version"] === undefined)
    return { status: 400, message: "anthropic-version: header is required" };
  return null;
}

async function readText(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString();
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
