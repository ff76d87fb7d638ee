import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";

import { launchBrowser } from "./launch-browser.ts";
import { sandboxUrl } from "./sandbox-url.ts";

/** How the console is opened; as a key's owner on a desktop, where nothing is said. */
export interface Opening {
  /** A key of the sandbox, or null for none. */
  readonly key?: string | null;
  readonly width?: number;
  /** The address behind the origin: `/console#/jobs`. */
  readonly path?: string;
}

/** A page of the console that fails its test, when it is closed, for what a browser reports. */
export interface OpenConsole extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly url: string;
  /** The faults of the page so far: errors, and violations of its policy. */
  readonly complaints: readonly string[];
}

let started: Promise<Browser> | undefined;
process.once("exit", () => void started?.then((browser) => browser.close()));

/** Open the console in a context of its own: its own storage, as a tab of somebody else. */
export async function openConsole({
  key = "sandbox-key",
  width = 1440,
  path = "/console#/run",
}: Opening = {}): Promise<OpenConsole> {
  started ??= launchBrowser();
  const browser = await started;
  const url = sandboxUrl();
  const context = await browser.newContext({
    viewport: { width, height: width < 600 ? 780 : 900 },
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A refusal is the API's to say and the page's to show; the browser logs each as well.
    const isAnswer = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isAnswer) complaints.push(`console: ${message.text()}`);
  });
  await page.addInitScript((kept) => {
    if (kept !== null && sessionStorage.getItem("volley-key") === null)
      sessionStorage.setItem("volley-key", kept);
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      console.error(`policy: ${violatedDirective} ${blockedURI}`),
    );
  }, key);
  await page.goto(`${url}${path}`);
  await page.locator("h1").first().waitFor();
  return {
    page,
    context,
    url,
    complaints,
    async [Symbol.asyncDispose]() {
      await context.close();
      expect(complaints).toEqual([]);
    },
  };
}

type Axe = typeof axe;

/** A telephone and a desktop. */
export const WIDTHS = [{ width: 360 }, { width: 1440 }] as const;

/** Nothing that axe finds serious or critical, by the rules of WCAG 2.2 A and AA; its colors can be read in light and dark alike. */
export async function expectAccessible(page: Page): Promise<void> {
  // By the debugger's way in: the page's own policy lets no such script in.
  await page.evaluate(`${axe.source};0`);
  const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  expect(await findFaults(page, rules)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await findFaults(page, ["color-contrast"]), "in the dark").toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
}

function findFaults(page: Page, runOnly: string[]): Promise<string[]> {
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { readonly axe: Axe };
    const { violations } = await axe.run(document, { runOnly: only, resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`,
      );
  }, runOnly);
}

/** Nothing is wider than the page: no reader has to scroll sideways. */
export async function expectFits(page: Page): Promise<void> {
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  expect(scroll).toBeLessThanOrEqual(client);
}
