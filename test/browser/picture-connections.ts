import type { Browser, Page } from "playwright-core";

import { signInAs } from "../../scripts/demo/sign-in-as.ts";

const KEY = "sandbox-admin-key";

/** Take the pictures of the page behind a link, and of the accounts of two people in the console. */
export async function pictureConnections(browser: Browser, origin: string): Promise<void> {
  const start = async (connector: string, subject: string, more: object = {}): Promise<string> => {
    const answer = await fetch(`${origin}/v1/connections`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ connector, subject, ...more }),
    });
    const { connect_url: url } = (await answer.json()) as { connect_url: string };
    return url;
  };
  const open = async (address: string, size: { width: number; height: number }): Promise<Page> => {
    const page = await browser.newPage({ viewport: size, colorScheme: "light", reducedMotion: "reduce" });
    await page.addInitScript((key) => sessionStorage.setItem("volley-key", key), KEY);
    await page.goto(address);
    return page;
  };
  const link = await open(await start("google", "user_42"), { width: 360, height: 640 });
  await link.getByRole("button", { name: /^Go on to/ }).waitFor();
  await link.screenshot({ path: "docs/images/connect.png", fullPage: true });
  await link.close();

  await signInAs("ada", await start("google", "user_17"), origin);
  await signInAs("grace", await start("google", "user_17", { name: "work" }), origin);
  await signInAs("ada", await start("github", "user_17"), origin);
  await signInAs("grace", await start("slack", "user_42"), origin);
  const console = await open(`${origin}/console#/connections`, { width: 1440, height: 900 });
  await console.getByText("ada@gmail.sandbox.test").waitFor();
  await console.screenshot({ path: "docs/images/connections.png" });
  await console.close();
}
