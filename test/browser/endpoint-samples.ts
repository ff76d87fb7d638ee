import { expect } from "vitest";
import { sandboxUrl } from "./sandbox-url.ts";

const ADMIN = "sandbox-admin-key";
/** Upstreams of the sandbox that take, answer with text, and fail. */
export const TAKES = "https://probe.sandbox.test/hook";
export const ANSWERS = "https://probe.sandbox.test/write";
export const FAILS = "https://probe.sandbox.test/hook?status=500";
export const GONE = "https://probe.sandbox.test/hook?status=410";

/** Ask the API as the tenant. */
export async function call(
  method: string,
  path: string,
  body?: unknown,
  authorization = `Bearer ${ADMIN}`,
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came
): Promise<any> {
  const response = await fetch(`${sandboxUrl()}${path}`, {
    method,
    headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, `${method} ${path}: ${text}`).toBe(true);
  return text === "" ? null : JSON.parse(text);
}

/** Make a link, and say the part of its address behind the origin. */
export async function linkOf(customer: string, more: object = {}): Promise<string> {
  const { url } = await call("POST", "/v1/portal_links", { customer, ...more });
  const { pathname, hash } = new URL(url as string);
  return `${pathname}${hash}`;
}

export const put = (id: string, settings: object): Promise<unknown> =>
  call("PUT", `/v1/endpoints/${id}`, { url: TAKES, events: ["*"], ...settings });

export const describeTypes = async (): Promise<void> => {
  await call("PUT", "/v1/event_types/order.paid", {
    description: "An order was paid. It comes once for each payment.",
    schema: { type: "object", properties: { order_id: { type: "string" }, total: { type: "number" } } },
    example: { order_id: "o_1", total: 129.5 },
  });
  await call("PUT", "/v1/event_types/order.refunded", {
    description: "A payment went back, in whole or in part",
    example: { order_id: "o_1", amount: 20 },
  });
};

/** Wait until so many deliveries of an endpoint have been tried. */
export async function untilTried(endpoint: string, size: number): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const { deliveries } = await call("GET", `/v1/deliveries?endpoint=${endpoint}`);
    const tried = (deliveries as { attempts: unknown[] }[]).filter(({ attempts }) => attempts.length > 0);
    if (tried.length >= size) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`No delivery to ${endpoint} was tried`);
}

const MOST_LOOKS = 200;

/** Keep a picture where somebody asks for them. */
export async function picture(
  page: { screenshot(options: { path: string; fullPage: boolean }): Promise<unknown> },
  name: string,
): Promise<void> {
  const folder = process.env["VOLLEY_PICTURES"];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
