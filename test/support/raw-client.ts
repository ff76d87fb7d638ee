import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Send a batch and give the socket it went over: see `postAndHold`. */
export function sendAndHold(
  url: string,
  actions: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
  fields: object = {},
): Promise<Socket> {
  return postAndHold(`${url}/v1/execute_actions`, { actions, ...fields }, headers);
}

/**
 * Post JSON over a bare TCP connection and give the socket, to be hung up on in any way: `resetAndDestroy()` for a reset,
 * `end()` for a polite goodbye.
 */
export async function postAndHold(
  url: string,
  json: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  const body = JSON.stringify(json);
  const lines = Object.entries({
    host: `${hostname}:${port}`,
    authorization: "Bearer sandbox-key",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  return socket;
}
