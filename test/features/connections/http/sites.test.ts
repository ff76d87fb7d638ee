import { createHmac } from "node:crypto";

import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { ACME, APP, openConnections, PROVIDER } from "./connection-world.ts";
import { base } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const SHOPIFY = { client_id: "volley", client_secret: { secret: "ACME_SECRET" } };
const SHOP = "https://acme.myshopify.com";

const orders = defineTool({
  ...base,
  name: "orders",
  hosts: ["acme.myshopify.com", "other.myshopify.com"],
  connection: "shopify",
  run: async (_, ctx) => {
    const { site, accountId, fetch } = ctx.connection("shopify");
    return { site, accountId, orders: (await fetch(`https://${site}.myshopify.com/orders`)).json() };
  },
});

const open = (connectors: object) =>
  openConnections({
    tools: [orders],
    env: { VOLLEY_CONNECTORS: JSON.stringify(connectors) },
    routes: {
      [`POST ${SHOP}/admin/oauth/access_token`]: ({ body }) => ({
        access_token: `token for ${new URLSearchParams(body).get("code")}`.replaceAll(" ", "-"),
        scope: "read_products",
      }),
      [`GET ${SHOP}/orders`]: ({ headers }) => ({
        isKnown: headers["x-shopify-access-token"] === "token-for-c1",
      }),
    },
  });

/** The address by which Shopify sends a person back, signed as it does. */
const comeBack = (state: string, shop: string, secret = "geheim"): string => {
  const sent = Object.entries({ code: "c1", host: "YWNtZQ", shop, state, timestamp: "1764300000" });
  const signed = sent.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const hmac = createHmac("sha256", secret).update(signed).digest("hex");
  return `/v1/connections/callback?${signed}&hmac=${hmac}`;
};

describe("The site of an account", () => {
  const start = async (body: object) => {
    const world = await open({ shopify: SHOPIFY });
    const started = await world.send("POST", "/v1/connections", {
      connector: "shopify",
      subject: "ada",
      return_to: `${APP}/done`,
      ...body,
    });
    return { world, started };
  };

  test("is in each of the provider's addresses, is kept with the connection, and a tool is told it", async () => {
    const { world, started } = await start({ site: "acme" });
    expect(started.status, JSON.stringify(started.body)).toBe(201);
    const siteOf = async () =>
      (await world.send("GET", "/v1/connections?subject=ada")).body.connections[0].site;
    expect(await siteOf()).toBe("acme");
    const gone = new URL((await world.goOn(started.body.connect_url as string)).headers.get("location")!);
    expect(gone.origin + gone.pathname).toBe(`${SHOP}/admin/oauth/authorize`);
    const back = comeBack(gone.searchParams.get("state")!, "acme.myshopify.com");
    const led = new URL((await world.send("GET", back)).headers.get("location")!);
    const id = started.body.connection_id as string;
    const code = led.searchParams.get("code");
    await world.send("POST", `/v1/connections/${id}/confirm`, { code, subject: "ada" });
    expect((await world.send("GET", `/v1/connections/${id}`)).body).toMatchObject({
      state: "active",
      account: "acme.myshopify.com",
      account_id: "acme.myshopify.com",
      site: "acme",
    });
    expect(await siteOf()).toBe("acme");
    const ran = await world.send("POST", "/v1/execute_actions", {
      actions: [{ tool: "orders" }],
      subject: "ada",
    });
    expect(ran.body.results[0].data).toEqual({
      site: "acme",
      accountId: "acme.myshopify.com",
      orders: { isKnown: true },
    });
  });

  trial.each([
    ["another shop's", "other.myshopify.com", "geheim"],
    ["forged", "acme.myshopify.com", "guessed"],
  ])("is not taken from an address that is %s", async (_, shop, secret) => {
    const { world, started } = await start({ site: "acme" });
    const gone = new URL((await world.goOn(started.body.connect_url as string)).headers.get("location")!);
    const back = comeBack(gone.searchParams.get("state")!, shop, secret);
    const led = new URL((await world.send("GET", back)).headers.get("location")!);
    expect(led.searchParams.get("error")).toBe("server_error");
    expect(world.volley.requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  trial.each([
    ["none where the preset has no default", {}, "a shop's name"],
    ["one that is no shop", { site: "evil.dev/" }, "a shop's name"],
    ["one with another host in it", { site: "acme.evil.dev#" }, "a shop's name"],
  ])("is refused: %s", async (_, body, said) => {
    const { started } = await start(body);
    expect(started).toMatchObject({ status: 422, body: { code: "INVALID_REQUEST" } });
    expect(started.body.detail).toContain(`/site: expected ${said}`);
  });

  test("is refused where the connector fixes it, or has none", async () => {
    const fixed = await open({ shopify: { ...SHOPIFY, site: "acme" }, acme: ACME });
    for (const connector of ["shopify", "acme"]) {
      const body = { connector, subject: "ada", site: "acme" };
      const started = await fixed.send("POST", "/v1/connections", body);
      expect(started).toMatchObject({ status: 422, body: { code: "INVALID_REQUEST" } });
    }
    const started = await fixed.send("POST", "/v1/connections", {
      connector: "shopify",
      subject: "ada",
      return_to: `${APP}/done`,
    });
    const gone = new URL((await fixed.goOn(started.body.connect_url as string)).headers.get("location")!);
    expect(gone.origin).toBe(SHOP);
  });

  trial(
    "of a connector of one's own is a name before its host; a call that misses an account makes no link without it",
    async () => {
      const own = {
        ...ACME,
        authorize_url: "https://{site}.acme.dev/authorize",
        token_url: `${PROVIDER}/token`,
      };
      const world = await open({ acme: own, shopify: SHOPIFY });
      const started = await world.start({ site: "eu" });
      const gone = new URL((await world.goOn(started.body.connect_url as string)).headers.get("location")!);
      expect(gone.origin).toBe("https://eu.acme.dev");
      const ran = await world.send("POST", "/v1/execute_actions", {
        actions: [{ tool: "orders" }],
        subject: "ada",
      });
      expect(ran.body.results[0].error).toMatchObject({ code: "CONNECTION_REQUIRED" });
      expect(ran.body.results[0].error.connect_url).toBeUndefined();
    },
  );
});
