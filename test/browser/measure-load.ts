/**
 * Measure how long the first pages take on a slow device: 4 times slower CPU, 1.6 Mbit/s, 150 ms round trip, the median of five.
 *
 *   node test/browser/measure-load.ts http://127.0.0.1:8787
 */
import { launchBrowser } from "./launch-browser.ts";

const [origin = "http://127.0.0.1:8787"] = process.argv.slice(2);
/** Each page, and what a person waits for on it. */
const PAGES = { "/console": "#key", "/console#/run": "#batch", "/portal": "h1" } as const;
const SLOW = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const TIMES = 5;

const browser = await launchBrowser();
for (const [path, selector] of Object.entries(PAGES)) {
  const times: number[] = [];
  for (let turn = 0; turn < TIMES; turn += 1) {
    // A fresh context has an empty cache.
    const context = await browser.newContext();
    const page = await context.newPage();
    if (selector === "#batch")
      await page.addInitScript(() => sessionStorage.setItem("volley-key", "sandbox-key"));
    const debug = await context.newCDPSession(page);
    await debug.send("Network.enable");
    await debug.send("Network.emulateNetworkConditions", SLOW);
    await debug.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    const began = performance.now();
    await page.goto(`${origin}${path}`, { waitUntil: "commit" });
    await page.locator(selector).first().waitFor();
    times.push(performance.now() - began);
    await context.close();
  }
  const median = times.toSorted((a, b) => a - b)[Math.floor(TIMES / 2)]!;
  console.log(`${path}: ${Math.round(median)} ms`);
}
await browser.close();
