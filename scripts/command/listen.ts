import { createHmac, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { isJsonObject, type JsonObject, parseExact } from "../../src/core/contract/json.ts";
import { EventSplitter } from "../../src/core/kit/event-splitter.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import type { Deployment } from "../flows/flows-client.ts";
import { readDeployment } from "../flows/read-deployment.ts";
import { REQUEST_MS, sayNetwork } from "../flows/say-network.ts";
import { detailOf, readAnswer } from "./ask-deployment.ts";
import { CommandError } from "./command-error.ts";
import { defineCommand } from "./define-command.ts";
import type { Terminal } from "./terminal.ts";

/** The pause before a stream that has ended is opened again. */
const PAUSE_MS = 1_000;

/** `volley listen`: send the events that are published to a receiver on this machine. */
export const listen = defineCommand({
  words: "listen",
  summary: "Send events to a receiver on this machine as they are published, without an endpoint",
  about: [
    "VOLLEY_URL is the deployment's address, and VOLLEY_KEY a key with the flag manage_endpoints; --url and --key say others. Each event is signed as Standard Webhooks with a secret that is printed first. It follows events from now on, and goes on where it was when the connection breaks. Ctrl-C ends it.",
  ],
  options: {
    to: {
      type: "string",
      value: "URL",
      isRequired: true,
      about: "the receiver, such as http://localhost:3000/hooks",
    },
    events: {
      type: "string",
      value: "TYPE",
      about: "events of this type only, or of a prefix such as 'order.*'",
    },
    customer: { type: "string", value: "NAME", about: "events for this customer only" },
    url: { type: "string", value: "URL", about: "the deployment's address" },
    key: { type: "string", value: "KEY", about: "the key" },
  },
  examples: ["--to http://localhost:3000/hooks --events 'order.*'"],
  async run({ values, terminal, env }) {
    const to = URL.parse(values.to);
    if (to === null || !/^https?:$/.test(to.protocol))
      throw new CommandError("--to is no address; it looks like http://localhost:3000/hooks.");
    const { VOLLEY_URL = "", VOLLEY_KEY = "" } = env;
    const deployment = readDeployment(
      { VOLLEY_URL: values.url ?? VOLLEY_URL, VOLLEY_KEY: values.key ?? VOLLEY_KEY },
      "manage_endpoints",
    );
    const key = randomBytes(32);
    const secret = `whsec_${key.toString("base64")}`;
    const asked = Object.entries({ type: values.events, customer: values.customer });
    const query = new URLSearchParams(
      asked.filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    terminal.give({ to: to.href, secret });
    terminal.print(`Events go to ${to.href}, signed with ${secret}`);
    const receiver = { url: to.href, key };
    for (let lastId = ""; ; await sleep(PAUSE_MS)) {
      const body = await openStream(deployment, `/v1/events/stream?${query}`, lastId);
      if (body !== null) lastId = await relay(body, { receiver, terminal, lastId });
    }
  },
});

/** Open the stream behind an event; null where it has to be tried again. Throws what no trying mends. */
async function openStream(
  { url, key }: Deployment,
  path: string,
  lastId: string,
): Promise<ReadableStream<Uint8Array> | null> {
  const response = await fetch(url + path, {
    // A key goes where it was meant to go, and nowhere else.
    redirect: "manual",
    headers: {
      authorization: `Bearer ${key}`,
      accept: "text/event-stream",
      ...(lastId !== "" && { "last-event-id": lastId }),
    },
  }).catch((error: Error) => {
    if (lastId === "") throw new CommandError(`Cannot reach ${url}: ${sayNetwork(error)}.`);
    return null;
  });
  if (response === null || response.status >= 500) return null;
  if (response.ok) return response.body;
  const text = await response.text();
  if (response.status === 429) {
    await sleep(1_000 * Math.min(60, Number(response.headers.get("retry-after") ?? 1)));
    return null;
  }
  if (response.status === 401) throw new CommandError(`${url} does not know the key (401).`, 1);
  const detail = detailOf(readAnswer(text)) ?? "it does not answer as Volley does";
  throw new CommandError(`${url} refuses the stream (${response.status}): ${visibleText(detail, 500)}`, 1);
}

interface Relaying {
  readonly receiver: Receiver;
  readonly terminal: Terminal;
  readonly lastId: string;
}

/** Hand over each event of a stream until it ends; the id of the last one. */
async function relay(
  body: ReadableStream<Uint8Array>,
  { receiver, terminal, lastId }: Relaying,
): Promise<string> {
  const splitter = new EventSplitter();
  const decoder = new TextDecoder();
  let last = lastId;
  try {
    for await (const chunk of body)
      for (const { data, raw } of splitter.read(decoder.decode(chunk, { stream: true }))) {
        const event = data === null ? null : parseExact(data);
        if (isJsonObject(event)) terminal.print(await deliver(event, receiver));
        last = /^id: ?(\d+)\r?$/m.exec(raw)?.[1] ?? last;
      }
  } catch {
    // It broke off: the next stream begins behind the last event.
  }
  return last;
}

interface Receiver {
  readonly url: string;
  readonly key: Buffer;
}

/** Deliver an event once, as an endpoint gets it; a line about it. */
async function deliver(
  { event_id, type, timestamp, data }: JsonObject,
  { url, key }: Receiver,
): Promise<string> {
  const id = String(event_id);
  const body = JSON.stringify({ type, timestamp, data });
  const time = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
  const from = performance.now();
  const said = await fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": time,
      "webhook-signature": `v1,${signature}`,
    },
    body,
    signal: AbortSignal.timeout(REQUEST_MS),
  }).then(
    async (response) => {
      await response.body?.cancel();
      return String(response.status);
    },
    (error: Error) => sayNetwork(error),
  );
  return `${visibleText(String(type), 100)}  ${visibleText(id, 100)}  ${said}  ${Math.round(performance.now() - from)} ms`;
}
