import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type axe from "axe-core";
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
  /** Whether it has a context that no other test had, nor gets: for an empty cache, a clock that is set, a network that goes. */
  readonly isApart?: boolean;
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

/** A context that tests share one after another. A page stays in it, so that its process does, which has compiled the console's scripts. */
interface Shared {
  readonly context: BrowserContext;
  readonly width: number;
  readonly stays?: Page;
}
const free: Shared[] = [];

async function makeContext(width: number): Promise<Shared> {
  started ??= launchBrowser();
  const browser = await started;
  const context = await browser.newContext({
    viewport: { width, height: width < 600 ? 780 : 900 },
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  return { context, width };
}

/** Leave a context as its first test found it, but for the cache of the browser. */
async function leave(shared: Shared): Promise<void> {
  const { context, width, stays = await context.newPage() } = shared;
  if (shared.stays === undefined) await stays.goto(`${sandboxUrl()}/healthz`);
  const left = context.pages().filter((page) => page !== stays);
  await Promise.all(left.map((page) => page.close()));
  const debug = await context.newCDPSession(stays);
  await debug.send("Storage.clearDataForOrigin", { origin: sandboxUrl(), storageTypes: "all" });
  await debug.detach();
  free.push({ context, width, stays });
}

/** Open the console with a storage of its own, as a tab of somebody else. */
export async function openConsole({
  key = "sandbox-key",
  width = 1440,
  path = "/console#/run",
  isApart = false,
}: Opening = {}): Promise<OpenConsole> {
  const url = sandboxUrl();
  const at = isApart ? -1 : free.findIndex((shared) => shared.width === width);
  const shared = free.splice(at, at < 0 ? 0 : 1)[0] ?? (await makeContext(width));
  const { context } = shared;
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
      await (isApart ? context.close() : leave(shared));
      expect(complaints).toEqual([]);
    },
  };
}

type Axe = typeof axe;
/** Half as long as the source that it has of itself. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A telephone and a desktop. */
export const WIDTHS = [{ width: 360 }, { width: 1440 }] as const;

/** Nothing that axe finds serious or critical, by the rules of WCAG 2.2 A and AA; its colors can be read in light and dark alike. */
export async function expectAccessible(page: Page): Promise<void> {
  // By the debugger's way in: the page's own policy lets no such script in.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(`${AXE};0`);
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
