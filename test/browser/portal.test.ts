import { beforeAll, describe, expect, test } from "vitest";

import {
  ANSWERS,
  call,
  describeTypes,
  FAILS,
  linkOf,
  picture,
  put,
  TAKES,
  untilTried,
} from "./endpoint-samples.ts";
import { expectAccessible, expectFits, openConsole, WIDTHS } from "./open-console.ts";

const PATIENT = { timeout: 20_000 };
const SHOP = "portal_shop";
const OTHER = "portal_other";

beforeAll(async () => {
  await describeTypes();
  await put("portal-good", {
    customer: SHOP,
    url: ANSWERS,
    events: ["order.paid"],
    description: "Bookkeeping",
  });
  await put("portal-bad", { customer: SHOP, url: FAILS, events: ["order.*"], headers: { "x-env": "prod" } });
  await put("portal-hidden", { customer: SHOP, paused: true, description: "Books\u202Ekeeping\u200B" });
  await put("portal-theirs", { customer: OTHER, url: TAKES, description: "A secret of another customer" });
  await call("POST", "/v1/events", {
    type: "order.paid",
    data: { order_id: "o_17", total: 129.5, note: "abc\u202Edef" },
    customer: SHOP,
  });
  await call("POST", "/v1/events", { type: "order.paid", data: { geheim: "of others" }, customer: OTHER });
  await Promise.all(["portal-good", "portal-bad", "portal-theirs"].map((id) => untilTried(id, 1)));
});

describe("The page of a portal link", () => {
  test.each(WIDTHS)(
    "shows endpoints, one of them, a delivery and the types, fits and can be read: $width px",
    async ({ width }) => {
      await using portal = await openConsole({ key: null, width, path: await linkOf(SHOP) });
      const { page } = portal;
      const look = async (name: string): Promise<void> => {
        await picture(page, `portal-${name}-${width}`);
        await expectFits(page);
        await expectAccessible(page);
      };
      await page.getByRole("link", { name: "portal-bad" }).waitFor(PATIENT);
      await page.getByText("active, failing").first().waitFor();
      await page.getByRole("link", { name: "Books\\u{202e}keeping\\u{200b}" }).waitFor();
      await look("list");
      await page.getByRole("link", { name: "Bookkeeping" }).click();
      await page.getByRole("region", { name: "The last 24 hours" }).waitFor();
      await page.getByRole("cell", { name: "HTTP 200" }).first().waitFor();
      await look("endpoint");
      await page.getByRole("region", { name: "Its deliveries" }).getByRole("link").first().click();
      await page.getByRole("heading", { name: "The body that is sent" }).waitFor();
      // The answer's text, and the body with what hides in it made visible.
      await page.getByText('{"path":"/write"').waitFor();
      await page.getByText("abc\\u{202e}def").waitFor();
      await look("delivery");
      await page.goBack();
      await page.goBack();
      await page.getByRole("link", { name: "Event types", exact: true }).click();
      await page.getByText("An order was paid. It comes once for each payment.").waitFor();
      await page.getByRole("group", { name: "Example of order.paid" }).waitFor();
      await look("types");
      await page.getByRole("link", { name: "Endpoints", exact: true }).click();
      await page.getByRole("link", { name: "Add an endpoint" }).click();
      await page.getByRole("checkbox", { name: /order\.refunded/ }).waitFor();
      await look("new");
    },
  );

  test("makes, tests, pauses, rotates and deletes an endpoint by keyboard alone, and shows each secret once", async () => {
    await using portal = await openConsole({ key: null, path: await linkOf("portal_keyboard") });
    const { page } = portal;
    const press = async (role: "link" | "button", name: string): Promise<void> => {
      await page.getByRole(role, { name, exact: true }).focus(PATIENT);
      await page.keyboard.press("Enter");
    };
    await page.getByText("No endpoints yet").waitFor(PATIENT);
    await press("link", "Add an endpoint");
    await page.getByLabel("Address").focus();
    await page.keyboard.type(ANSWERS);
    await page.getByRole("checkbox", { name: /order\.paid/ }).focus();
    await page.keyboard.press("Space");
    await page.getByText("Filter, rate and headers").focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Filter, as JSON").focus();
    await page.keyboard.type('{"/total": {"exists": true}}');
    await press("button", "Make the endpoint");
    const secret = page.getByText(/^whsec_/);
    await secret.waitFor(PATIENT);
    const first = await secret.innerText();
    await press("button", "Copy secret");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(first);
    await press("link", "Go to the endpoint, and send it a test");
    await page.getByRole("region", { name: "The last 24 hours" }).waitFor();
    await page.getByRole("group", { name: "Filter" }).waitFor();
    expect(await page.getByText("whsec_").count()).toBe(0);
    await press("button", "Send a test");
    await page.getByRole("cell", { name: "HTTP 200" }).first().waitFor(PATIENT);
    await press("button", "Rotate the secret");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.getByText("whsec_").count()).toBe(0);
    await press("button", "Rotate the secret");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    await secret.waitFor();
    expect(await secret.innerText()).not.toBe(first);
    await press("button", "Pause");
    await page.getByText("paused", { exact: true }).waitFor(PATIENT);
    await press("button", "Resume");
    await page.getByText("active", { exact: true }).waitFor(PATIENT);
    await press("button", "Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No endpoints yet").waitFor(PATIENT);
  });

  test("sends a delivery again, and says which field of an endpoint is wrong", async () => {
    await using portal = await openConsole({ key: null, path: await linkOf(SHOP) });
    const { page } = portal;
    await page.getByRole("link", { name: "Deliveries", exact: true }).click(PATIENT);
    await page
      .getByRole("row", { name: /portal-good/ })
      .getByRole("link", { name: "order.paid" })
      .click();
    await page.getByRole("button", { name: "Send again" }).click();
    await expect
      .poll(() => page.getByRole("region", { name: "Attempts" }).getByRole("listitem").count(), PATIENT)
      .toBe(2);
    await page
      .getByRole("link", { name: "Bookkeeping" })
      .or(page.getByRole("link", { name: "portal-good" }))
      .first()
      .click();
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("Address").fill("http://inside.example.com/hooks");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("Write a public https address").waitFor();
    await expectAccessible(page);
  });

  test("T54 loads nothing of another customer, and its link changes nothing where it only reads", async () => {
    await using portal = await openConsole({ key: null, path: await linkOf(SHOP, { read_only: true }) });
    const { page } = portal;
    const answers: Promise<string>[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/v1/")) answers.push(response.text().catch(() => ""));
    });
    await page.getByRole("link", { name: "portal-bad" }).click(PATIENT);
    await page.getByRole("region", { name: "Its deliveries" }).getByRole("link").first().waitFor();
    for (const name of ["Pause", "Resume", "Send a test", "Rotate the secret", "Delete"])
      expect(await page.getByRole("button", { name }).count(), name).toBe(0);
    await page.getByText("This link only shows.").waitFor();
    await page.goto(page.url().replace(/#.*/, "#/endpoints/portal-theirs"));
    await page.getByText("There is no such endpoint").waitFor(PATIENT);
    await page.getByRole("link", { name: "Endpoints" }).first().click();
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page
      .getByRole("row", { name: /portal-good/ })
      .first()
      .waitFor();
    const seen = (await Promise.all(answers)).join("\n");
    expect(seen).toContain("portal-good");
    for (const hidden of ["of others", "A secret of another customer", "sandbox-admin", "whsec_"])
      expect(seen).not.toContain(hidden);
  });

  test("never sends the fragment, keeps no token in the address, and no key of the console is sent by it", async () => {
    const path = await linkOf(SHOP);
    const token = path.split("#token=")[1]!;
    // A tab of the console, whose key is in the same storage.
    await using portal = await openConsole({ key: "sandbox-key", path: "/console#/run" });
    const { page, url } = portal;
    // The front page has no script: what the console still asks is over when the portal is opened.
    await page.goto(`${url}/`);
    const sent: { readonly url: string; readonly referer: string; readonly key: string }[] = [];
    page.on("request", (request) => {
      const headers = request.headers();
      sent.push({
        url: request.url(),
        referer: headers["referer"] ?? "",
        key: headers["authorization"] ?? "",
      });
    });
    await page.goto(`${url}${path}`);
    await page.getByRole("link", { name: "portal-bad" }).waitFor(PATIENT);
    expect(page.url()).toBe(`${url}/portal`);
    for (const request of sent) {
      expect(request.url).not.toContain("vpl_");
      expect(request.referer).toBe("");
      if (request.key !== "") expect(request.key).toBe(`Bearer ${token}`);
    }
    expect(sent.some(({ key }) => key !== "")).toBe(true);
    await page.reload();
    await page.getByRole("link", { name: "portal-bad" }).waitFor(PATIENT);
    // The console goes on with its own.
    await page.goto(`${url}/console#/tools`);
    await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
    expect(sent.at(-1)!.key).not.toContain("vpl_");
  });

  test("says plainly that a link has ended, and goes on with another one in the same tab", async () => {
    await using portal = await openConsole({ key: null, path: await linkOf("portal_ending") });
    const { page, url } = portal;
    await page.getByText("No endpoints yet").waitFor(PATIENT);
    await call("DELETE", "/v1/portal_links?customer=portal_ending");
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "This link has ended" }).waitFor(PATIENT);
    await expectAccessible(page);
    await page.goto(`${url}${await linkOf(SHOP)}`);
    await page.getByRole("link", { name: "portal-bad" }).waitFor(PATIENT);
  });

  test("says without a link that one is needed", async () => {
    await using portal = await openConsole({ key: null, path: "/portal" });
    await portal.page.getByRole("heading", { level: 1, name: "A link is needed" }).waitFor();
    await expectAccessible(portal.page);
  });

  test.each([
    ["http://localhost:8788", true],
    ["http://localhost:8789", false],
  ])("in a frame of %s: %s", async (origin, isShown) => {
    await using portal = await openConsole({ key: null, path: "/portal" });
    const { page, url } = portal;
    const path = await linkOf(SHOP);
    await page.route(`${origin}/`, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<!doctype html><iframe src="${url}${path}" width="700" height="700"></iframe>`,
      }),
    );
    await page.goto(`${origin}/`);
    const inside = page.frameLocator("iframe").getByRole("link", { name: "portal-bad" });
    if (isShown) {
      await inside.waitFor(PATIENT);
      return;
    }
    await expect.poll(() => portal.complaints.join(), PATIENT).toMatch(/frame-ancestors|Refused to frame/);
    expect(await inside.count()).toBe(0);
    (portal.complaints as string[]).length = 0;
  });
});
