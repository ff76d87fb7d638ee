import { eventually } from "../../support/eventually.ts";
import { isThere, type Pair } from "./pair-world.ts";

/** A delivery that was under way has arrived by then. */
const UNDER_WAY_MS = 1_000;

/** A tenant is deleted while its events, and those of a neighbour, are delivered. */
export const deliveryAndDeletion: Pair = {
  name: "delivery × deletion",
  async begin(world, n) {
    const { url } = world.provider.upstream;
    const [mine, theirs] = ["mine", "theirs"].map((whose) => [0, 1, 2, 3].map((at) => `${whose}-${n + at}`));
    await world.must("PUT", "/v1/endpoints/mine", { url: `${url}/mine`, events: ["*"] });
    await world.must("PUT", "/v1/endpoints/theirs", { url: `${url}/theirs`, events: ["*"] }, "neighbour");
    const publish = (id: string, key: string) =>
      ["POST", "/v1/events", { id, type: "paid", data: { id } }, key] as const;
    const erase = ["POST", "/v1/tenant/delete", { tenant: "pairs" }] as const;
    const received = (path: string, id: string) =>
      world.provider.upstream.requestsTo(path).filter(({ headers }) => headers["webhook-id"] === id);
    let goneAt = Number.POSITIVE_INFINITY;
    return {
      // The tenant that was deleted has none of its own any more; those of the neighbour are looked for below.
      ids: mine!,
      async work() {
        const published = [
          ...mine!.map((id) => publish(id, "owner")),
          ...theirs!.map((id) => publish(id, "neighbour")),
        ];
        const [gone] = await Promise.all([
          world.soon(...erase),
          ...published.map((one) => world.soon(...one)),
        ]);
        if (gone?.status === 200) goneAt = performance.now();
      },
      async settle() {
        await world.until(({ status, body }) => status === 200 && body.more_objects !== true, ...erase);
        goneAt = performance.now();
        for (const id of theirs!) {
          // One that was answered is the same event.
          await world.until(({ status }) => status === 202, ...publish(id, "neighbour"));
          await eventually(`the delivery of ${id}`, () => received("/theirs", id)[0]);
        }
      },
      async judge() {
        const violations: string[] = [];
        for (const id of mine!) {
          const late = received("/mine", id).filter(({ at }) => at > goneAt + UNDER_WAY_MS);
          if (late.length > 0) violations.push(`${id} was delivered after the deletion`);
          const shown = await world.ask("GET", `/v1/events/${id}`);
          if (shown?.status !== 404) violations.push(`${id} is still there: ${shown?.status}`);
        }
        for (const id of theirs!) {
          const times = received("/theirs", id).length;
          if (times < 1 || times > 2) violations.push(`${id} was delivered ${times} times`);
          if ((await world.ask("GET", `/v1/events/${id}`))?.status !== 404)
            violations.push(`${id} of a neighbour is seen`);
          const kept = await world.ask("GET", `/v1/events/${id}`, undefined, "neighbour");
          if (kept === null || !isThere(kept)) violations.push(`${id} is lost: ${kept?.status}`);
        }
        return violations;
      },
    };
  },
};
