import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { ACCEPTS_JSON, KEYED_DOORS, WRITE_FLOW } from "../support/keyed-doors.ts";
import { postAndHold } from "../support/raw-client.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { type RawAnswer, TestCaller } from "../support/test-caller.ts";

/* Requests that come again at every door that takes a key; at those of models they are in agent-repeats.test.ts. */

const KEY = "sandbox-admin-key";
const { upstream, volley } = await setUpSandbox();
const caller = new TestCaller(volley.url, KEY);
await caller.send({
  method: "PUT",
  path: `/v1/flows/${WRITE_FLOW.name}`,
  body: JSON.stringify(WRITE_FLOW.flow),
});

const sentWrites = (n: number) =>
  upstream.requestsTo("/write").filter(({ body }) => (JSON.parse(body) as { n: number }).n === n);
const STATUS = { IDEMPOTENCY_IN_PROGRESS: 409, IDEMPOTENCY_CONFLICT: 422 };
/** Over MCP a refusal is the result of its call, with the same headers. */
const isRefused = ({ status, text }: RawAnswer, code: keyof typeof STATUS) =>
  status === STATUS[code] || (text.includes('"isError":true') && text.includes(code));

let numbers = 500;
const WAYS = [
  ["by its count", (count: number) => ({ "x-stainless-retry-count": String(count) }), [3, 15]],
  ["under a key", (_: number, n: number) => ({ "idempotency-key": `again-${n}` }), [1, 1]],
  [
    "by its count, under a key",
    (count: number, n: number) => ({
      "x-stainless-retry-count": String(count),
      "idempotency-key": `again-${n}`,
    }),
    [3, 15],
  ],
] as const;

describe.each(KEYED_DOORS)("T42 P5: %s that its client sends again", (_, { path, bodyOf }) => {
  test.each(WAYS)(
    "%s is told to wait while the first one runs, and writes once",
    async (__, headersOf, waits) => {
      const n = (numbers += 1);
      const body = bodyOf(n);
      const send = (count: number) =>
        caller.send({
          path,
          headers: { ...ACCEPTS_JSON, ...headersOf(count, n) },
          body: JSON.stringify(body),
        });
      const answerWrite = upstream.hold("/write", n);
      const socket = await postAndHold(`${volley.url}${path}`, body, {
        ...ACCEPTS_JSON,
        ...headersOf(0, n),
        authorization: `Bearer ${KEY}`,
      });
      await eventually("the write", () => sentWrites(n)[0], { everyMs: 10 });
      socket.resetAndDestroy();

      const early = await send(1);
      expect(isRefused(early, "IDEMPOTENCY_IN_PROGRESS")).toBe(true);
      const waitS = Number(early.headers["retry-after"]);
      expect([waitS >= waits[0], waitS <= waits[1]]).toEqual([true, true]);

      answerWrite();
      const again = await eventually(
        "the first one's end",
        async () => {
          const sent = await send(2);
          return isRefused(sent, "IDEMPOTENCY_IN_PROGRESS") ? undefined : sent;
        },
        { everyMs: 50 },
      );
      expect([again.status, again.headers["idempotency-replayed"]]).toEqual([200, "true"]);
      expect(again.text).toContain("/write");
      expect(sentWrites(n)).toHaveLength(1);
    },
  );

  test("with another body under its key, or by another tenant, is not given its answer", async () => {
    const n = (numbers += 2) - 1;
    const headers = { ...ACCEPTS_JSON, "idempotency-key": `other-${n}` };
    const send = (sent: number, by = caller) =>
      by.send({ path, headers, body: JSON.stringify(bodyOf(sent)) });
    expect((await send(n)).status).toBe(200);
    expect(isRefused(await send(n + 1), "IDEMPOTENCY_CONFLICT")).toBe(true);
    const theirs = await send(n, new TestCaller(volley.url, "sandbox-other-key"));
    expect(theirs.headers).not.toHaveProperty("idempotency-replayed");
    expect(sentWrites(n + 1)).toEqual([]);
  });

  test("counted from 0 is another one", async () => {
    const n = (numbers += 1);
    const headers = { ...ACCEPTS_JSON, "x-stainless-retry-count": "0" };
    for (const times of [1, 2]) {
      expect((await caller.send({ path, headers, body: JSON.stringify(bodyOf(n)) })).status).toBe(200);
      expect(sentWrites(n)).toHaveLength(times);
    }
  });
});
