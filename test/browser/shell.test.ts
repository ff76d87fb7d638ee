import { gzipSync } from "node:zlib";

import { describe, expect, test } from "vitest";

import { expectAccessible, expectFits, openConsole, WIDTHS } from "./open-console.ts";

const ADMIN = "sandbox-admin-key";
const SECTIONS = ["Runs", "Playground", "Tools", "Jobs", "Approvals", "Flows", "Usage", "Signed-in programs"];

describe("The page at /", () => {
  test.each(WIDTHS)("is open, accessible and fits: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: null, path: "/" });
    const { page, url } = console;
    await expectAccessible(page);
    await expectFits(page);
    expect(await page.locator("pre:visible").innerText()).toContain(`curl ${url}/v1/execute_actions`);
    await page.getByRole("link", { name: "Open the console" }).click();
    await page.getByLabel("Your key").waitFor();
  });

  test("shows one way to call at a time, chosen by keyboard, and works without a script", async () => {
    await using console = await openConsole({ key: null, path: "/" });
    const { page, url } = console;
    const shown = page.locator("pre:visible");
    await page.getByRole("radio", { name: "curl" }).focus();
    for (const part of ["await fetch(", "import json", "mcpServers"]) {
      await page.keyboard.press("ArrowRight");
      expect(await shown.count()).toBe(1);
      expect(await shown.innerText()).toContain(part);
    }
    const link = page.getByRole("link", { name: "Install in Cursor" });
    const config = new URL((await link.getAttribute("href"))!).searchParams.get("config")!;
    expect(JSON.parse(atob(config))).toMatchObject({ url: `${url}/mcp` });
    expect(await page.locator("script").count()).toBe(0);
  });
});

describe("The console", () => {
  test("keeps a key in its tab only, and forgets it when told to", async () => {
    await using console = await openConsole({ key: null });
    const { page, context, url } = console;
    await page.getByLabel("Your key").fill("sandbox-key");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    expect(await page.evaluate(() => [localStorage.length, document.cookie])).toEqual([0, ""]);
    const other = await context.newPage();
    await other.goto(`${url}/console`);
    await other.getByLabel("Your key").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Your key").waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test("says at its field that no such key is known, and keeps none", async () => {
    await using console = await openConsole({ key: null });
    const { page } = console;
    await page.getByLabel("Your key").fill("no-such-key");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("No key of this deployment is like this one").waitFor();
    expect(await page.getByLabel("Your key").getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByText("UNAUTHORIZED").count()).toBe(0);
    await expectAccessible(page);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test("says at once that an address names no page", async () => {
    await using console = await openConsole({ path: "/console#/nonsense/7" });
    const { page } = console;
    await page.getByRole("heading", { level: 1, name: "There is no such page" }).waitFor();
    expect(await page.title()).toBe("No such page · Volley console");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Go to Runs" }).click();
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
  });

  test.each([
    ["keys", "Keys"],
    ["connections", "Connections"],
    ["usage", "Usage"],
    ["sign-ins", "Signed-in programs"],
    ["run", "Playground"],
  ])("says that %s has no page of one thing, and leads to the whole", async (section, title) => {
    await using console = await openConsole({ key: ADMIN, path: `/console#/${section}/nope` });
    const { page } = console;
    await page.getByRole("heading", { level: 1, name: "There is no such page" }).waitFor();
    await page.getByText(`The address names nope, and no page of ${title} is called so.`).waitFor();
    await page.getByRole("link", { name: `Go to ${title}` }).click();
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
  });

  test("asks for another key when the one it has is not accepted any more", async () => {
    await using console = await openConsole({ key: "gone", path: "/console#/jobs" });
    await console.page.getByText("The key is not accepted any more").waitFor();
  });

  test.each(WIDTHS)("has every section, accessible and fitting: $width px", async (look) => {
    await using console = await openConsole(look);
    const { page } = console;
    for (const section of SECTIONS) {
      await page
        .getByRole("navigation", { name: "Sections" })
        .getByRole("link", { name: new RegExp(`^${section}\\b`) })
        .click();
      await page.getByRole("heading", { level: 1, name: section, exact: true }).waitFor();
      expect(await page.title()).toBe(`${section} · Volley console`);
      const current = page.getByRole("navigation", { name: "Sections" }).locator('[aria-current="page"]');
      const box = (await current.boundingBox())!;
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(look.width);
      await expectAccessible(page);
      await expectFits(page);
    }
  });

  test("is walked by keyboard only, and lets one skip the navigation", async () => {
    await using console = await openConsole();
    const { page } = console;
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    const links = page.getByRole("navigation", { name: "Sections" }).getByRole("link");
    await links.nth(3).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
  });

  test("says that it is offline, and that nothing was reached", async () => {
    await using console = await openConsole({ key: null, isApart: true });
    const { page, context } = console;
    await context.setOffline(true);
    await page.getByLabel("Your key").fill("sandbox-key");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("cannot be reached").waitFor();
    await context.setOffline(false);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    await context.setOffline(true);
    await page.getByText("You are offline").waitFor();
  });

  test("loads a page whose script could not be reached when the network is back", async () => {
    await using console = await openConsole({ isApart: true });
    const { page, context } = console;
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    await context.setOffline(true);
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Tools" }).click();
    await page.getByRole("alert").getByText("could not be loaded").waitFor();
    // The network is there before the console is reached.
    await page.route(/\/console$/, (route) => route.abort(), { times: 1 });
    await context.setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
  });

  test.each([
    ["Tools", "#/tools"],
    ["a tool", "#/tools/get_weather"],
  ])("asks for %s again when it is told to, or the network is back", async (_, hash) => {
    await using console = await openConsole({ path: "/console#/tools", isApart: true });
    const { page, context } = console;
    const go = (to: string): Promise<void> => page.evaluate((there) => void (location.hash = there), to);
    const known = page.getByRole("link", { name: /^get_weather/ });
    const shown = hash === "#/tools" ? known : page.getByRole("region", { name: "What it does" });
    await known.waitFor();
    await go("#/jobs");
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
    await page.route(/discover_tools|get_tool_schema/, (route) => route.abort());
    await go(hash);
    await page.getByRole("alert").getByText("cannot be reached").waitFor();
    await page.unrouteAll();
    await page.getByRole("button", { name: "Try again" }).click();
    await shown.waitFor();
    await go("#/jobs");
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
    await context.setOffline(true);
    await go(hash);
    await page.getByRole("alert").getByText("cannot be reached").waitFor();
    await context.setOffline(false);
    await shown.waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("asks again and again where the network is back before it reaches anything", async () => {
    await using console = await openConsole({ path: "/console#/tools" });
    const { page, context } = console;
    await page.getByRole("link", { name: /^get_weather/ }).waitFor();
    await page.evaluate(() => void (location.hash = "#/usage"));
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    await context.setOffline(true);
    await page.evaluate(() => void (location.hash = "#/tools"));
    await page.getByRole("alert").getByText("cannot be reached").waitFor();
    let missed = 0;
    await page.route("**/v1/discover_tools", (route) => {
      missed += 1;
      return missed <= 2 ? route.abort() : route.fallback();
    });
    await context.setOffline(false);
    await page.getByRole("link", { name: /^get_weather/ }).waitFor();
    expect(missed).toBeGreaterThan(2);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("shows one page where the address changes as soon as another was drawn", async () => {
    await using console = await openConsole({ path: "/console#/jobs" });
    const { page } = console;
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
    // Before its effects: these run in the frame after.
    await page.evaluate(() => {
      const leave = new MutationObserver(() => {
        if (document.querySelector("h1")?.textContent !== "Runs") return;
        leave.disconnect();
        location.hash = "#/run";
      });
      leave.observe(document.body, { childList: true, subtree: true, characterData: true });
      location.hash = "#/runs";
    });
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await page.locator("h1").allTextContents()).toEqual(["Playground"]);
  });

  test("says that the script of a page could not be loaded, and loads it again", async () => {
    await using console = await openConsole();
    const { page } = console;
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    // A tab that is older than a deploy meets this.
    await page.route(/\/console-\w+\.js$/, (route) => route.fulfill({ status: 404 }));
    const links = page.getByRole("navigation", { name: "Sections" });
    await links.getByRole("link", { name: "Tools" }).click();
    await page.getByRole("alert").getByText("could not be loaded").waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Load it again" }).click();
    await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
  });

  test.each([
    ["sign-in", "/console", null],
    ["Runs", "/console#/runs", ADMIN],
    ["the Playground", "/console#/run", ADMIN],
  ])("loads at most 100 KB for %s with its data, gzipped", async (_, path, key) => {
    await using console = await openConsole({ key, path: "/", isApart: true });
    const { page, url } = console;
    // Else what the page before asked for would be counted, and its answers are gone.
    await page.goto(`${url}/healthz`, { waitUntil: "networkidle" });
    const bodies: Promise<Buffer>[] = [];
    page.on("response", (response) => bodies.push(response.body()));
    await page.goto(`${url}${path}`);
    await page.locator("#key, #main h1").first().waitFor();
    await page.waitForLoadState("networkidle");
    const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
    expect(sizes.length).toBeGreaterThan(4);
    expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThanOrEqual(100_000);
  });

  test("T40 is served with a policy that lets nothing in, and none of it may be framed", async () => {
    await using console = await openConsole();
    for (const path of ["/", "/console", "/console.js", "/console.css"]) {
      const answer = await fetch(`${console.url}${path}`);
      expect(answer.status).toBe(200);
      const policy = answer.headers.get("content-security-policy")!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy).not.toContain("unsafe");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });
});
