import { describe, expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { cors } from "../../../../src/features/cors/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { endpoints } from "../../../../src/features/endpoints/index.ts";
import { type Answer, createTestVolley } from "../../../../src/package/testing.ts";
import { HOST, openEndpoints } from "./endpoint-world.ts";
import { trial } from "../../../support/trial.ts";

const open = async (env: Readonly<Record<string, unknown>> = {}, answer?: Answer) => {
  const world = await openEndpoints(answer, { env });
  const { send } = world;
  const link = async (customer: string, more: object = {}) => {
    const made = await send("POST", "/v1/portal_links", { customer, ...more });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const url = new URL(made.body.url as string);
    expect(url.pathname).toBe("/portal");
    const authorization = `Bearer ${url.hash.slice("#token=".length)}`;
    return (method: string, path: string, body?: unknown) =>
      send(method, path.startsWith("/v1") ? path : `/v1/portal${path}`, body, { authorization });
  };
  /** Make an endpoint as its customer does, and say the id that it was given. */
  const make = async (by: Awaited<ReturnType<typeof link>>, name: string): Promise<string> => {
    const made = await by("POST", "/endpoints", { url: `${HOST}/${name}`, events: ["*"] });
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 });
    return made.body.id as string;
  };
  return { ...world, link, make };
};

describe("A portal link", () => {
  test("lets its customer make, test, pause and rotate its endpoints, and see and resend its deliveries", async () => {
    const { link, publish, sentTo, later } = await open();
    const by = await link("c_1");
    expect((await by("GET", "")).body).toMatchObject({ customer: "c_1", read_only: false });
    const made = await by("POST", "/endpoints", { url: `${HOST}/mine`, events: ["*"] });
    expect(made).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^ep_[0-9a-f]{32}$/),
        customer: "c_1",
        secret: expect.stringMatching(/^whsec_/),
      },
    });
    const mine = `/endpoints/${made.body.id}`;
    expect(await by("PUT", mine, { url: `${HOST}/mine`, events: ["x"] })).toMatchObject({
      status: 200,
      body: { events: ["x"] },
    });
    expect((await by("POST", `${mine}/test`, {})).status).toBe(202);
    await publish("x", {}, { customer: "c_1" });
    await later(1_000);
    expect(sentTo("mine")).toHaveLength(2);
    const { deliveries } = (await by("GET", "/deliveries")).body;
    expect(deliveries).toHaveLength(2);
    expect((await by("POST", `/deliveries/${deliveries[0].delivery_id}/resend`)).status).toBe(202);
    expect((await by("POST", `${mine}/rotate`, {})).body.secret).toMatch(/^whsec_/);
    expect((await by("PATCH", mine, { paused: true })).body).toMatchObject({ state: "paused" });
    expect((await by("GET", "/event_types")).status).toBe(200);
  });

  test("T54 recovers many of its own endpoint's failed deliveries at once; another customer and a link that only reads do not", async () => {
    let isDown = true;
    const down = () => new Response(null, { status: isDown ? 500 : 204 });
    const { volley, send, sentTo, later, publish, link, make } = await open({}, down);
    const [by, other, reader] = await Promise.all([
      link("c_1"),
      link("c_2"),
      link("c_1", { read_only: true, expires_in_s: 604_800 }),
    ]);
    const id = await make(by, "mine");
    const since = new Date(volley.now() - 1_000).toISOString();
    for (let n = 0; n < 3; n += 1) await publish("x", { n }, { customer: "c_1" });
    await publish("x", {}, { customer: "c_2" });
    await later(1_000);
    isDown = false;
    const path = `/endpoints/${id}/recover`;
    expect((await other("POST", path, { since })).status).toBe(404);
    expect((await reader("POST", path, { since })).status).toBe(403);
    expect(await by("POST", path, { since })).toEqual({ status: 202, body: { deliveries: 3 } });
    await later(1_000);
    expect(sentTo("mine")).toHaveLength(6);
    const { deliveries } = (await send("GET", `/v1/deliveries?endpoint=${id}`)).body;
    expect(deliveries.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill("delivered"));
  });

  trial(
    "T54 reaches no other customer's endpoints and deliveries, whatever it names, and no other path",
    async () => {
      const { link, make, put, publish, send, later } = await open();
      await put("theirs", { customer: "c_2" });
      await put("tenants");
      await publish("x", { secret: "geheim" });
      await later(1_000);
      const by = await link("c_1");
      const all = (await send("GET", "/v1/deliveries")).body.deliveries as {
        delivery_id: string;
        event_id: string;
      }[];
      expect((await by("GET", "/endpoints")).body.endpoints).toEqual([]);
      expect((await by("GET", "/deliveries")).body.deliveries).toEqual([]);
      expect((await by("GET", `/deliveries?event=${all[0]!.event_id}`)).body.deliveries).toEqual([]);
      expect((await by("GET", "/endpoints?customer=c_2")).status).toBe(400);
      for (const id of ["theirs", "tenants"]) {
        expect((await by("GET", `/deliveries?endpoint=${id}`)).body.deliveries).toEqual([]);
        expect((await by("GET", `/endpoints/${id}`)).status).toBe(404);
        expect((await by("PUT", `/endpoints/${id}`, { url: `${HOST}/me`, events: ["*"] })).status).toBe(404);
        expect((await by("PATCH", `/endpoints/${id}`, { url: `${HOST}/me` })).status).toBe(404);
        expect((await by("POST", `/endpoints/${id}/rotate`, {})).status).toBe(404);
        expect((await by("POST", `/endpoints/${id}/test`, {})).status).toBe(404);
      }
      for (const { delivery_id: id } of all) {
        expect((await by("GET", `/deliveries/${id}`)).status).toBe(404);
        expect((await by("POST", `/deliveries/${id}/resend`)).status).toBe(404);
      }
      const mine = `/endpoints/${await make(by, "mine")}`;
      await by("PUT", mine, { url: `${HOST}/mine`, events: ["*"], customer: "c_2" });
      for (const customer of ["c_2", null])
        expect((await by("PATCH", mine, { customer })).body).toMatchObject({ customer: "c_1" });
      for (const path of [
        "/v1/endpoints",
        "/v1/events",
        "/v1/deliveries",
        "/v1/jobs",
        "/v1/export",
        "/v1/keys",
      ])
        expect((await by("GET", path)).status, path).toBe(401);
      expect((await by("POST", "/v1/events", { type: "x", data: {} })).status).toBe(401);
      expect((await by("POST", "/v1/execute_actions", { actions: [] })).status).toBe(401);
      expect((await by("POST", "/v1/portal_links", { customer: "c_2" })).status).toBe(401);
    },
  );

  test("T54 is told nothing of which ids others have: those are answered as ids that there are not", async () => {
    const { link, put } = await open();
    await put("theirs", { customer: "c_2" });
    const by = await link("c_1");
    const body = { url: `${HOST}/me`, events: ["*"] };
    const [taken, free] = [
      await by("PUT", "/endpoints/theirs", body),
      await by("PUT", "/endpoints/heirs", body),
    ];
    const without = (answer: typeof taken) => ({
      ...answer,
      body: { ...answer.body, request_id: "", detail: answer.body.detail.replace(/'\w+'/, "") },
    });
    expect(taken.status).toBe(404);
    expect(without(taken)).toEqual(without(free));
  });

  trial("that only reads changes nothing", async () => {
    const { link, put } = await open();
    await put("mine", { customer: "c_1" });
    const by = await link("c_1", { read_only: true });
    expect((await by("GET", "/endpoints")).body.endpoints).toMatchObject([{ id: "mine" }]);
    for (const [method, path] of [
      ["POST", "/endpoints"],
      ["PUT", "/endpoints/new"],
      ["PATCH", "/endpoints/mine"],
      ["POST", "/endpoints/mine/test"],
      ["POST", "/endpoints/mine/rotate"],
      ["POST", "/deliveries/dl_0_1_1/resend"],
    ] as const)
      expect((await by(method, path, {})).status, path).toBe(403);
  });

  trial("ends by its time, and with all others of its customer when they are ended", async () => {
    const { link, later, send } = await open();
    const [short, long, other] = [
      await link("c_1", { expires_in_s: 60 }),
      await link("c_1"),
      await link("c_2"),
    ];
    expect((await short("GET", "")).status).toBe(200);
    await later(60_000);
    expect((await short("GET", "")).status).toBe(401);
    expect((await send("DELETE", "/v1/portal_links?customer=c_1")).status).toBe(204);
    expect((await long("GET", "")).status).toBe(401);
    expect((await other("GET", "")).status).toBe(200);
    for (const authorization of [
      "",
      "Bearer x",
      `Bearer vpl_test_${"0".repeat(64)}`,
      `Bearer vpl_nobody_${"0".repeat(64)}`,
    ])
      expect((await send("GET", "/v1/portal/endpoints", undefined, { authorization })).status).toBe(401);
    for (const expires of [0, 604_801])
      expect((await send("POST", "/v1/portal_links", { customer: "c", expires_in_s: expires })).status).toBe(
        422,
      );
  });
});

describe("What only the tenant may say and see", () => {
  test("T54 a customer says no field of an endpoint besides those that are its own", async () => {
    const { link, put } = await open();
    const by = await link("c_1");
    for (const [method, body] of [
      ["PUT", { url: `${HOST}/new`, events: ["*"], via: "tenants-flow" }],
      ["PATCH", { via: "tenants-flow" }],
      ["PATCH", { secret: "whsec_mine" }],
    ] as const) {
      await put(`old-${method}-${JSON.stringify(body).length}`, { customer: "c_1" });
      const id = method === "PUT" ? "new" : `old-${method}-${JSON.stringify(body).length}`;
      expect(await by(method, `/endpoints/${id}`, body)).toMatchObject({
        status: 422,
        body: { code: "INVALID_ENDPOINT", expected: "no such field" },
      });
    }
  });

  trial(
    "T54 a delivery shows its customer the body that was sent, and not the run that published it",
    async () => {
      const { link, put, publish, later, volley, sentTo } = await open();
      await put("mine", { customer: "c_1" });
      const ran = await volley.run({
        actions: [
          { tool: "publish_event", args: { type: "order.paid", data: { total: 1.5, by: "a\u202Eb" } } },
        ],
      });
      expect(ran).toMatchObject({ results: [{ status: "success" }] });
      await publish("order.paid", { total: 2 });
      await later(1_000);
      const by = await link("c_1");
      const { deliveries } = (await by("GET", "/deliveries")).body;
      expect(deliveries).toHaveLength(2);
      const shown = new Set<string>();
      for (const { delivery_id: id } of deliveries) {
        const { body } = await by("GET", `/deliveries/${id}`);
        shown.add(body.body);
        expect(Object.keys(body)).not.toContain("run_id");
      }
      expect(shown).toEqual(new Set(sentTo("mine").map(({ body }) => body)));
      expect(JSON.stringify(deliveries)).not.toContain("run_id");
    },
  );

  trial("T54 another customer's delivery shows nothing of its event", async () => {
    const { link, put, publish, later, send } = await open();
    await put("theirs", { customer: "c_2" });
    await publish("order.paid", { secret: "geheim" });
    await later(1_000);
    const [{ delivery_id: id }] = (await send("GET", "/v1/deliveries")).body.deliveries;
    const answer = await (await link("c_1"))("GET", `/deliveries/${id}`);
    expect(answer.status).toBe(404);
    expect(JSON.stringify(answer.body)).not.toContain("geheim");
  });

  trial("deletes its own endpoint, and no other one", async () => {
    const { link, put } = await open();
    await put("mine", { customer: "c_1" });
    await put("theirs", { customer: "c_2" });
    const reads = await link("c_1", { read_only: true });
    expect((await reads("DELETE", "/endpoints/mine")).status).toBe(403);
    const by = await link("c_1");
    expect((await by("DELETE", "/endpoints/theirs")).status).toBe(404);
    expect((await by("DELETE", "/endpoints/mine")).status).toBe(204);
    expect((await by("GET", "/endpoints/mine")).status).toBe(404);
  });
});

describe("The endpoints that a link makes", () => {
  const settings = (more: object = {}) => ({ url: `${HOST}/mine`, events: ["*"], ...more });

  trial(
    "T59 are 50 of its customer, those that the tenant made among them; the issue names the bound, and another customer has its own",
    async () => {
      const { link, put } = await open();
      for (let n = 0; n < 20; n += 1) await put(`given${n}`, { customer: "c_1" });
      const [by, other] = [await link("c_1"), await link("c_2")];
      let last = "";
      for (let n = 20; n < 50; n += 1) {
        const made = await by("POST", "/endpoints", settings());
        expect(made.status).toBe(201);
        last = made.body.id;
      }
      expect(await by("POST", "/endpoints", settings())).toMatchObject({
        status: 422,
        body: {
          code: "INVALID_ENDPOINT",
          issues: [{ path: "", expected: "at most 50 endpoints of a customer", received: "another one" }],
        },
      });
      // One that there is may be replaced, and the tenant itself is not bounded by it.
      expect((await by("PUT", `/endpoints/${last}`, settings({ events: ["x"] }))).status).toBe(200);
      await put("given20", { customer: "c_1" });
      expect((await other("POST", "/endpoints", settings())).status).toBe(201);
      for (const id of [last, "given0"]) expect((await by("DELETE", `/endpoints/${id}`)).status).toBe(204);
      expect((await by("POST", "/endpoints", settings())).status).toBe(201);
      expect((await by("POST", "/endpoints", settings())).status).toBe(422);
    },
  );

  trial("T59 are as many as `max_endpoints` of VOLLEY_PORTAL says", async () => {
    const portal = { name: "Acme", accent: "#4338ca", max_endpoints: 2 };
    const { link } = await open({ VOLLEY_PORTAL: JSON.stringify(portal) });
    const by = await link("c_1");
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await by("POST", "/endpoints", settings())).status);
    expect(statuses).toEqual([201, 201, 422]);
  });

  trial("T59 have 16 KiB each, in one body and in many, and the tenant's as well", async () => {
    const { link, put, send } = await open();
    await put("given", { customer: "c_1" });
    const by = await link("c_1");
    const types = Array.from({ length: 100 }, (_, n) => `t${n}.${"x".repeat(200)}`);
    const tooLarge = {
      status: 422,
      body: {
        code: "INVALID_ENDPOINT",
        issues: [
          { path: "", expected: "at most 16384 bytes", received: expect.stringMatching(/^\d+ bytes$/) },
        ],
      },
    };
    expect(await by("POST", "/endpoints", settings({ events: types }))).toMatchObject(tooLarge);
    expect(await send("PUT", "/v1/endpoints/b", settings({ events: types }))).toMatchObject(tooLarge);
    expect(await send("PATCH", "/v1/endpoints/given", { events: types })).toMatchObject(tooLarge);
    const filter = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`/f${n}`, { eq: "y".repeat(700) }]),
    );
    expect((await by("PATCH", "/endpoints/given", { events: types.slice(0, 70) })).status).toBe(200);
    expect(await by("PATCH", "/endpoints/given", { filter })).toMatchObject(tooLarge);
    expect((await by("PATCH", "/endpoints/given", { paused: true })).status).toBe(200);
  });
});

describe("The allowance of links", () => {
  trial(
    "T54 T59 is each link's own: neither another link nor forged ones take it, wherever they come from",
    async () => {
      const volley = await createTestVolley({
        tools: [],
        features: [discovery(), addedTools(), endpoints()],
        key: { flags: ["manage_endpoints"] },
      });
      const linkOf = async (customer: string): Promise<string> => {
        const headers = { "content-type": "application/json" };
        const asked = { method: "POST", headers, body: JSON.stringify({ customer }) };
        const { url } = (await (await volley.fetch("/v1/portal_links", asked)).json()) as { url: string };
        return `Bearer ${new URL(url).hash.slice("#token=".length)}`;
      };
      const ask = (authorization: string, address = "192.0.2.1") =>
        volley.fetch("/v1/portal", { headers: { authorization, "cf-connecting-ip": address } });
      const statusesOf = async (authorization: string, times: number): Promise<number[]> => {
        const statuses = [];
        for (let time = 0; time < times; time += 1) statuses.push((await ask(authorization)).status);
        return statuses;
      };
      const [first, second, third] = [await linkOf("c_1"), await linkOf("c_1"), await linkOf("c_2")];
      expect((await ask(first)).status).toBe(200);
      const forged = await Promise.all(
        Array.from(
          { length: 300 },
          async (_, at) => (await ask(`Bearer vpl_test_${String(at).padStart(64, "0")}`)).status,
        ),
      );
      expect([forged.filter((status) => status === 401).length, forged.at(-1)]).toEqual([240, 429]);
      // One that was seen here has its own, and those of other addresses are as before.
      expect(await statusesOf(first, 240)).toEqual([...Array<number>(239).fill(200), 429]);
      expect((await ask(second, "192.0.2.2")).status).toBe(200);
      expect(await statusesOf(second, 3)).toEqual([200, 200, 200]);
      const refused = await ask(third);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
      await volley.advance(1_000);
      expect((await ask(third)).status).toBe(200);
    },
  );
});

describe("A page of a foreign origin", () => {
  trial(
    "T24 T54 is allowed nothing by a link, and a token that does not stand in its header opens nothing",
    async () => {
      const volley = await createTestVolley({
        tools: [],
        features: [discovery(), addedTools(), endpoints(), cors()],
        key: { flags: ["manage_endpoints"] },
        env: { VOLLEY_ORIGINS: "https://app.acme.dev" },
      });
      const headers = { "content-type": "application/json" };
      const asked = { method: "POST", headers, body: JSON.stringify({ customer: "c_1" }) };
      const { url } = (await (await volley.fetch("/v1/portal_links", asked)).json()) as { url: string };
      const token = new URL(url).hash.slice("#token=".length);
      const authorization = `Bearer ${token}`;
      const origin = "https://evil.acme.dev";
      const preflight = {
        origin,
        authorization: "",
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization",
      };
      for (const response of [
        await volley.fetch("/v1/portal/endpoints", { headers: { origin, authorization } }),
        await volley.fetch("/v1/portal/endpoints", { method: "OPTIONS", headers: preflight }),
        await volley.fetch("/portal", { headers: { origin, authorization: "" } }),
      ]) {
        expect(response.headers.get("access-control-allow-origin")).toBeNull();
        expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      }
      for (const [path, more] of [
        [`/v1/portal/endpoints?token=${token}`, { authorization: "" }],
        ["/v1/portal/endpoints", { authorization: "", cookie: `token=${token}` }],
        ["/v1/portal/endpoints", { authorization: "", "x-api-key": token }],
        ["/v1/portal/endpoints", { authorization: `Basic ${token}` }],
        ["/v1/portal/endpoints", { authorization: `Bearer ${token}0` }],
        ["/v1/portal/endpoints", { authorization: `Bearer ${token.replace("vpl_", "VPL_")}` }],
      ] as const)
        expect((await volley.fetch(path, { headers: more })).status, JSON.stringify(more)).toBe(401);
    },
  );

  trial("T54 one tenant's link opens nothing of another tenant's, even of the same customer", async () => {
    const { link, put } = await open();
    const elsewhere = await open();
    await put("mine", { customer: "c_1" });
    const by = await link("c_1");
    expect((await by("GET", "/endpoints/mine")).status).toBe(200);
    const theirs = await elsewhere.send("POST", "/v1/portal_links", { customer: "c_1" });
    const token = new URL(theirs.body.url as string).hash.slice("#token=".length);
    const renamed = { authorization: `Bearer ${token.replace(/^vpl_[^_]+_/, "vpl_other_")}` };
    expect((await elsewhere.send("GET", "/v1/portal/endpoints", undefined, renamed)).status).toBe(401);
  });
});
