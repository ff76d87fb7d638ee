import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";

import { OauthProgram } from "../support/oauth-browser.ts";
import { expectAccessible, openConsole, WIDTHS } from "./open-console.ts";

/** A program on the person's computer: its way back, and a page of its own that frames whatever it is told to. */
const program = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, "http://127.0.0.1");
  response.setHeader("content-type", "text/html");
  response.end(
    pathname === "/frame"
      ? `<h1>A game</h1><iframe src="${searchParams.get("of")!.replaceAll("&", "&amp;")}"></iframe>`
      : "<h1>Welcome back</h1>",
  );
}).listen(0, "127.0.0.1");
await once(program, "listening");
const ownUrl = `http://127.0.0.1:${(program.address() as AddressInfo).port}`;
afterAll(() => program.close());

/** Register a program, and open the page that asks about it. */
async function ask(width: number) {
  const opened = await openConsole({ key: null, width });
  const asking = new OauthProgram(opened.url, `${ownUrl}/callback`);
  await asking.register();
  await opened.page.goto(asking.address().href);
  return { ...opened, asking };
}

const isWide = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

describe("A person lets a program in", () => {
  test.each(WIDTHS)("in a window of $width pixels, with the keyboard alone", async ({ width }) => {
    const { page, context, complaints, asking } = await ask(width);
    await expectAccessible(page);
    expect(await isWide(page)).toBe(false);
    await page.getByLabel("Your Volley key").focus();
    await page.keyboard.type("sandbox-key");
    await page.keyboard.press("Enter");
    await page.getByText("Reads only").waitFor();
    await expectAccessible(page);
    expect(await isWide(page)).toBe(false);
    await page.getByLabel("Only these categories").focus();
    await page.keyboard.press("Space");
    await page.getByLabel("weather").focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Yes, let it in" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Welcome back").waitFor();
    const code = new URL(page.url()).searchParams.get("code")!;
    const tokens = (await (await asking.redeem(code)).json()) as { scope: string };
    expect(tokens.scope).toBe("category:weather");
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("T51 not in the frame of another page", async () => {
    const { page, context, asking } = await ask(1440);
    await page.getByText("Your Volley key").waitFor();
    await page.goto(`${ownUrl}/frame?of=${encodeURIComponent(asking.address().href)}`);
    const [, frame] = page.frames();
    expect(await frame!.content()).not.toContain("Your Volley key");
    await context.close();
  });
});
