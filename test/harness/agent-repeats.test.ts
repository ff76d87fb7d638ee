import { describe, expect, test } from "vitest";

import { CHAT_PATH, GO, readChat, setUpChat } from "../support/chat-world.ts";
import { eventually } from "../support/eventually.ts";
import { postAndHold } from "../support/raw-client.ts";

/* Requests to a model that come again: under an Idempotency-Key, or by the count of an official client. */

const { model, upstream, volley, send } = await setUpChat();

const write = (n: number) => ({ name: "probe-write", args: { n } });
const sentWrites = (n: number) =>
  upstream.requestsTo("/write").filter(({ body }) => (JSON.parse(body) as { n: number }).n === n);
const tried = (count: number) => ({ "x-stainless-retry-count": String(count) });
const question = (content: string) => ({ model: "scripted", messages: [{ ...GO, content }] });
const resultsOf = (text: string) =>
  (
    JSON.parse(text) as {
      volley: { rounds: { results: { status: string; data?: unknown; meta: object }[] }[] };
    }
  ).volley.rounds.flatMap(({ results }) => results);

/** Send until the request is not said to be running any more. */
const sendOver = (body: object, headers: Record<string, string>) =>
  eventually(
    "the request to be let in",
    async () => {
      const sent = await send(body, headers);
      return sent.status === 409 ? undefined : sent;
    },
    { everyMs: 50 },
  );

describe("T42 A request that its client sends again", () => {
  test.each([
    ["by its count", 100, false, () => ({})],
    ["under a key", 101, false, () => ({ "idempotency-key": "cut" })],
    ["as a stream", 107, true, () => ({})],
  ])(
    "%s waits while the first one runs, and is told what became of its write",
    async (by, n, stream, key) => {
      const body = { ...question(`cut ${by}`), stream };
      model.willSay({ calls: [write(n), { name: "probe-echo", args: { n, d: 60_000 } }] });
      const answerWrite = upstream.hold("/write", n);
      const socket = await postAndHold(`${volley.url}${CHAT_PATH}`, body, { ...tried(0), ...key() });
      await eventually("the write", () => sentWrites(n)[0], { everyMs: 10 });
      const read = await eventually(
        "the read",
        () => upstream.requestsTo("/echo").find(({ query }) => query.get("n") === String(n)),
        { everyMs: 10 },
      );
      socket.resetAndDestroy();
      expect(await read.end).toBe("torn");

      const early = await send(body, { ...tried(1), ...key() });
      expect(early.status).toBe(409);
      // Until the run has renewed its claim, or is dead: its client tries twice only.
      expect(Number(early.headers["retry-after"])).toBeGreaterThanOrEqual(3);
      expect(Number(early.headers["retry-after"])).toBeLessThanOrEqual(15);
      expect(model.requests).toHaveLength(1);

      answerWrite();
      model.willSay({ calls: [write(n)] }, { text: "Written." });
      const again = await sendOver(body, { ...tried(2), ...key() });
      expect(again.status).toBe(200);
      const results = stream ? (await readChat(again.text)).results : resultsOf(again.text);
      expect(results).toMatchObject([
        { status: "success", data: { path: "/write", n }, meta: { idempotency_replayed: true } },
      ]);
      expect(sentWrites(n)).toHaveLength(1);
    },
  );

  test.each([false, true])("is answered with what was written for it (stream: %s)", async (stream) => {
    const n = stream ? 103 : 102;
    const body = { ...question(`answered ${stream}`), stream };
    model.willSay({ calls: [write(n)] }, { text: "Written." });
    const first = await send(body, tried(0));
    expect(first.status).toBe(200);
    const again = await sendOver(body, tried(1));
    expect([again.headers["idempotency-replayed"], again.text]).toEqual(["true", first.text]);
    expect(again.headers["content-type"]).toBe(first.headers["content-type"]);
    expect(model.requests).toHaveLength(2);
    expect(sentWrites(n)).toHaveLength(1);
  });

  test.each([
    ["by its count", 120, () => ({})],
    ["under a key", 121, () => ({ "idempotency-key": "background-cut" })],
  ])("%s has the batch in the background that it recorded, and no second one", async (by, n, key) => {
    const body = question(`background ${by}`);
    const asked = { background: true, actions: [{ tool: "probe-write", args: { n } }] };
    const call = { name: "execute_actions", args: asked };
    const jobIdIn = (at: number): unknown =>
      /job_id[^0-9a-f]+([0-9a-f-]{36})/.exec(JSON.stringify(model.requests[at]))?.[1];
    model.willSay({ calls: [call] }, { calls: [{ name: "probe-echo", args: { n, d: 60_000 } }] });
    const socket = await postAndHold(`${volley.url}${CHAT_PATH}`, body, { ...tried(0), ...key() });
    const read = await eventually(
      "the read",
      () => upstream.requestsTo("/echo").find(({ query }) => query.get("n") === String(n)),
      { everyMs: 10 },
    );
    socket.resetAndDestroy();
    expect(await read.end).toBe("torn");
    model.willSay({ calls: [call] }, { text: "Begun." });
    const again = await sendOver(body, { ...tried(1), ...key() });
    expect(again.text).toContain("Begun.");
    const answers = model.requests.map((_, at) => jobIdIn(at)).filter((id) => id !== undefined);
    expect(answers.length).toBeGreaterThanOrEqual(2);
    expect(new Set(answers).size, JSON.stringify(answers)).toBe(1);
    await eventually("the write", () => sentWrites(n)[0]);
    expect(sentWrites(n)).toHaveLength(1);
  });

  test("may begin the same batch in the background twice where the first one did", async () => {
    const call = {
      name: "execute_actions",
      args: { background: true, actions: [{ tool: "probe-write", args: { n: 122 } }] },
    };
    model.willSay({ calls: [call] }, { calls: [call] }, { text: "Both." });
    expect((await send(question("background twice"), tried(0))).text).toContain("Both.");
    await eventually("both writes", () => (sentWrites(122).length === 2 ? true : undefined));
  });

  test("for the first time, word for word like one before, is another request", async () => {
    const body = question("anew");
    model.willSay({ calls: [write(104)] }, { text: "One." }, { calls: [write(104)] }, { text: "Two." });
    for (const said of ["One.", "Two."]) expect((await send(body, tried(0))).text).toContain(said);
    expect(sentWrites(104)).toHaveLength(2);
    expect((await sendOver(body, tried(1))).text).toContain("Two.");
  });

  test("may ask for the same write twice where the first one did", async () => {
    const body = question("twice");
    model.willSay({ calls: [write(105)] }, { calls: [write(105)] }, { text: "Both." });
    expect((await send(body, tried(0))).text).toContain("Both.");
    expect(sentWrites(105)).toHaveLength(2);
  });

  test("by a client that counts nothing is another request", async () => {
    const body = question("uncounted");
    model.willSay({ calls: [write(106)] }, { text: "One." }, { calls: [write(106)] }, { text: "Two." });
    for (const said of ["One.", "Two."]) expect((await send(body)).text).toContain(said);
    expect(sentWrites(106)).toHaveLength(2);
  });

  test("under a key with another body is refused", async () => {
    const key = { "idempotency-key": "other-body" };
    model.willSay({ text: "Hello." });
    expect((await send(question("one"), key)).status).toBe(200);
    const other = await send(question("other"), key);
    expect([other.status, JSON.parse(other.text)]).toMatchObject([
      422,
      { error: { code: "IDEMPOTENCY_CONFLICT" } },
    ]);
    const again = await sendOver(question("one"), key);
    expect([again.headers["idempotency-replayed"], model.requests.length]).toEqual(["true", 1]);
  });
});
