/**
 * Take the pictures of the console and of the portal that the documentation shows: `docs/images`.
 *
 *   npm run screenshots
 */
import type { Browser, Page } from "playwright-core";

import { launchBrowser } from "./launch-browser.ts";
import { pictureConnections } from "./picture-connections.ts";
import { picturePortal } from "./picture-portal.ts";
import startSandbox from "./start-sandbox.ts";

const KEY = "sandbox-key";
const BATCH = {
  actions: [
    {
      id: "shops",
      tool: "google-maps-search",
      args: { query: "oil change near Phoenix, AZ", max_results: 2 },
    },
    { id: "weather", tool: "get_weather", args: { city: "Phoenix" } },
    {
      id: "recalls",
      tool: "nhtsa-recall-search",
      args: { year: 2020, make: "Toyota", model: "Camry" },
    },
    {
      id: "reviews",
      tool: "web-search",
      for_each: { $ref: "shops#/places" },
      args: { query: { $template: "{{item#/name}} reviews" }, max_results: 1 },
    },
    {
      id: "mail",
      tool: "send_email",
      args: {
        to: ["you@example.com"],
        subject: { $ref: "shops#/places/0/name" },
        body: { $template: "{{shops#/places/0/address}}: {{reviews#/0/data/results/0/title}}" },
      },
    },
  ],
};
const QUESTION = {
  actions: [{ id: "meeting", tool: "delete_calendar_event", args: { event_id: "team-sync" } }],
};

/** A run with an action of each end: one waits in a queue, one becomes a job, one is lost. */
const EVERY_END = {
  tags: ["nightly", "customer-17"],
  actions: [
    ...BATCH.actions.slice(0, 4),
    { id: "lamps", tool: "probe-search", args: { q: "lamp", d: 400 } },
    { id: "lamp", tool: "probe-item", args: { id: { $ref: "lamps#/items/0/id" }, d: 150 } },
    { id: "first", tool: "probe-serial", args: { n: 1, d: 250 } },
    { id: "second", tool: "probe-serial", args: { n: 2, d: 250 } },
    { id: "stock", tool: "probe-eco", args: { n: 1 } },
    { id: "mail", tool: "send_email", args: { to: ["you@example.com"], subject: "Lamps", body: "Found." } },
    { id: "remove", tool: "probe-delete", args: { id: { $ref: "lamps#/items/1/id" } } },
    { id: "order", tool: "probe-write", args: { n: 1, d: 20_000 }, timeout_ms: 650 },
  ],
};

/** Several sandboxes share the tests; one is enough here. */
let origin = "";
const stop = await startSandbox({
  provide: (_: string, urls: readonly string[]) => void (origin = urls[0]!),
} as never);
const browser = await launchBrowser();
try {
  const trace = await sendBatch(EVERY_END);
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await open(browser, { width: 1440, height: 860, colorScheme });
    await page.goto(`${origin}/console#/runs/${trace.batch_id}`);
    // Its status follows its job, which is over within a second.
    await page.locator(".run-facts .status").first().filter({ hasNotText: "running" }).waitFor();
    // Its jobs and its undo come after the trace.
    for (const said of ["answered in", "There is no undo"]) await page.getByText(said).waitFor();
    await page.screenshot({ path: `docs/images/trace-${colorScheme}.png` });
    await page.goto(`${origin}/console#/run`);
    const editor = page.getByRole("textbox", { name: "Batch, as JSON" });
    await editor.fill(JSON.stringify(BATCH, null, 2));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("times as fast").waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.screenshot({ path: `docs/images/run-${colorScheme}.png` });
    if (colorScheme === "light") {
      await page.getByRole("button", { name: "Plan", exact: true }).click();
      await page.getByText("Step 2").first().waitFor();
      await page.screenshot({ path: "docs/images/plan.png" });
    }
    await page.close();
  }
  const asking = await registerProgram();
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await open(browser, { width: 360, height: 640, colorScheme });
    await page.goto(asking);
    await page.screenshot({ path: `docs/images/sign-in-${colorScheme}.png`, fullPage: true });
    if (colorScheme === "light") {
      await page.getByLabel("Your Volley key").fill(KEY);
      await page.getByRole("button", { name: "Continue with the key" }).click();
      await page.getByText("Reads only").waitFor();
      await page.screenshot({ path: "docs/images/sign-in-choice.png" });
    }
    await page.close();
  }
  const { results } = await sendBatch(QUESTION);
  const phone = await open(browser, { width: 390, height: 780, colorScheme: "light" });
  await phone.goto(results[0]!.confirmation!.url);
  await phone.getByRole("button", { name: "Approve", exact: true }).waitFor();
  await phone.screenshot({ path: "docs/images/confirmation-phone.png" });
  await picturePortal(browser, origin);
  await pictureConnections(browser, origin);
} finally {
  await browser.close();
  await stop();
}

/** Register a program; the address at which a person is asked about it. */
async function registerProgram(): Promise<string> {
  const redirectUri = "https://claude.ai/api/mcp/auth_callback";
  const answer = await fetch(`${origin}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Claude",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
    }),
  });
  const { client_id } = (await answer.json()) as { client_id: string };
  const query = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: redirectUri,
    code_challenge: "A".repeat(43),
    code_challenge_method: "S256",
    scope: "tools:read",
  });
  return `${origin}/authorize?${query}`;
}

interface Answered {
  readonly batch_id: string;
  readonly results: readonly { readonly confirmation?: { readonly url: string } }[];
}

async function sendBatch(batch: object): Promise<Answered> {
  const answer = await fetch(`${origin}/v1/execute_actions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(batch),
  });
  return (await answer.json()) as Answered;
}

async function open(
  opened: Browser,
  { width, height, colorScheme }: { width: number; height: number; colorScheme: "light" | "dark" },
): Promise<Page> {
  const page = await opened.newPage({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
  await page.addInitScript((key) => sessionStorage.setItem("volley-key", key), KEY);
  return page;
}
