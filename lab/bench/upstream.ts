import { createServer, type Socket } from "node:net";

// The upstream that every contender calls, in its own process: `GET /echo?n=&d=` answers `{"path":"/echo","n":1}` after d ms, and
// `GET /jobs` as n how many requests under keys of their own came to /background. It speaks just enough HTTP on a bare socket
// (7.5 µs of CPU a request; node:http takes 11, a workerd worker 43), because it shares two cores with what is measured. The
// parent process gets `{ port }` as a message.

const server = createServer({ noDelay: true }, serve);
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.send?.({ port: address.port });
});
// Gone with the parent, however it ended.
process.once("disconnect", () => process.exit());

function serve(socket: Socket): void {
  let pending = "";
  socket.on("data", (chunk) => {
    pending += chunk.toString("latin1");
    for (let end = pending.indexOf("\r\n\r\n"); end !== -1; end = pending.indexOf("\r\n\r\n")) {
      const head = pending.slice(0, end);
      pending = pending.slice(end + 4);
      answer(socket, head);
    }
  });
  socket.on("error", () => {});
}

/** The idempotency keys of everything that came to /background. */
const jobs = new Set<string>();

function answer(socket: Socket, head: string): void {
  const line = head.slice(0, head.indexOf("\r\n"));
  const path = /(?:GET|POST) (\/\w*)/.exec(line)?.[1] ?? "/";
  if (path === "/background") jobs.add(/\r\nidempotency-key: *(\S+)/i.exec(head)?.[1] ?? "");
  const body = `{"path":"${path}","n":${path === "/jobs" ? jobs.size : readNumber(line, "n")}}`;
  const text = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const delayMs = readNumber(line, "d");
  if (delayMs === 0) socket.write(text, "latin1");
  else setTimeout(() => void (socket.writable && socket.write(text, "latin1")), delayMs);
}

function readNumber(line: string, name: "n" | "d"): number {
  return Number((name === "n" ? /[?&]n=(\d+)/ : /[?&]d=(\d+)/).exec(line)?.[1] ?? 0);
}
