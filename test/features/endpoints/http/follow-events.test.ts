import { describe, expect, test } from "vitest";

import { openEndpoints } from "./endpoint-world.ts";
import { trial } from "../../../support/trial.ts";

type World = Awaited<ReturnType<typeof openEndpoints>>;

interface StreamedEvent {
  readonly id: string;
  readonly data: { readonly event_id: string; readonly type: string; readonly data: unknown };
}

/** Open a stream, and let it look once. Its text is read when it has ended. */
async function follow(world: World, query = "", lastId?: string) {
  const gone = new AbortController();
  const answer = world.volley.fetch(`/v1/events/stream${query}`, {
    ...(lastId !== undefined && { headers: { "last-event-id": lastId } }),
    signal: gone.signal,
  });
  await world.volley.advance(1);
  const readText = async () => (await answer).clone().text();
  return {
    answer,
    leave: () => gone.abort(),
    readText,
    async read(): Promise<readonly StreamedEvent[]> {
      const blocks = (await readText()).split("\n\n").filter((block) => block.startsWith("event: event\n"));
      return blocks.map((block) => ({
        id: /^id: (.*)$/m.exec(block)![1]!,
        data: JSON.parse(/^data: (.*)$/m.exec(block)![1]!) as StreamedEvent["data"],
      }));
    },
  };
}

const typesOf = (told: readonly StreamedEvent[]) => told.map(({ data }) => data.type);

describe("A stream of events", () => {
  test("tells what is published from now on, in order, until five minutes are over", async () => {
    const world = await openEndpoints();
    await world.publish("order.placed", { n: 1 });
    const stream = await follow(world);
    const openedAt = world.volley.now();
    const id = await world.publish("order.paid", {}, { customer: "c_1" });
    await world.publish("order.sent");
    await world.volley.advance(200_000);
    await world.publish("order.late", {});
    const told = await stream.read();
    expect(world.volley.now() - openedAt).toBeLessThan(301_000);
    expect(told.map(({ data }) => data)).toEqual([
      { event_id: id, type: "order.paid", timestamp: expect.any(String), customer: "c_1", data: {} },
      expect.objectContaining({ type: "order.sent" }),
      expect.objectContaining({ type: "order.late" }),
    ]);
    const places = told.map((event) => Number(event.id));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect((await stream.answer).headers.get("content-type")).toBe("text/event-stream");
  });

  trial("has each number digit by digit, and comments while nothing comes", async () => {
    const world = await openEndpoints();
    const stream = await follow(world);
    await world.send("POST", "/v1/events", '{"type":"order.sent","data":{"id":9007199254740993}}');
    const text = await stream.readText();
    expect(text).toContain('"data":{"id":9007199254740993}}');
    expect(text.split("\n\n").filter((block) => block.startsWith(":")).length).toBeGreaterThan(15);
  });

  trial("tells only of the type and the customer that it asks for, and no test of an endpoint", async () => {
    const world = await openEndpoints();
    await world.put("shop");
    const orders = await follow(world, "?type=order.*");
    const own = await follow(world, "?customer=c_1");
    const all = await follow(world);
    await world.publish("order.paid", { n: 1 });
    await world.publish("invoice.paid", { n: 2 }, { customer: "c_1" });
    await world.send("POST", "/v1/endpoints/shop/test");
    const told = await Promise.all([orders, own, all].map((stream) => stream.read()));
    expect(told.map(typesOf)).toEqual([["order.paid"], ["invoice.paid"], ["order.paid", "invoice.paid"]]);
  });

  trial(
    "goes on behind Last-Event-ID: nothing is lost and nothing comes twice, however much came between",
    async () => {
      const world = await openEndpoints();
      const first = await follow(world);
      await world.publish("a", { n: 1 });
      await world.publish("a", { n: 2 });
      const [one] = await first.read();
      for (let n = 3; n <= 600; n += 1) {
        await world.publish("a", { n });
        if (n % 50 === 0) await world.volley.advance(60_000);
      }
      const second = await follow(world, "", one!.id);
      expect((await second.read()).map(({ data }) => (data.data as { n: number }).n)).toEqual(
        Array.from({ length: 599 }, (_, index) => index + 2),
      );
    },
  );

  trial("is refused where twenty are open, and has a place again once one of them has ended", async () => {
    const world = await openEndpoints();
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(world)));
    const asked = async () => (await follow(world)).answer;
    const refused = await world.send("GET", "/v1/events/stream");
    expect(refused).toMatchObject({ status: 429, body: { code: "QUOTA_EXCEEDED", retry_after_ms: 10_000 } });
    await world.volley.advance(20_000);
    expect((await world.send("GET", "/v1/events/stream")).status).toBe(429);
    streams[0]!.leave();
    await world.volley.advance(1_000);
    expect((await asked()).status).toBe(200);
  });

  test.each([
    ["?types=a", {}],
    ["", { "last-event-id": "x" }],
    ["?type=order*", {}],
    ["?type=", {}],
  ])("refuses %j %j", async (query, headers) => {
    const world = await openEndpoints();
    expect(await world.send("GET", `/v1/events/stream${query}`, undefined, headers)).toMatchObject({
      status: 400,
      body: { code: "INVALID_QUERY" },
    });
  });
});
