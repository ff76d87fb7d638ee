import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, describe, expect, test } from "vitest";

import { OauthProgram } from "../support/oauth-browser.ts";
import { expectAccessible, expectFits, openConsole, WIDTHS } from "./open-console.ts";

const ADMIN = "sandbox-admin-key";
/** Where the program is called back. */
const server = createServer((_, response) => void response.end("Back")).listen(0, "127.0.0.1");
await once(server, "listening");
const callback = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
afterAll(() => server.close());
const PATIENT = { timeout: 30_000 };

describe("Keys", () => {
  test.each(WIDTHS)(
    "has those of the configuration, flags by name, and when they were used last: $width px",
    async (look) => {
      await using console = await openConsole({ ...look, key: ADMIN, path: "/console#/keys" });
      const { page } = console;
      const own = page.getByRole("row").filter({ hasText: "set in the configuration" });
      await own.getByText("admin", { exact: true }).waitFor(PATIENT);
      await own.getByText("approve", { exact: true }).waitFor();
      // A key gives no flag that it does not have.
      expect(await page.getByRole("checkbox", { name: "Can see all tenants" }).count()).toBe(0);
      expect(await page.getByRole("checkbox", { name: "Can approve" }).count()).toBe(1);
      // The page itself has used it.
      await own.locator('[data-label="Last used, within 1 h"] time').waitFor();
      expect(await own.getByRole("button").count()).toBe(0);
      await expectAccessible(page);
      await expectFits(page);
    },
  );

  test("says at its field why a name is refused", async () => {
    await using console = await openConsole({ key: ADMIN, path: "/console#/keys" });
    const { page } = console;
    await page.getByRole("textbox", { name: "Name" }).fill("a b", PATIENT);
    await page.getByRole("button", { name: "Make a key" }).click();
    await page.getByRole("alert").getByText("A name has 1 to 64 letters").waitFor();
    expect(await page.getByRole("textbox", { name: "Name" }).getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => page.evaluate(() => document.activeElement!.id)).toBe("key-name");
  });

  test("makes a key for a tool that is not there yet, and says that it is not", async () => {
    await using console = await openConsole({ key: ADMIN, path: "/console#/keys" });
    const { page } = console;
    await page.getByRole("textbox", { name: "Name" }).fill("early", PATIENT);
    await page.getByRole("textbox", { name: "Tools" }).fill("get_weather, weather, get_wether");
    await page.getByRole("button", { name: "Make a key" }).click();
    await page.getByText("The key early", { exact: true }).waitFor(PATIENT);
    const said = page.getByText("No tool or category is called");
    await said.waitFor(PATIENT);
    expect(await said.innerText()).toContain("is called get_wether. The key may call it once");
    await expectAccessible(page);
    await page.getByRole("textbox", { name: "Name" }).fill("usual");
    await page.getByRole("textbox", { name: "Tools" }).fill("*");
    await page.getByRole("button", { name: "Make a key" }).click();
    await page.getByText("The key usual", { exact: true }).waitFor(PATIENT);
    await page.waitForLoadState("networkidle");
    expect(await said.count()).toBe(0);
  });
});

describe("Signed-in programs", () => {
  test.each(WIDTHS)("lists the programs that were let in, and signs one out: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: "sandbox-key", path: "/console#/sign-ins" });
    const { page, url } = console;
    await page.getByRole("heading", { level: 1, name: "Signed-in programs" }).waitFor();
    const program = new OauthProgram(url, callback);
    await program.register();
    const tab = await console.context.newPage();
    await tab.goto(program.address().href);
    await tab.getByLabel("Your Volley key").fill("sandbox-key");
    await tab.keyboard.press("Enter");
    await tab.getByText("Reads only").waitFor(PATIENT);
    await tab.getByRole("button", { name: "Yes, let it in" }).click();
    await tab.getByText("Back").waitFor(PATIENT);
    await program.redeem(new URL(tab.url()).searchParams.get("code")!);
    await tab.close();
    await page.reload();
    const end = page.getByRole("button", { name: /^End access ./ });
    await end.first().waitFor(PATIENT);
    const before = await end.count();
    await expectAccessible(page);
    await expectFits(page);
    await end.first().click();
    await page.getByRole("dialog").getByRole("button", { name: "End access" }).click();
    await expect.poll(() => end.count(), PATIENT).toBe(before - 1);
  });
});
