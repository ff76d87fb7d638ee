import { beforeAll, describe, expect, test } from "vitest";

import {
  linkOf,
  ANSWERS,
  call,
  describeTypes,
  FAILS,
  GONE,
  picture,
  put,
  TAKES,
  untilTried,
} from "./endpoint-samples.ts";
import { expectAccessible, expectFits, openConsole, WIDTHS } from "./open-console.ts";

const PATIENT = { timeout: 20_000 };
const ADMIN = "sandbox-admin-key";

let event: string;

beforeAll(async () => {
  await describeTypes();
  await put("shop-good", {
    customer: "c_1",
    url: ANSWERS,
    events: ["order.paid"],
    description: "Shop of c_1",
  });
  await put("shop-gone", { customer: "c_2", url: GONE, events: ["order.*"] });
  await put("shop-paused", { customer: "c_3", url: TAKES, paused: true });
  await put("shop-bad", { customer: "c_4", url: FAILS, events: ["order.paid", "invoice.*"] });
  await put("shop-large", { url: TAKES, filter: { "/total": { gte: 1_000 } }, events: ["order.paid"] });
  ({ event_id: event } = await call("POST", "/v1/events", {
    type: "order.paid",
    data: { order_id: "o_1", total: 12.5 },
  }));
  await Promise.all(["shop-good", "shop-gone", "shop-bad"].map((id) => untilTried(id, 1)));
});

describe("The section Endpoints", () => {
  test.each(WIDTHS)(
    "shows endpoints by health, one of them, an event, and who would get another: $width px",
    async ({ width }) => {
      await using console = await openConsole({
        key: ADMIN,
        width,
        path: "/console#/endpoints",
      });
      const { page, url } = console;
      const look = async (name: string): Promise<void> => {
        await picture(page, `endpoints-${name}-${width}`);
        await expectFits(page);
        await expectAccessible(page);
      };
      await page.getByRole("link", { name: "shop-bad" }).waitFor(PATIENT);
      // Those that fail stand before those that were disabled, those before the paused, and the active last.
      const places = await Promise.all(
        ["shop-bad", "shop-gone", "shop-paused", "Shop of c_1"].map(
          async (name) => (await page.getByRole("link", { name, exact: true }).boundingBox())!.y,
        ),
      );
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      await look("list");
      await page.getByRole("link", { name: "shop-gone" }).click();
      await page.getByText("It answered 410").waitFor();
      await page.getByRole("button", { name: "Resume" }).waitFor();
      await look("endpoint");
      await page.goto(`${url}/console#/endpoints?event=${event}`);
      await page
        .getByRole("region", { name: "Its deliveries" })
        .getByRole("link", { name: "shop-good" })
        .waitFor();
      await look("event");
      await page.goto(`${url}/console#/endpoints?view=publish`);
      await page.getByLabel("Type").fill("order.paid");
      await page.getByLabel("Data, as JSON").fill('{"order_id":"o_2","number":12345678901234567890}');
      await page.getByRole("button", { name: "Who would get it?" }).click();
      await page.getByRole("cell", { name: "the endpoint is paused" }).first().waitFor(PATIENT);
      await look("publish");
    },
  );

  test("publishes an event by hand with every digit of its data, and leads to its deliveries", async () => {
    await using console = await openConsole({ key: ADMIN, path: "/console#/endpoints?view=publish" });
    const { page } = console;
    await page.getByLabel("Type").fill("order.paid", PATIENT);
    await page.getByLabel("Customer").fill("c_1");
    await page.getByLabel("Data, as JSON").fill("{");
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("Line 1, column 1:").waitFor(PATIENT);
    await page.getByLabel("Data, as JSON").fill('{"order_id":"o_3","number":12345678901234567890}');
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("Published to 1 endpoint.").waitFor(PATIENT);
    await page.getByRole("link", { name: "See its deliveries" }).click();
    await page.getByText("12345678901234567890").waitFor(PATIENT);
    await page.getByRole("link", { name: "shop-good" }).waitFor(PATIENT);
  });

  test("counts the attempts that failed, though none is given up", async () => {
    await put("shop-down", { url: FAILS, events: ["stock.gone"] });
    for (let n = 0; n < 3; n += 1) await call("POST", "/v1/events", { type: "stock.gone", data: {} });
    await untilTried("shop-down", 3);
    await using console = await openConsole({ key: ADMIN, path: "/console#/endpoints/shop-down" });
    const day = console.page.getByRole("region", { name: "The last 24 hours" });
    await expect
      .poll(() => day.innerText(), PATIENT)
      .toMatch(
        /Delivered\s+0\s+Still to deliver\s+3\s+Failed attempts\s+[3-9]\s+Failed for good\s+0\s+95 % of answers within/,
      );
  });

  test.each([ADMIN, null])(
    "says at its field, in words for people, what an endpoint lacks: %s",
    async (key) => {
      const path = key === null ? await linkOf("c_field") : "/console#/endpoints?view=new";
      await using console = await openConsole({ key, path });
      const { page } = console;
      if (key === null) await page.getByRole("link", { name: "Add an endpoint" }).click(PATIENT);
      const address = page.getByLabel("Address", { exact: true });
      await address.fill("http://localhost/x", PATIENT);
      await page.getByRole("button", { name: "Make the endpoint" }).click();
      const alerts = page.getByRole("alert");
      await alerts.getByText("Choose at least one event").waitFor(PATIENT);
      await page.getByLabel(/^(?:Other t|T)ypes$/).fill("order paid, Order!");
      await page.getByText("Filter, rate and headers").click();
      await page.getByLabel("Filter, as JSON").fill("{bad");
      await page.getByLabel("Deliveries at most").fill("-5");
      await page.getByLabel("Headers, one on a line").fill("no colon here");
      await page.getByRole("button", { name: "Make the endpoint" }).click();
      await alerts.getByText('Not a type: "order paid", "Order!".').waitFor(PATIENT);
      for (const said of ["public https address", "Write JSON", "Write a number", "Write a name, a colon"])
        expect(await alerts.getByText(said).count(), said).toBe(1);
      await expect.poll(() => address.evaluate((field) => field === document.activeElement)).toBe(true);
      expect(await page.getByText("/url").count()).toBe(0);
      const [limit, window] = await Promise.all(
        ["Deliveries at most", "in seconds"].map((label) => page.getByLabel(label).boundingBox()),
      );
      expect({ ...limit, x: 0 }, "the fault moves no field").toEqual({ ...window, x: 0 });
      await expectAccessible(page);
    },
  );

  test("resumes an endpoint, and delivers again what failed", async () => {
    await put("shop-back", { url: FAILS, events: ["stock.low"] });
    await call("POST", "/v1/events", { type: "stock.low", data: {} });
    await untilTried("shop-back", 1);
    await call("PATCH", "/v1/endpoints/shop-back", { url: ANSWERS, paused: true });
    await using console = await openConsole({ key: ADMIN, path: "/console#/endpoints/shop-back" });
    const { page } = console;
    await page.getByRole("button", { name: "Resume" }).click(PATIENT);
    await page.getByRole("button", { name: "Pause" }).waitFor(PATIENT);
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByRole("cell", { name: "HTTP 200" }).first().waitFor(PATIENT);
  });

  test("sets filter, rate and headers of an endpoint, says which of them is wrong, and takes them away again", async () => {
    await put("shop-fields", { events: ["stock.counted"] });
    await using console = await openConsole({
      key: ADMIN,
      width: 360,
      path: "/console#/endpoints/shop-fields?view=edit",
    });
    const { page, url } = console;
    await page.getByText("Filter, rate and headers").click(PATIENT);
    await page.getByLabel("Filter, as JSON").fill('{"/total": {"gt');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("Write JSON that tests fields").waitFor(PATIENT);
    await page.getByLabel("Filter, as JSON").fill('{"/total": {"gte": 100}}');
    await page.getByLabel("Deliveries at most").fill("5");
    await page.getByLabel("in seconds").fill("60");
    await page.getByLabel("Headers, one on a line").fill("x-env: prod\nwebhook-id: mine");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("Write a name, a colon").waitFor(PATIENT);
    await picture(page, "endpoints-fields-360-light");
    await expectFits(page);
    await expectAccessible(page);
    await page.getByLabel("Headers, one on a line").fill("x-env: prod");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("5 in 60 s").waitFor(PATIENT);
    expect(await call("GET", "/v1/endpoints/shop-fields")).toMatchObject({
      filter: { "/total": { gte: 100 } },
      headers: { "x-env": "prod" },
      rate_limit: { limit: 5, window_s: 60 },
    });
    await page.goto(`${url}/console#/endpoints/shop-fields?view=edit`);
    // The fields that it has are open.
    await page.getByLabel("Filter, as JSON").fill("", PATIENT);
    await page.getByLabel("Deliveries at most").fill("");
    await page.getByLabel("in seconds").fill("");
    await page.getByLabel("Headers, one on a line").fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("region", { name: "The last 24 hours" }).waitFor(PATIENT);
    const left = await call("GET", "/v1/endpoints/shop-fields");
    for (const field of ["filter", "headers", "rate_limit"]) expect(left).not.toHaveProperty(field);
  });

  test("makes a portal link of an endpoint's customer, which opens the page of that customer", async () => {
    await using console = await openConsole({ key: ADMIN, path: "/console#/endpoints/shop-good" });
    const { page } = console;
    await page.getByRole("button", { name: "Make a portal link" }).click(PATIENT);
    const link = page.getByText("/portal#token=vpl_");
    await link.waitFor(PATIENT);
    await expectAccessible(page);
    await expectFits(page);
    await page.goto(await link.innerText());
    await page.getByRole("link", { name: "Shop of c_1" }).waitFor(PATIENT);
    expect(await page.getByRole("link", { name: "shop-bad" }).count()).toBe(0);
  });

  test("shows on a run's page the deliveries of the events that it published", async () => {
    const { batch_id: run } = await call("POST", "/v1/execute_actions", {
      actions: [{ tool: "publish_event", args: { type: "order.paid", data: { order_id: "o_9" } } }],
    });
    await using console = await openConsole({ key: ADMIN, path: `/console#/runs/${run}` });
    const { page } = console;
    const deliveries = page.getByRole("region", { name: "Deliveries of its events" });
    await deliveries.getByRole("link", { name: "shop-good" }).waitFor(PATIENT);
    await expectAccessible(page);
    await deliveries.getByRole("link", { name: "order.paid" }).first().click();
    await page.getByRole("link", { name: /^evt_/ }).click(PATIENT);
    await page.getByText("By the run").waitFor(PATIENT);
  });

  test("is for keys with the flag: others have no link to it, and nothing of it is asked", async () => {
    await using console = await openConsole({ key: "sandbox-key", path: "/console#/endpoints" });
    const { page } = console;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page
      .getByText("The section Endpoints is for keys with the flag manage_endpoints.")
      .waitFor(PATIENT);
    expect(asked.filter((path) => /endpoints|events|deliveries/.test(path))).toEqual([]);
  });
});
