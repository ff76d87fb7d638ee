import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { buildBundle } from "../support/build-bundle.ts";
import { SANDBOX_CONFIG } from "../support/sandbox.ts";
import { startWorkerd, type Workerd } from "../support/workerd.ts";
import { readWranglerConfig } from "../support/wrangler-config.ts";
import { expectAccessible, expectFits, openConsole } from "./open-console.ts";

/** A busy machine takes its time. */
const PATIENT = { timeout: 20_000 };
const ADMIN = "sandbox-admin-key";

/** A Worker without confirmations, flows, keys and added tools. */
let few: Workerd;

beforeAll(async () => {
  const config = await readWranglerConfig(SANDBOX_CONFIG);
  await using bundle = await buildBundle({ entry: "test/browser/few-features-worker.ts" });
  const keys = JSON.parse(config.vars!["VOLLEY_KEYS"]!) as readonly object[];
  few = await startWorkerd({
    script: bundle.path,
    // Flags are of features that it does not list.
    vars: { VOLLEY_KEYS: JSON.stringify(keys.map((key) => ({ ...key, flags: [] }))) },
    durableObjects: { TENANT_GATE: "TenantGate", TOOL_GATE: "ToolGate" },
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
  });
});
afterAll(() => few?.[Symbol.asyncDispose]());

/** Let the Worker with few features answer what the page asks from now on. @returns the paths that it is asked for, as they come */
async function answerByFew(page: Page): Promise<readonly string[]> {
  const asked: string[] = [];
  await page.route("**/v1/**", async (route) => {
    const { pathname, search } = new URL(route.request().url());
    asked.push(pathname);
    await route.fulfill({ response: await route.fetch({ url: `${few.url}${pathname}${search}` }) });
  });
  return asked;
}

/** The names of the navigation's links. */
async function linksOf(page: Page): Promise<readonly string[]> {
  const links = page.getByRole("navigation", { name: "Sections" }).getByRole("link");
  return (await links.allInnerTexts()).map((text) => text.trim());
}

const OF_FEATURES = /^\/v1\/(?:confirmations|endpoints|events|flows|keys|runs|tools\/)/;

describe("A Worker that lists neither flows nor confirmations", () => {
  test.each([360, 1440])(
    "has neither their sections nor a link, and is asked nothing of them: %i px",
    async (width) => {
      await using console = await openConsole({ width, key: null });
      const { page } = console;
      const asked = await answerByFew(page);
      await page.getByLabel("Your key").fill(ADMIN);
      await page.keyboard.press("Enter");
      await expect.poll(() => linksOf(page), PATIENT).toEqual(["Playground", "Tools", "Jobs", "Usage"]);
      for (const name of await linksOf(page)) {
        await page
          .getByRole("navigation", { name: "Sections" })
          .getByRole("link", { name, exact: true })
          .click();
        await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
        await page.waitForLoadState("networkidle");
        await expectFits(page);
        const left = await page.locator('a[href^="#/confirmations"], a[href^="#/flows"]').count();
        expect([name, left]).toEqual([name, 0]);
      }
      await page.getByText("Jobs by status").waitFor();
      expect(await page.getByText("Waiting for a person").count()).toBe(0);
      // A tool of a category that has no section here has its page among the tools.
      await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Tools" }).click();
      await page.getByRole("link", { name: "echo_text" }).click();
      await page.getByRole("heading", { level: 1, name: "echo_text" }).waitFor();
      await page.getByRole("form", { name: "A call" }).waitFor();
      await page.waitForLoadState("networkidle");
      expect(asked).toContain("/v1/usage");
      expect(asked.filter((path) => OF_FEATURES.test(path))).toEqual([]);
      await page.unrouteAll({ behavior: "wait" });
    },
  );

  test.each([
    ["#/flows/lamp-report", "Flows", "flows"],
    ["#/confirmations/0b5e", "Approvals", "confirmations"],
  ])("says at %s in one sentence what is not there, and leads on", async (place, title, feature) => {
    await using console = await openConsole({ key: null });
    const { page, url } = console;
    const asked = await answerByFew(page);
    await page.goto(`${url}/console${place}`);
    await page.getByLabel("Your key").fill(ADMIN);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    const said = page.getByText(
      `This Worker has no section ${title}, because it does not list the feature ${feature}.`,
    );
    await said.waitFor();
    expect(await linksOf(page)).not.toContain(title);
    await expectAccessible(page);
    await expectFits(page);
    await said.getByRole("link", { name: "Go to Playground" }).click();
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    expect(asked.filter((path) => OF_FEATURES.test(path))).toEqual([]);
    await page.unrouteAll({ behavior: "wait" });
  });
});

describe("A Worker that lists every feature", () => {
  test("is asked which once, and has every section, with the pieces of features on their pages", async () => {
    await using console = await openConsole({ key: null });
    const { page } = console;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.getByLabel("Your key").fill(ADMIN);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    await expect.poll(() => asked.includes("/v1/confirmations"), PATIENT).toBe(true);
    const links = (await linksOf(page)).map((text) => text.split("\n")[0]);
    expect(links.map((text) => text!.replace(/\W.*/, ""))).toEqual([
      "Runs",
      "Playground",
      "Tools",
      "Jobs",
      "Approvals",
      "Flows",
      "Endpoints",
      "Connections",
      "Usage",
      "Keys",
      "Signed",
    ]);
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Flows" }).click();
    await page.getByRole("heading", { level: 1, name: "Flows" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(asked.filter((path) => path === "/v1/usage")).toHaveLength(1);
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Usage" }).click();
    await page.getByText("Waiting for a person").waitFor();
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Keys" }).click();
    await page.getByRole("heading", { name: "A new key of this tenant" }).waitFor();
  });

  test("has all of them as well where it cannot say what it lists", async () => {
    await using console = await openConsole({ key: null });
    const { page, url } = console;
    await page.route("**/v1/usage", (route) => route.fulfill({ status: 503, body: "Not now" }));
    await page.goto(`${url}/console#/flows`);
    await page.getByLabel("Your key").fill(ADMIN);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Flows" }).waitFor();
    expect(await linksOf(page)).toHaveLength(8);
  });
});
