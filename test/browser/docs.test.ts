import { describe, expect, test, vi } from "vitest";

import { expectAccessible, expectFits, type OpenConsole, openConsole, WIDTHS } from "./open-console.ts";
import { sandboxUrl } from "./sandbox-url.ts";

/* The documentation at /docs, as the sandbox serves what `npm run docs` has built. */

const url = sandboxUrl();

/** Open a page and wait until its script has begun: before, a key or a click does nothing. */
async function openPage(path: string): Promise<OpenConsole> {
  const site = await openConsole({ key: null, path });
  await vi.waitFor(
    async () =>
      expect(await site.page.evaluate(() => "__vue_app__" in document.querySelector("#app")!)).toBe(true),
    { timeout: 30_000, interval: 50 },
  );
  return site;
}

describe("The documentation", () => {
  test.each(WIDTHS)("is open, accessible and fits: $width px", async (look) => {
    for (const path of ["/docs/", "/docs/ways", "/docs/first-tool"]) {
      await using site = await openConsole({ ...look, key: null, path });
      await expectAccessible(site.page);
      await expectFits(site.page);
    }
  });

  test("is searched by keyboard, and a result leads to its heading", async () => {
    await using site = await openPage("/docs/");
    const { page } = site;
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Search").fill("quota of a key");
    const first = page.locator(".VPLocalSearchBox .results a").first();
    await first.waitFor();
    const address = (await first.getAttribute("href"))!;
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${url}${address}`);
    await page.locator("main h1").first().waitFor();
    expect(address).toMatch(/^\/docs\//);
  });

  test("copies a block of code as it stands there", async () => {
    await using site = await openPage("/docs/readme");
    const { page } = site;
    const block = page.locator('.vp-doc div[class*="language-"]').first();
    await block.hover();
    await block.locator("button.copy").click();
    await page.locator("button.copy.copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied.trim()).toBe((await block.locator("code").innerText()).trim());
  });

  test("is read in the dark where the reader says so, and again on the next visit", async () => {
    await using site = await openPage("/docs/");
    const { page } = site;
    await page.getByRole("switch", { name: /dark/i }).first().click();
    await page.locator("html.dark").waitFor();
    await page.reload();
    await page.locator("html.dark").waitFor();
    await expectAccessible(page);
  });

  test("has no link that leads nowhere, and every page that /llms.txt names", async () => {
    const linksOf = (html: string): readonly string[] =>
      [...html.matchAll(/ href="(\/docs\/[^"#]*)/g)].map(([, href]) => href!);
    const seen = new Set(["/docs/"]);
    const dead: string[] = [];
    for (const path of seen) {
      const answer = await fetch(`${url}${path}`, { headers: { accept: "text/html" } });
      if (answer.status !== 200) dead.push(path);
      const html = await answer.text();
      if (answer.headers.get("content-type")?.startsWith("text/html") === true)
        for (const link of linksOf(html)) seen.add(link);
    }
    expect(dead).toEqual([]);
    const named = (await (await fetch(`${url}/llms.txt`)).text()).matchAll(/\]\((\/docs\/[^)]*)\)/g);
    expect([...named].map(([, path]) => path!).filter((path) => !seen.has(path))).toEqual([]);
  });

  test("says of a page that is not there where the others are", async () => {
    await using site = await openConsole({ key: null, path: "/docs/nowhere" });
    await site.page.getByRole("link", { name: "All pages" }).click();
    await site.page.getByRole("heading", { level: 1, name: "Documentation" }).waitFor();
  });

  test("T40 is served with a policy that lets nothing in", async () => {
    const policy = (await fetch(`${url}/docs/`)).headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
  });
});
