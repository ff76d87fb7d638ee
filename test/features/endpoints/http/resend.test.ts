import { describe, expect, test } from "vitest";

import { openEndpoints } from "./endpoint-world.ts";
import { trial } from "../../../support/trial.ts";

const SECOND = 1_000;

describe("A resend while an attempt is under way", () => {
  /** An endpoint that takes three seconds; its answers in their order, the last one for all further. */
  const openSlow = async (statuses: readonly number[]) => {
    let asked = 0;
    const world = await openEndpoints(async (_, { sleep }) => {
      const status = statuses[Math.min(asked, statuses.length - 1)]!;
      asked += 1;
      await sleep(3 * SECOND);
      return new Response(null, { status });
    });
    await world.put("slow");
    return world;
  };

  test("is that attempt: none is made beside it", async () => {
    const { publish, send, sentTo, later, deliveriesOf } = await openSlow([204]);
    await publish("x");
    await later(SECOND);
    const id = (await deliveriesOf("slow"))[0]!.delivery_id;
    expect((await send("POST", `/v1/deliveries/${id}/resend`)).status).toBe(202);
    await later(10 * SECOND);
    expect(sentTo("slow")).toHaveLength(1);
    expect(await deliveriesOf("slow")).toMatchObject([{ status: "delivered", attempts: [{ status: 204 }] }]);
  });

  trial(
    "leaves its end as it is, the next attempt when it is due, and other deliveries of the endpoint theirs",
    async () => {
      const { publish, send, sentTo, later, deliveriesOf } = await openSlow([500, 204]);
      await publish("x");
      await later(SECOND);
      const id = (await deliveriesOf("slow"))[0]!.delivery_id;
      for (let times = 0; times < 3; times += 1)
        expect((await send("POST", `/v1/deliveries/${id}/resend`)).status).toBe(202);
      await later(20 * SECOND);
      expect(sentTo("slow")).toHaveLength(2);
      expect(await deliveriesOf("slow")).toMatchObject([
        { status: "delivered", attempts: [{ status: 500 }, { status: 204 }] },
      ]);
      await publish("y");
      await later(10 * SECOND);
      expect((await deliveriesOf("slow")).map(({ status }) => status)).toEqual(["delivered", "delivered"]);
    },
  );

  trial("by recover is that attempt too", async () => {
    const { publish, send, sentTo, later, deliveriesOf, volley } = await openSlow([500, 204]);
    const since = new Date(volley.now() - SECOND).toISOString();
    await publish("x");
    await later(9 * SECOND);
    // The second attempt is under way.
    expect((await send("POST", "/v1/endpoints/slow/recover", { since, all: true })).body).toEqual({
      deliveries: 1,
    });
    await later(20 * SECOND);
    expect(sentTo("slow")).toHaveLength(2);
    expect(await deliveriesOf("slow")).toMatchObject([{ status: "delivered" }]);
  });
});
