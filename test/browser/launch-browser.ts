import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** Made for functions that run one page and end: with these, a browser ends with its first context. */
const ONE_PAGE_ONLY = new Set(["--single-process", "--no-zygote"]);

/** Start the browser that npm brought, without a window. */
export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args.filter((arg) => !ONE_PAGE_ONLY.has(arg)),
    headless: true,
  });
}
