import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeEach, expect, test } from "vitest";

import { eventually } from "../../support/eventually.ts";
import { ModelServer } from "../../support/model-server.ts";
import { setUpSandbox } from "../../support/set-up-sandbox.ts";

/* The official clients with their defaults, over a connection that breaks while a write is under way. */

const model = await ModelServer.start();
afterAll(() => model[Symbol.asyncDispose]());
const { upstream, volley } = await setUpSandbox({
  LLM_BASE_URL: model.baseUrl,
  ANTHROPIC_BASE_URL: model.anthropicBaseUrl,
});
const wire = await startWire(volley.url);
afterAll(() => wire.close());

const sentWrites = (n: number) =>
  upstream.requestsTo("/write").filter(({ body }) => (JSON.parse(body) as { n: number }).n === n);

interface Spoken {
  readonly text: string;
}

const openai = new OpenAI({ apiKey: "sandbox-key", baseURL: `${wire.url}/v1` });
const anthropic = new Anthropic({ apiKey: "sandbox-key", baseURL: wire.url });
const messages = (text: string) => [{ role: "user" as const, content: text }];

beforeEach(() => model.reset());

const CLIENTS: readonly [string, number, (text: string) => Promise<Spoken>][] = [
  [
    "OpenAI's client",
    201,
    async (text) => {
      const answer = await openai.chat.completions.create({ model: "m", messages: messages(text) });
      return { text: answer.choices[0]!.message.content! };
    },
  ],
  [
    "Anthropic's client",
    203,
    async (text) => {
      const answer = await anthropic.messages.create({
        model: "m",
        max_tokens: 100,
        messages: messages(text),
      });
      return { text: answer.content.flatMap((part) => (part.type === "text" ? part.text : [])).join("") };
    },
  ],
];

test.each(CLIENTS)("T42 %s, cut off, sends its request again and writes once", async (name, n, create) => {
  // The model says the same to the request that comes again as to the first one.
  const speak = ({ text }: { readonly text: string }) =>
    text.includes('"tool_result"') || text.includes('"role":"tool"')
      ? { text: "Written." }
      : { calls: [{ name: "probe-write", args: { n } }] };
  model.willSay(speak, speak, speak, speak);
  const answerWrite = upstream.hold("/write", n);
  const answering = create(`${name} writes`);
  await eventually("the write", () => sentWrites(n)[0], { everyMs: 10 });
  wire.cut();
  answerWrite();

  expect((await answering).text).toContain("Written.");
  expect(sentWrites(n)).toHaveLength(1);
  expect(wire.connections()).toBeGreaterThan(1);
});

/** A wire to a server that can be cut: what is open breaks, what comes later goes through. */
async function startWire(target: string) {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const onward = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, onward],
      [onward, client],
    ] as const) {
      open.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    connections: () => connections,
    close() {
      cut();
      server.close();
    },
  };
}
