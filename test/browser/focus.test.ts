import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";

import { call, put, TAKES } from "./endpoint-samples.ts";
import { openConsole } from "./open-console.ts";

const ADMIN = "sandbox-admin-key";

let question: string;
let run: string;

beforeAll(async () => {
  await put("focused", { description: "Focused" });
  await call("PUT", "/v1/tools/ask_first", {
    summary: "Wait for a yes",
    description: "Wait for a yes.",
    category: "shop",
    actions: ["pay"],
    is_write: true,
    input_schema: { type: "object", properties: {} },
    http: { method: "POST", url: TAKES },
    orchestration: { mode: "sequential-only", confirm: "always" },
  });
  const { results } = await call("POST", "/v1/execute_actions", {
    actions: [{ id: "ask", tool: "ask_first", args: {} }],
  });
  question = (results as [{ confirmation: { id: string } }])[0].confirmation.id;
  const sent = await call("POST", "/v1/execute_actions", {
    actions: [{ id: "flight", tool: "probe-book", args: { n: 1 } }],
  });
  run = sent.batch_id as string;
});

/** The element with the focus: its name, and its words. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => `${document.activeElement!.tagName} ${document.activeElement!.textContent.trim()}`);

const press = async (page: Page, href: string): Promise<void> => {
  await page.locator(`a[href="${href}"]`).first().focus();
  await page.keyboard.press("Enter");
};

describe("The focus", () => {
  test.each([
    ["a tool", "#/tools", () => "#/tools/ask_first", /^H1 ask_first$/],
    ["a question", "#/confirmations", () => `#/confirmations/${question}`, /^H1 May this happen\?$/],
    ["the form of an endpoint", "#/endpoints", () => "#/endpoints?view=new", /^H1 A new endpoint$/],
    ["an endpoint", "#/endpoints", () => "#/endpoints/focused", /^H1 (?:focused|Focused)$/],
    ["a section, whose script comes later", "#/usage", () => "#/keys", /^H1 Keys$/],
    ["the Playground, which loads its tools", "#/usage", () => "#/run", /^H1 Playground$/],
  ])("goes to the heading of %s, and back to the link", async (_, from, to, heading) => {
    await using console = await openConsole({ key: ADMIN, path: `/console${from}` });
    const { page } = console;
    await press(page, to());
    await expect.poll(() => focused(page)).toMatch(heading);
    const link = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement!.getAttribute("href"));
    await page.goBack();
    await expect.poll(link).toBe(to());
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toMatch(heading);
    if ((await page.locator(".back").count()) === 0) return;
    await page.locator(".back").focus();
    await page.keyboard.press("Enter");
    await expect.poll(link).toBe(to());
    expect(new URL(page.url()).hash).toBe(from);
  });

  test("goes to the heading when the link is gone, and of what the command bar leads to", async () => {
    await using console = await openConsole({ key: ADMIN, path: "/console#/endpoints" });
    const { page } = console;
    await put("going", { description: "Going" });
    await press(page, "#/endpoints/going");
    await expect.poll(() => focused(page)).toBe("H1 Going");
    await call("DELETE", "/v1/endpoints/going");
    await page.goBack();
    await page.locator('a[href="#/endpoints/focused"]').waitFor();
    expect(await focused(page)).toBe("H1 Endpoints");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("ask_first");
    await page.getByRole("option", { name: "ask_first" }).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("H1 ask_first");
  });

  test("follows who signs in and out, and goes nowhere on a page that was just opened", async () => {
    await using console = await openConsole({ key: null, path: "/console#/tools" });
    const { page } = console;
    expect(await focused(page)).toMatch(/^BODY/);
    await page.getByLabel("Your key").fill(ADMIN);
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("H1 Tools");
    await page.getByRole("button", { name: "Sign out" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toBe("H1 Console");
    await page.getByLabel("Your key").fill(ADMIN);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
    await page.reload();
    await page.locator('a[href="#/tools/ask_first"]').waitFor();
    expect(await focused(page)).toMatch(/^BODY/);
  });

  test("draws no ring around a heading, and begins a new page at its top", async () => {
    await using console = await openConsole({ key: ADMIN, path: "/console#/tools" });
    const { page } = console;
    await page.locator("#main .tool-list a").last().click();
    await expect.poll(() => focused(page)).toMatch(/^H1/);
    const look = () =>
      page.evaluate(() => [getComputedStyle(document.activeElement!).outlineStyle, scrollY] as const);
    expect(await look()).toEqual(["none", 0]);
  });
});

/** A button that sends something, and where it stands. */
interface Sender {
  readonly name: string | RegExp;
  readonly path: () => string;
  readonly key?: string | null;
  /** The method, address and body of what it sends. */
  readonly sends: RegExp;
  /** Answers of the API that take the place of those that it would give. */
  readonly told?: readonly (readonly [path: RegExp, json: object, status?: number])[];
  /** The field that is filled in before. */
  readonly fields?: readonly [label: string, text: string];
  /** The button of the question that is asked before it is sent. */
  readonly yes?: string;
}

const AT = "2026-01-01T00:00:00Z";
const LATER = "2026-01-01T00:00:01Z";
const TIMES = { created_at: AT, updated_at: AT, next_attempt_at: null, tries: [] };
const DEAD = { job_id: "j", tool: "probe-echo", status: "dead", attempts: 1, ...TIMES };
const MORE = { runs: [], jobs: [DEAD], next_cursor: "more" };
const FIGURES = { runs: 1, actions: 1, error_rate: 0, p50_ms: 1, p95_ms: 1, throttled: 0, waiting: 0 };
const TENANTS = { tenants: [{ ...FIGURES, tenant: "t", dead: { TIMEOUT: 1 }, tools: [] }] };
const REFUSED = { code: "INTERNAL", title: "Internal", detail: "It did not work." };

describe("A button keeps the focus while what it sent is on its way, and sends it once:", () => {
  test.each<Sender>([
    { name: "Sign in", key: null, path: () => "tools", sends: /GET .*v1\/jobs/, fields: ["Your key", ADMIN] },
    { name: "Run", path: () => "tools/ask_first", sends: /POST .*execute_actions/ },
    { name: "Try again", path: () => "jobs/j", sends: /GET .*jobs\/j/, told: [[/jobs\/j/, REFUSED, 500]] },
    { name: "Show older", path: () => "jobs", sends: /GET .*cursor=more/, told: [[/v1\/jobs/, MORE]] },
    {
      name: "Retry all",
      path: () => "jobs?status=dead",
      sends: /GET .*limit=100/,
      told: [[/v1\/jobs/, MORE]],
    },
    { name: "Retry", path: () => "jobs/j", sends: /POST .*redrive/, told: [[/v1\/jobs/, DEAD]] },
    { name: "Make a key", path: () => "keys", sends: /POST .*v1\/keys/, fields: ["Name", "nobody"] },
    {
      name: "Make the endpoint",
      path: () => "endpoints?view=new",
      sends: /PUT .*v1\/endpoints\/ep_/,
      fields: ["Address", TAKES],
    },
    {
      name: /^Retry these/,
      key: "sandbox-operator-key",
      path: () => "operator/t",
      sends: /POST .*operator\/redrive/,
      told: [[/operator\/overview/, TENANTS]],
      yes: "Retry",
    },
    { name: "Run again", path: () => `runs/${run}`, sends: /POST .*rerun/ },
    { name: "Undo", path: () => `runs/${run}`, sends: /POST .*undo \{\}/, yes: "Undo" },
    { name: "Approve", path: () => `confirmations/${question}`, sends: /POST .*confirmations\// },
  ])("$name", async ({ name, key = ADMIN, path, sends, told = [], fields, yes }) => {
    await using console = await openConsole({ key, path: "/" });
    const { page, url } = console;
    for (const [where, json, status = 200] of told)
      await page.route(where, (route) => route.fulfill({ json, status }));
    // Before the page: what a page sends just when it is routed may still go past.
    const sent: string[] = [];
    let isDrawn = false;
    await page.route("**/v1/**", (route) => {
      const asked = route.request();
      const said = `${asked.method()} ${asked.url()} ${asked.postData()}`;
      return isDrawn && sends.test(said) ? void sent.push(said) : route.fallback();
    });
    await page.goto(`${url}/console#/${path()}`);
    if (fields !== undefined) await page.getByLabel(fields[0]).fill(fields[1]);
    const button = page.locator("#main").getByRole("button", { name, exact: true });
    await button.focus();
    const place = await button.elementHandle();
    isDrawn = true;
    await page.keyboard.press("Enter");
    if (yes !== undefined) {
      await page.getByRole("dialog").getByRole("button", { name: yes, exact: true }).focus();
      await page.keyboard.press("Enter");
    }
    await expect.poll(() => sent.length).toBe(1);
    const isWaiting = () =>
      place.evaluate((element) => [document.activeElement === element, element.ariaDisabled]);
    await expect.poll(isWaiting).toEqual([true, "true"]);
    await page.keyboard.press("Enter");
    await place.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
    expect(await isWaiting()).toEqual([true, "true"]);
    expect(sent).toHaveLength(1);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });
});

test.each([
  ["Cancel", "Cancel"],
  ["Retry", undefined],
])("The focus goes to the heading of a job when its button %s has gone", async (name, yes) => {
  const before = { ...DEAD, status: yes === undefined ? "dead" : "retrying" };
  const after = { ...DEAD, status: yes === undefined ? "running" : "cancelled", updated_at: LATER };
  let job = before;
  await using console = await openConsole({ key: ADMIN, path: "/" });
  const { page, url } = console;
  await page.route(/v1\/jobs\/j/, (route) => {
    if (route.request().method() === "POST") job = after;
    return route.fulfill({ json: job });
  });
  await page.goto(`${url}/console#/jobs/j`);
  await page.getByRole("button", { name, exact: true }).focus();
  await page.keyboard.press("Enter");
  if (yes !== undefined) {
    const dialog = page.getByRole("dialog", { name: "Cancel this job?" });
    await dialog.getByRole("button", { name: "Back" }).waitFor();
    expect(job).toBe(before);
    await dialog.getByRole("button", { name: yes, exact: true }).focus();
    await page.keyboard.press("Enter");
  }
  await expect.poll(() => focused(page)).toBe("H1 probe-echo");
});

describe("The way back", () => {
  test.each(["the browser", "the page"])(
    "by %s finds the list where it was left: its words, its place and the filter of its address",
    async (by) => {
      await using console = await openConsole({ key: ADMIN, path: "/console#/tools" });
      const { page } = console;
      const goBack = async (): Promise<void> => {
        if (by === "the browser") await page.goBack();
        else await page.locator(".back").click();
      };
      const last = page.locator("#main .tool-list a").last();
      await last.scrollIntoViewIfNeeded();
      const before = await page.evaluate(() => scrollY);
      expect(before).toBeGreaterThan(0);
      await last.click();
      await page.locator(".back").waitFor();
      await goBack();
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(before);
      await page.getByRole("searchbox", { name: "Search" }).fill("wait for a yes");
      await page.getByText("the best first").waitFor();
      await page.locator('a[href="#/tools/ask_first"]').click();
      await page.getByRole("heading", { level: 1, name: "ask_first" }).waitFor();
      await goBack();
      await page.getByText("the best first").waitFor();
      expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).toBe("wait for a yes");
      await page.goto(`${console.url}/console#/jobs?since=24h`);
      await page.goto(`${console.url}/console#/runs?since=24h`);
      await page.locator('#main a[href^="#/runs/"]').first().click();
      await page.locator(".back").waitFor();
      await goBack();
      await expect.poll(() => new URL(page.url()).hash).toBe("#/runs?since=24h");
    },
  );

  test.each([
    ["#/runs", "Tool", "ask_first", "tool"],
    ["#/jobs", "Tool", "ask_first", "tool"],
    ["#/endpoints", "Customer", "c_1", "customer"],
    ["#/endpoints", "State", "paused", "state"],
    ["#/endpoints?view=events", "type", "order.paid", "type"],
    ["#/endpoints?view=deliveries", "Status of deliveries", "failed", "status"],
    ["#/connections", "Subject", "user_42", "subject"],
  ])("to %s finds its filter %s, and no step for each letter of it", async (path, label, value, name) => {
    await using console = await openConsole({ key: ADMIN, path: `/console${path}` });
    const { page } = console;
    const isChoice = value === "paused" || value === "failed";
    const field = isChoice
      ? page.getByLabel(label)
      : page.getByRole("searchbox", { name: label, exact: true });
    await field.waitFor();
    const steps = await page.evaluate(() => history.length);
    if (isChoice) await field.selectOption(value);
    else await field.pressSequentially(value);
    await expect.poll(() => new URL(page.url()).hash).toContain(`${name}=${value}`);
    expect(await page.evaluate(() => history.length)).toBe(steps);
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Usage" }).click();
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    await page.goBack();
    await field.waitFor();
    expect(await field.inputValue()).toBe(value);
  });
});
