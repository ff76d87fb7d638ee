import { describe, expect, test } from "vitest";

import { expectAccessible, expectFits, openConsole, WIDTHS } from "./open-console.ts";

const OPERATOR = "sandbox-operator-key";

/** Thirty tenants, of all kinds: with names as long as they may be, with and without trouble. */
const tenants = Array.from({ length: 30 }, (_, at) => ({
  tenant: at === 4 ? "a-tenant-whose-name-is-as-long-as-a-name-may-be-sixty-four-charac" : `tenant-${at + 1}`,
  runs: 120_000 - at * 3_917,
  actions: 480_000 - at * 14_011,
  error_rate: at === 0 ? 0.31 : at < 6 ? 0.04 : at < 20 ? 0.0004 : 0,
  p50_ms: 180 + at,
  p95_ms: at % 7 === 0 ? 12_400 : 900,
  throttled: at % 5 === 0 ? 1_204 : 0,
  dead: at === 0 ? { UPSTREAM_ERROR: 212, TIMEOUT: 3 } : at === 3 ? { MISCONFIGURED: 1 } : {},
  waiting: at % 6 === 0 ? 2 : 0,
  tools: [
    { tool: "send_email", calls: 4_000, error_rate: 0.31, p50_ms: 210, p95_ms: 2_900 },
    { tool: "web-search", calls: 90_412, error_rate: 0, p50_ms: 330, p95_ms: 1_100 },
  ],
}));

describe("The operator's page", () => {
  test.each(WIDTHS)(
    "shows thirty tenants and one of them, fits and can be read: $width px",
    async ({ width }) => {
      await using console = await openConsole({
        key: OPERATOR,
        width,
        path: "/console#/operator",
      });
      const { page } = console;
      await page.route("**/v1/operator/overview*", (route) => route.fulfill({ json: { tenants } }));
      await page.reload();
      await page.getByRole("link", { name: "tenant-30" }).waitFor({ timeout: 20_000 });
      await picture(page, `operator-${width}`);
      if (width === 1440) {
        const last = await page.getByRole("row").last().boundingBox();
        expect(last!.y + last!.height).toBeLessThanOrEqual(900);
      }
      await expectFits(page);
      await expectAccessible(page);
      await page.getByRole("link", { name: "tenant-1", exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "tenant-1" }).waitFor();
      await page.getByRole("region", { name: "Dead jobs" }).getByText("212 jobs").waitFor();
      await expectFits(page);
      await expectAccessible(page);
      await picture(page, `operator-tenant-${width}`);
    },
  );

  test("redrives the dead jobs of a code by keyboard, after a question, and says what became of them", async () => {
    await using console = await openConsole({ key: OPERATOR, path: "/console#/operator/tenant-1" });
    const { page } = console;
    const asked: unknown[] = [];
    await page.route("**/v1/operator/overview*", (route) => route.fulfill({ json: { tenants } }));
    await page.route("**/v1/operator/redrive", (route) => {
      asked.push(route.request().postDataJSON());
      return route.fulfill({
        json: { redriven: 100, not_redriven: 0, tools_gone: [], backlog_full: false, more: true },
      });
    });
    await page.getByRole("button", { name: "Retry these: UPSTREAM_ERROR" }).focus({ timeout: 20_000 });
    await page.keyboard.press("Enter");
    const question = page.getByRole("dialog");
    await question.waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    expect(asked).toEqual([]);
    await page.locator("button:focus", { hasText: "Retry these" }).waitFor();
    await page.keyboard.press("Enter");
    await question.getByRole("button", { name: "Retry", exact: true }).click();
    await page.getByText("100 jobs run again. There are more.").first().waitFor();
    expect(asked).toEqual([{ tenant: "tenant-1", code: "UPSTREAM_ERROR" }]);
  });

  test("is for keys with the flag: others have no link to it, and are told at its address", async () => {
    await using console = await openConsole({ key: "sandbox-admin-key", path: "/console#/operator" });
    const { page } = console;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page
      .getByText("The section Operator is for keys with the flag operator.")
      .waitFor({ timeout: 20_000 });
    expect(await page.getByRole("navigation", { name: "Sections" }).getByText("Operator").count()).toBe(0);
    expect(asked.filter((path) => path.includes("operator"))).toEqual([]);
    await expectAccessible(page);
  });

  test("shows what really ran", async () => {
    await using console = await openConsole({ key: OPERATOR, path: "/console#/operator" });
    const { page, url } = console;
    const answer = await fetch(`${url}/v1/execute_actions`, {
      method: "POST",
      headers: { authorization: "Bearer sandbox-other-key", "content-type": "application/json" },
      body: JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 1 } }] }),
    });
    expect(answer.status).toBe(200);
    await page.getByRole("link", { name: "other", exact: true }).click({ timeout: 30_000 });
    await page.getByRole("cell", { name: "probe-echo" }).waitFor();
  });

  test("is where its key begins", async () => {
    await using console = await openConsole({ key: "sandbox-operator-key", path: "/console" });
    await console.page.getByRole("heading", { level: 1, name: "Operator" }).waitFor({ timeout: 30_000 });
  });
});

/** Keep a picture where somebody asks for them. */
async function picture(
  page: { screenshot(options: { path: string }): Promise<unknown> },
  name: string,
): Promise<void> {
  const folder = process.env["VOLLEY_PICTURES"];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}
