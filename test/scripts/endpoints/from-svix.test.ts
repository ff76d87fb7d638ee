import { describe, expect, test } from "vitest";

import { fromSvix } from "../../../scripts/endpoints/from-svix.ts";

const SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
/** An endpoint as the API of Svix lists it. */
const ENDPOINT = {
  id: "ep_1srOrx2ZWZBpBUvZwXKQmoEYga2",
  uid: "main",
  url: "https://shop.example.com/hooks",
  version: 1,
  description: "The shop",
  filterTypes: ["order.paid"],
  channels: null,
  disabled: false,
  rateLimit: 50,
  metadata: {},
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
};

describe("An endpoint of Svix", () => {
  test("keeps its id, address, types, rate and secret, and its application is its customer", () => {
    const file = [{ ...ENDPOINT, app: { id: "app_1", uid: "c_42" }, secret: { key: SECRET } }];
    expect(fromSvix(file)).toEqual([
      {
        id: ENDPOINT.id,
        body: {
          url: ENDPOINT.url,
          customer: "c_42",
          events: ["order.paid"],
          description: "The shop",
          rate_limit: { limit: 50, window_s: 1 },
          secret: SECRET,
        },
        notes: [],
      },
    ]);
  });

  test("is read as its newer API writes it, and from a list as that answers it", () => {
    const { filterTypes: _, rateLimit: __, ...rest } = ENDPOINT;
    const bare = SECRET.slice("whsec_".length);
    const endpoint = { ...rest, eventTypes: ["invoice.paid"], throttleRate: 5, app: "app_1", secret: bare };
    const [moved] = fromSvix({ data: [endpoint], iterator: null, done: true });
    expect(moved!.body).toMatchObject({
      customer: "app_1",
      events: ["invoice.paid"],
      rate_limit: { limit: 5, window_s: 1 },
      secret: SECRET,
    });
  });

  test("that asks for every type gets every type, with its headers; one that is disabled is paused", () => {
    const headers = { headers: { "x-env": "prod" }, sensitive: [] };
    const [moved] = fromSvix([{ ...ENDPOINT, filterTypes: null, disabled: true, headers }]);
    expect(moved!.body).toMatchObject({ events: ["*"], paused: true, headers: { "x-env": "prod" } });
    expect(moved!.notes).toHaveLength(2);
  });

  test("that listens to channels moves paused, because it would get more", () => {
    const [moved] = fromSvix([{ ...ENDPOINT, app: "a", secret: SECRET, channels: ["eu"] }]);
    expect(moved!.body).toMatchObject({ paused: true });
    expect(moved!.notes).toEqual([expect.stringContaining("channels")]);
  });

  test("without an address stays, and a file of another form is refused", () => {
    expect(fromSvix([{ id: "ep_1" }])).toMatchObject([{ id: "ep_1", body: null }]);
    for (const file of [{}, "x", [1], null]) expect(() => fromSvix(file)).toThrow("list of objects");
  });
});
