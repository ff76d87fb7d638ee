import type { Browser } from "playwright-core";

const KEY = "sandbox-admin-key";
const CUSTOMER = "c_42";
/** An upstream of the sandbox that takes events, and one that does not. */
const TAKES = "https://probe.sandbox.test/write";
const FAILS = "https://probe.sandbox.test/hook?status=500";

/** Take the pictures of the page behind a portal link: an endpoint that was down for a while. */
export async function picturePortal(browser: Browser, origin: string): Promise<void> {
  // oxlint-disable-next-line typescript/no-explicit-any -- a script reads whatever came
  const call = async (method: string, path: string, body?: object): Promise<any> => {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return answer.json();
  };
  const publish = (type: string, data: object): Promise<unknown> =>
    call("POST", "/v1/events", { type, data, customer: CUSTOMER });
  const until = async (status: string, size: number): Promise<void> => {
    for (;;) {
      const { deliveries } = await call("GET", `/v1/deliveries?endpoint=bookkeeping&status=${status}`);
      if (deliveries.length >= size) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  for (const [type, description] of Object.entries(TYPES))
    await call("PUT", `/v1/event_types/${type}`, { description, example: { id: "in_17" } });
  await call("PUT", "/v1/endpoints/bookkeeping", {
    url: TAKES,
    customer: CUSTOMER,
    description: "Bookkeeping",
    events: ["order.paid", "order.refunded", "invoice.*"],
  });
  await publish("order.paid", { order_id: "o_17", total: 129 });
  await publish("invoice.sent", { invoice: "in_17" });
  await until("delivered", 2);
  await call("PATCH", "/v1/endpoints/bookkeeping", { url: FAILS });
  await publish("order.refunded", { order_id: "o_12", amount: 20 });
  await until("retrying", 1);
  await call("PATCH", "/v1/endpoints/bookkeeping", { url: TAKES });
  await until("delivered", 3);
  await call("PATCH", "/v1/endpoints/bookkeeping", { url: FAILS });
  await publish("order.paid", { order_id: "o_18", total: 42 });
  await until("retrying", 1);
  await call("PATCH", "/v1/endpoints/bookkeeping", { url: TAKES });
  for (const colorScheme of ["light", "dark"] as const) {
    const { url } = await call("POST", "/v1/portal_links", { customer: CUSTOMER });
    const page = await browser.newPage({
      viewport: { width: 1100, height: 930 },
      colorScheme,
      reducedMotion: "reduce",
    });
    await page.goto(url as string);
    await page.getByRole("link", { name: "Bookkeeping" }).click();
    await page.getByRole("cell", { name: "attempt" }).first().waitFor();
    await page.screenshot({ path: `docs/images/portal-${colorScheme}.png` });
    await page.close();
  }
}

const TYPES = {
  "order.paid": "An order was paid",
  "order.refunded": "A payment went back",
  "invoice.sent": "An invoice was sent",
};
