import { expect, test } from "vitest";

import type { Feature, ObjectOptions } from "../../../../src/cloudflare/feature.ts";
import { endpoints } from "../../../../src/features/endpoints/index.ts";
import { openEndpoints, taken } from "./endpoint-world.ts";
import { trial } from "../../../support/trial.ts";

/** The endpoints of a Worker, whose changes can be cut off: the object that delivers has them, and its directory does not hear of it. */
function cutOff() {
  const cut = { isNext: false };
  const { objects, ...rest } = endpoints();
  type Shard = new (...args: never[]) => { put(...args: readonly never[]): unknown };
  const feature: Feature = {
    ...rest,
    objects: {
      ...objects,
      EndpointShard: {
        ...objects!.EndpointShard,
        create: (options: ObjectOptions) =>
          class extends (objects!.EndpointShard.create(options) as unknown as Shard) {
            override put(...args: readonly never[]): unknown {
              const put = super.put(...args);
              if (!cut.isNext) return put;
              cut.isNext = false;
              throw new Error("cut off");
            }
          } as never,
      },
    },
  };
  return { cut, feature };
}

test("An endpoint whose change to another customer was cut off is that customer's once it was looked at, and nobody else's", async () => {
  const { cut, feature } = cutOff();
  const world = await openEndpoints(taken, { feature });
  await world.put("shop", { customer: "c_1" });
  cut.isNext = true;
  const moved = { url: "https://shop.acme.dev/shop", events: ["*"], customer: "c_2" };
  expect((await world.send("PUT", "/v1/endpoints/shop", moved)).status).toBe(503);
  const link = await world.send("POST", "/v1/portal_links", { customer: "c_1" });
  const authorization = `Bearer ${String(link.body.url).split("token=")[1]!}`;
  const asFormer = async () =>
    (await world.volley.fetch("/v1/portal/endpoints/shop", { headers: { authorization } })).status;
  expect(await asFormer()).toBe(404);
  expect((await world.send("GET", "/v1/endpoints/shop")).body).toMatchObject({ customer: "c_2" });
  await world.publish("order.paid", {}, { customer: "c_2" });
  await world.later(1_000);
  expect(world.sentTo("shop")).toHaveLength(1);
  expect(await asFormer()).toBe(404);
});

test("A customer sees no delivery to an endpoint that had the id of its own before and was another's", async () => {
  const world = await openEndpoints();
  await world.put("shop", { customer: "c_1" });
  await world.publish("order.paid", { of: "c_1" }, { customer: "c_1" });
  await world.later(1_000);
  expect((await world.send("DELETE", "/v1/endpoints/shop")).status).toBe(204);
  await world.put("shop", { customer: "c_2" });
  await world.publish("order.sent", {}, { customer: "c_2" });
  await world.later(1_000);
  const link = await world.send("POST", "/v1/portal_links", { customer: "c_2" });
  const authorization = `Bearer ${String(link.body.url).split("token=")[1]!}`;
  for (const query of ["", "?endpoint=shop"]) {
    const answer = await world.volley.fetch(`/v1/portal/deliveries${query}`, { headers: { authorization } });
    const { deliveries } = (await answer.json()) as { deliveries: readonly { type: string }[] };
    expect(deliveries.map(({ type }) => type)).toEqual(["order.sent"]);
  }
});

trial(
  "An event that waits for a customer's endpoint is discarded where that has become another customer's, also when it is asked for again",
  async () => {
    let status = 503;
    const world = await openEndpoints(() => new Response(null, { status }));
    await world.put("shop", { customer: "c_1" });
    await world.publish("order.paid", {}, { customer: "c_1" });
    await world.publish("news", {});
    await world.later(1_000);
    expect(world.sentTo("shop")).toHaveLength(2);
    status = 204;
    const types = (): readonly string[] =>
      world.sentTo("shop").map(({ body }) => (JSON.parse(body!) as { readonly type: string }).type);
    expect((await world.send("PATCH", "/v1/endpoints/shop", { customer: "c_2" })).status).toBe(200);
    await world.later(3_600_000);
    expect(types().slice(2)).toEqual(["news"]);
    const [news, paid] = await world.deliveriesOf("shop");
    expect([news!.status, paid!.status]).toEqual(["delivered", "discarded"]);
    expect((await world.send("POST", `/v1/deliveries/${paid!.delivery_id}/resend`)).status).toBe(202);
    await world.later(1_000);
    expect(types().slice(2)).toEqual(["news"]);
  },
);

trial("A customer sees nothing that its endpoint got while it was another's", async () => {
  const world = await openEndpoints();
  await world.put("shop", { customer: "c_1" });
  await world.publish("order.paid", { of: "c_1" }, { customer: "c_1" });
  await world.later(1_000);
  await world.send("PATCH", "/v1/endpoints/shop", { customer: "c_2" });
  await world.publish("order.sent", {}, { customer: "c_2" });
  await world.later(1_000);
  const [sent, paid] = await world.deliveriesOf("shop");
  const link = await world.send("POST", "/v1/portal_links", { customer: "c_2" });
  const authorization = `Bearer ${String(link.body.url).split("token=")[1]!}`;
  const see = (path: string) =>
    world.volley.fetch(`/v1/portal/deliveries${path}`, { headers: { authorization } });
  const { deliveries } = (await (await see("")).json()) as { deliveries: readonly { type: string }[] };
  expect(deliveries.map(({ type }) => type)).toEqual(["order.sent"]);
  expect((await see(`/${sent!.delivery_id}`)).status).toBe(200);
  expect((await see(`/${paid!.delivery_id}`)).status).toBe(404);
});
