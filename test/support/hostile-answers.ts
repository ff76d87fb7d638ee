import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** How an upstream's answer is made: by hand, down to the socket where need be. */
export type Answer = (
  query: URLSearchParams,
  response: ServerResponse,
  path: string,
  request: { readonly headers: IncomingHttpHeaders; readonly body: string },
) => void;

/** Stands in every text of these answers that no caller may ever be shown. */
export const UPSTREAM_TEXT = "upstream-internals-5e1f";

const JSON_TYPE = { "content-type": "application/json" };
const TEXT_TYPE = { "content-type": "text/plain; charset=utf-8" };

/** Gzipped once, on first use: 50 MB of zeros are 50 kB on the wire. */
let zipBomb: Buffer | undefined;

/** Ways in which an upstream fails those who call it, by path. `/status` stands for `/status/<n>`. */
export const HOSTILE_ANSWERS: Readonly<Record<string, Answer>> = {
  /** Takes the request and never answers. */
  "/hang": () => {},

  /** Sends headers and half a body, then nothing. */
  "/stall": (_, response) => void response.writeHead(200, JSON_TYPE).write('{"half":'),

  /** One byte every 300 ms: never idle, never done. */
  "/trickle": (_, response) => {
    response.writeHead(200, JSON_TYPE);
    const timer = setInterval(() => response.write(" "), 300);
    response.once("close", () => clearInterval(timer));
  },

  "/reset": (_, response) => socketOf(response).resetAndDestroy(),

  "/reset-mid": (_, response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": 1_000 });
    response.write('{"half":', () => socketOf(response).resetAndDestroy());
  },

  /** Promises more bytes than it sends. */
  "/short": (_, response) =>
    sendRaw(response, ["content-type: application/json", "content-length: 1000"], '{"half":', true),

  /** Sends more bytes than it promises, and the surplus looks like the answer to the next request. */
  "/lies": (_, response) => {
    const smuggled = '{"smuggled":true}';
    const surplus = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${smuggled.length}\r\n\r\n${smuggled}`;
    sendRaw(response, ["content-type: application/json", "content-length: 2"], `{}${surplus}`, false);
  },

  "/zip-bomb": (_, response) => {
    zipBomb ??= gzipSync(Buffer.alloc(50_000_000));
    response.writeHead(200, { ...TEXT_TYPE, "content-encoding": "gzip" }).end(zipBomb);
  },

  "/big": (_, response) => {
    const body = JSON.stringify({ big: "x".repeat(5_000_000) });
    response.writeHead(200, { ...JSON_TYPE, "content-length": body.length }).end(body);
  },

  "/endless": (_, response) => pour(response, "x".repeat(16_384), Number.POSITIVE_INFINITY),

  /** Two megabytes, two bytes at a time. */
  "/chunks": (_, response) => pour(response, "ab", 1_000_000),

  "/html": (_, response) =>
    void response
      .writeHead(200, { "content-type": "text/html" })
      .end("<!doctype html><title>Sign in</title><p>Please sign in."),

  /** 200 without a body; with `?json` it says that it is JSON. */
  "/empty": (query, response) => void response.writeHead(200, query.has("json") ? JSON_TYPE : {}).end(),

  "/no-content": (_, response) => void response.writeHead(204).end(),

  "/latin1": (_, response) =>
    void response
      .writeHead(200, { "content-type": "text/plain; charset=iso-8859-1" })
      .end(Buffer.from("café", "latin1")),

  "/bad-charset": (_, response) =>
    void response.writeHead(200, { "content-type": "text/plain; charset=klingon" }).end("nuqneH"),

  "/bad-utf8": (_, response) =>
    void response.writeHead(200, JSON_TYPE).end(Buffer.concat([Buffer.from('{"n":"'), BAD_UTF8])),

  "/bad-json": (_, response) => void response.writeHead(200, JSON_TYPE).end(`{"${UPSTREAM_TEXT}": oops`),

  "/deep-json": (_, response) =>
    void response.writeHead(200, JSON_TYPE).end("[".repeat(100_000) + "]".repeat(100_000)),

  "/infinity": (_, response) => void response.writeHead(200, JSON_TYPE).end('{"n":1e400}'),

  /** Redirects to `?to=`, with `?status=` (302). */
  "/redirect": (query, response) =>
    void response
      .writeHead(Number(query.get("status") ?? 302), { location: query.get("to") ?? "" })
      .end(UPSTREAM_TEXT),

  "/redirect-loop": (_, response) =>
    void response.writeHead(302, { location: "/redirect-loop" }).end(UPSTREAM_TEXT),

  /** `/status/<n>`: that status, with `?retry-after=` as it is. */
  "/status": (query, response, path) => {
    const retryAfter = query.get("retry-after");
    const status = Number(path.slice("/status/".length));
    const headers = { ...JSON_TYPE, "x-upstream": UPSTREAM_TEXT };
    response
      .writeHead(status, retryAfter === null ? headers : { ...headers, "retry-after": retryAfter })
      .end(JSON.stringify({ error: UPSTREAM_TEXT, stack: `at ${UPSTREAM_TEXT}.js:1:1` }));
  },

  /** The request that reached us, header by header. */
  "/echo-headers": (_, response) =>
    void response.writeHead(200, JSON_TYPE).end(JSON.stringify(response.req.headers)),
};

const BAD_UTF8 = Buffer.from([0xff, 0xfe, 0xc0, 0x22, 0x7d]);

/** Write the same piece so many times, as fast as the other side takes it, each as a chunk of its own. */
function pour(response: ServerResponse, piece: string, times: number): void {
  response.writeHead(200, TEXT_TYPE);
  let left = times;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(piece)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}

/** Answer 200 by hand, past the checks of Node's own server. */
function sendRaw(response: ServerResponse, headers: readonly string[], body: string, thenEnd: boolean): void {
  const socket = socketOf(response);
  socket.write(`HTTP/1.1 200 OK\r\n${headers.join("\r\n")}\r\n\r\n${body}`);
  if (thenEnd) socket.end();
}

function socketOf(response: ServerResponse): Socket {
  if (response.socket === null) throw new Error("Cannot answer by hand: the connection is gone");
  return response.socket;
}
