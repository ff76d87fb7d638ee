import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request a client sent to its model. */
export interface ModelRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The next turn: an object as JSON, a list as server-sent events. */
export type ScriptedTurn = object | readonly object[];

/** A model that says what it was told to: it answers each request with the next turn, and remembers what it was sent. */
export class ScriptedModel implements AsyncDisposable {
  readonly requests: ModelRequest[] = [];
  readonly #turns: ScriptedTurn[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Start one on loopback. */
  static async start(): Promise<ScriptedModel> {
    const model = new ScriptedModel();
    await new Promise<void>((resolve) => {
      model.#server.listen(0, "127.0.0.1", resolve);
    });
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Say these next, in this order. */
  willSay(...turns: readonly ScriptedTurn[]): void {
    this.#turns.push(...turns);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    this.requests.push({
      path: request.url ?? "",
      body: text === "" ? {} : (JSON.parse(text) as ModelRequest["body"]),
    });
    const turn = this.#turns.shift();
    if (Array.isArray(turn)) {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(turn.map(toEvent).join(""));
      return;
    }
    response
      .writeHead(turn === undefined ? 500 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(turn ?? { error: { message: "The script has no further turn" } }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

/** Some providers name their events after the type of what they carry; the others' clients do not look. */
function toEvent(data: { readonly type?: string }): string {
  const name = data.type === undefined ? "" : `event: ${data.type}\n`;
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}
