import { createServer, type Socket } from "node:net";

// The model that the agent section asks, in its own process: it answers both APIs at once from texts made beforehand, on a bare
// socket, because it shares two cores with what is measured. The name of the model that is asked holds the script
// (`r1c3d20t40e20`: call 3 tools in each of 1 round, begin each answer after 20 ms, then say 40 tokens, one every 20 ms), and the
// number of the conversation's assistant messages is the round. Each token is the time at which it was written, in microseconds
// of the machine's own clock, so that its receiver knows how long that took. The parent process gets `{ port }` as a message.

interface Script {
  readonly api: "chat" | "messages";
  readonly streams: boolean;
  readonly rounds: number;
  readonly calls: number;
  readonly delayMs: number;
  readonly tokens: number;
  readonly everyMs: number;
}

/** The parts of a script's answers; a stream's token goes between `head` and `tail`. */
interface Texts {
  readonly whole: string;
  readonly calling: string;
  readonly begin: string;
  readonly head: string;
  readonly tail: string;
  readonly end: string;
}

const ASSISTANT = Buffer.from('"role":"assistant"');
const made = new Map<string, Texts>();

const server = createServer({ noDelay: true }, serve);
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.send?.({ port: address.port });
});
// Gone with the parent, however it ended.
process.once("disconnect", () => process.exit());

function serve(socket: Socket): void {
  let pending: Buffer[] = [];
  let size = 0;
  /** The bytes of the request under way; 0 while its head is incomplete. */
  let needed = 0;
  socket.on("data", (chunk) => {
    pending.push(chunk);
    size += chunk.length;
    if (needed === 0) {
      const text = Buffer.concat(pending);
      const end = text.indexOf("\r\n\r\n");
      if (end === -1) return;
      const length = /\r\ncontent-length: *(\d+)/i.exec(text.toString("latin1", 0, end))?.[1];
      if (length === undefined) throw new Error("Cannot read the request: it has no length");
      needed = end + 4 + Number(length);
    }
    if (size < needed) return;
    const request = Buffer.concat(pending);
    pending = [];
    size = 0;
    needed = 0;
    answer(socket, request);
  });
  socket.on("error", () => {});
}

function answer(socket: Socket, request: Buffer): void {
  const bodyAt = request.indexOf("\r\n\r\n") + 4;
  const line = request.toString("latin1", 0, 40);
  const head = request.toString("latin1", bodyAt, bodyAt + 200);
  const name = /"model":"(r(\d+)c(\d+)d(\d+)t(\d+)e(\d+))"/.exec(head);
  if (name === null) throw new Error(`Cannot answer: no script in ${head}`);
  const [rounds, calls, delayMs, tokens, everyMs] = name.slice(2).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const streams = head.includes('"stream":true');
  const api = line.includes("/messages") ? "messages" : "chat";
  const script: Script = { api, streams, rounds, calls, delayMs, tokens, everyMs };
  const key = `${name[1]} ${api} ${streams}`;
  let texts = made.get(key);
  if (texts === undefined) made.set(key, (texts = api === "chat" ? makeChat(script) : makeMessages(script)));
  const isCall = countOf(request, ASSISTANT, bodyAt) < rounds;
  const { whole, calling } = texts;
  const say = (): void => {
    if (!streams) write(socket, toJsonResponse(isCall ? calling : whole));
    else if (isCall) write(socket, STREAM_HEAD + toChunk(calling) + LAST_CHUNK);
    else stream(socket, texts, script);
  };
  if (delayMs === 0) say();
  else setTimeout(say, delayMs);
}

const STREAM_HEAD =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const LAST_CHUNK = "0\r\n\r\n";

/** Say the first token with the head, the others one by one, and the end with the last. */
function stream(socket: Socket, { begin, head, tail, end }: Texts, { tokens, everyMs }: Script): void {
  const token = (): string => toChunk(`${head}${writeTime()}${tail}`);
  if (everyMs === 0) {
    const all = Array.from({ length: tokens }, token);
    return write(socket, STREAM_HEAD + toChunk(begin) + all.join("") + toChunk(end) + LAST_CHUNK);
  }
  let said = 1;
  write(socket, STREAM_HEAD + toChunk(begin) + token());
  const timer = setInterval(() => {
    said += 1;
    const isLast = said >= tokens;
    write(socket, token() + (isLast ? toChunk(end) + LAST_CHUNK : ""));
    if (isLast || !socket.writable) clearInterval(timer);
  }, everyMs);
}

/** Always as long, so that it never moves what stands behind it. */
function writeTime(): string {
  return `@${String(process.hrtime.bigint() / 1000n).padStart(15, "0")}@`;
}

function write(socket: Socket, text: string): void {
  if (socket.writable) socket.write(text, "latin1");
}

function toJsonResponse(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function toChunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

function countOf(text: Buffer, what: Buffer, from: number): number {
  let count = 0;
  for (let at = text.indexOf(what, from); at !== -1; at = text.indexOf(what, at + what.length)) count += 1;
  return count;
}

/** One call of the tool that takes them all, as a model writes it. */
function batchOf({ calls, delayMs }: Script): object {
  const actions = Array.from({ length: calls }, (_, n) => ({ tool: "bench-echo", args: { n, d: delayMs } }));
  return { actions };
}

const USAGE = { prompt_tokens: 900, completion_tokens: 40, total_tokens: 940 };

function makeChat(script: Script): Texts {
  const { streams, tokens } = script;
  const id = "chatcmpl-0123456789abcdefghijklmnopqrs";
  const shared = { id, created: 1_793_620_800, model: "bench", system_fingerprint: "fp_0123456789" };
  const args = JSON.stringify(batchOf(script));
  const call = (text: string): object => ({
    id: "call_0123456789abcdef",
    type: "function",
    function: { name: "execute_actions", arguments: text },
  });
  const answered = (message: object, finish_reason: string): string =>
    JSON.stringify({
      ...shared,
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", ...message }, logprobs: null, finish_reason }],
      usage: USAGE,
    });
  const event = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({
      ...shared,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    })}\n\n`;
  const [head, tail] = event({ content: "@" }).split("@") as [string, string];
  const pieces = args.match(/.{1,12}/g) ?? [];
  return {
    whole: answered({ content: "word ".repeat(tokens) }, "stop"),
    calling: streams
      ? [
          event({ role: "assistant", content: null, tool_calls: [{ index: 0, ...call("") }] }),
          ...pieces.map((text) => event({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
          event({}, "tool_calls"),
          "data: [DONE]\n\n",
        ].join("")
      : answered({ content: null, tool_calls: [call(args)] }, "tool_calls"),
    begin: event({ role: "assistant", content: "" }),
    head,
    tail,
    end: `${event({}, "stop")}data: [DONE]\n\n`,
  };
}

function makeMessages(script: Script): Texts {
  const { streams, tokens } = script;
  const input = batchOf(script);
  const usage = { input_tokens: 900, output_tokens: 40 };
  const message = { id: "msg_0123456789abcdef", type: "message", role: "assistant", model: "bench" };
  const use = { type: "tool_use", id: "toolu_0123456789abcdef", name: "execute_actions" };
  const answered = (content: readonly object[], stop_reason: string): string =>
    JSON.stringify({ ...message, content, stop_reason, stop_sequence: null, usage });
  const event = (type: string, more: object = {}): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const opened = event("message_start", {
    message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage },
  });
  const ended = (stop_reason: string): string =>
    event("content_block_stop", { index: 0 }) +
    event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 40 } }) +
    event("message_stop");
  const delta = (said: object): string => event("content_block_delta", { index: 0, delta: said });
  const [head, tail] = delta({ type: "text_delta", text: "@" }).split("@") as [string, string];
  const pieces = JSON.stringify(input).match(/.{1,12}/g) ?? [];
  return {
    whole: answered([{ type: "text", text: "word ".repeat(tokens) }], "end_turn"),
    calling: streams
      ? [
          opened,
          event("content_block_start", { index: 0, content_block: { ...use, input: {} } }),
          ...pieces.map((text) => delta({ type: "input_json_delta", partial_json: text })),
          ended("tool_use"),
        ].join("")
      : answered([{ ...use, input }], "tool_use"),
    begin: opened + event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    head,
    tail,
    end: ended("end_turn"),
  };
}
