import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** Made for functions that run one page and end: with these, a browser ends with its first context. */
const ONE_PAGE_ONLY = ["--single-process", "--no-zygote"];
/** A graphics card in software: each context would start it anew, which takes longer than all that a test draws. */
const GRAPHICS = ["--ignore-gpu-blocklist", "--in-process-gpu", "--use-", "--enable-unsafe-swiftshader"];
const UNWANTED = [...ONE_PAGE_ONLY, ...GRAPHICS];

/** Start the browser that npm brought, without a window. */
export async function launchBrowser(): Promise<Browser> {
  const args = chromium.args.filter((arg) => UNWANTED.every((unwanted) => !arg.startsWith(unwanted)));
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // All pages of a context in one process.
    args: [...args, "--disable-gpu", "--renderer-process-limit=1"],
    headless: true,
  });
}
