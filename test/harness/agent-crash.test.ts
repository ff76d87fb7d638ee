import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { afterAll, expect, test } from "vitest";

import { CHAT_PATH, GO } from "../support/chat-world.ts";
import { eventually } from "../support/eventually.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { ModelServer } from "../support/model-server.ts";
import { postAndHold } from "../support/raw-client.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const upstream = await HostileUpstream.start();
const model = await ModelServer.start();
const storageDir = await mkdtemp(join(tmpdir(), "volley-agent-crash-"));
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await rm(storageDir, { recursive: true, force: true });
});

const start = (port?: number) =>
  startRawSandbox({
    storageDir,
    ...(port !== undefined && { port }),
    vars: {
      PROBE_ORIGIN: upstream.url,
      LLM_BASE_URL: model.baseUrl,
      VOLLEY_IDEMPOTENCY_LEASE_MS: "3000",
    },
  });

const CONVERSATIONS = 12;

test("T42 Killed in the middle, conversations that their clients send again twice are answered, and send no write twice", async () => {
  const write = (n: number) => ({ name: "probe-write", args: { n } });
  const numbers = Array.from({ length: CONVERSATIONS }, (_, at) => at);
  const requests = numbers.map((n) => ({
    body: { model: "m", messages: [{ ...GO, content: String(n) }], volley: { deadline_ms: 300_000 } },
    // Half of them have a key, half are known by what they are.
    headers: (count: number) => ({
      "x-stainless-retry-count": String(count),
      ...(n % 2 === 0 && { "idempotency-key": `conversation-${n}` }),
    }),
  }));
  // The model does the same for each conversation, however often and in whichever order it is asked.
  const speak = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => {
    const messages = body["messages"] as readonly { readonly role: string; readonly content: string }[];
    const asked = Number(messages.find(({ role }) => role === "user")!.content);
    return messages.some(({ role }) => role === "tool") ? { text: "Done." } : { calls: [write(asked)] };
  };
  model.willSay(...Array.from({ length: 4 * CONVERSATIONS }, () => speak));

  const answerWrites = upstream.hold("/write");
  const first = await start();
  const sockets = await Promise.all(
    requests.map(({ body, headers }) => postAndHold(`${first.url}${CHAT_PATH}`, body, headers(0))),
  );
  await eventually("the writes", () => upstream.requestsTo("/write").length === CONVERSATIONS || undefined, {
    everyMs: 10,
  });
  await first.kill("SIGKILL");
  for (const socket of sockets) socket.destroy();
  answerWrites();

  await using second = await start(first.port);
  const caller = new TestCaller(second.url);
  const statuses = await Promise.all(
    requests.map(async ({ body, headers }) => {
      const send = (count: number) =>
        caller.send({ path: CHAT_PATH, body: JSON.stringify(body), headers: headers(count) });
      // An official client tries twice, and comes the second time when it was told to.
      const early = await send(1);
      await setTimeout(1_000 * Number(early.headers["retry-after"] ?? 0));
      const { status, text } = early.status === 409 ? await send(2) : early;
      expect(status).toBe(200);
      const { volley } = JSON.parse(text) as {
        volley: { rounds: { results: { status: string }[] }[] };
      };
      return volley.rounds.flatMap(({ results }) => results.map(({ status }) => status));
    }),
  );
  expect(statuses).toEqual(numbers.map(() => ["unknown"]));
  expect(upstream.requestsTo("/write")).toHaveLength(CONVERSATIONS);
});
