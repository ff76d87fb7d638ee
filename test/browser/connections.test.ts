import { describe, expect, test } from "vitest";

import { signInAs } from "../../scripts/demo/sign-in-as.ts";
import { call, picture } from "./endpoint-samples.ts";
import { expectAccessible, expectFits, openConsole, WIDTHS } from "./open-console.ts";
import { sandboxUrl } from "./sandbox-url.ts";

const PATIENT = { timeout: 20_000 };
const ADMIN = "sandbox-admin-key";

/** Connect an account of a person of the sandbox to a subject. */
async function connect(
  connector: string,
  { subject, person, name }: { readonly subject: string; readonly person: string; readonly name?: string },
): Promise<void> {
  const started = await call("POST", "/v1/connections", { connector, subject, ...(name && { name }) });
  await signInAs(person, started.connect_url as string, sandboxUrl());
}

describe("The section Connections", () => {
  test.each(WIDTHS)(
    "shows by subject what is connected, as whom, and what it may: $width px",
    async ({ width }) => {
      await connect("google", { subject: "shown", person: "ada" });
      await connect("google", { subject: "shown", person: "grace", name: "work" });
      await connect("github", { subject: "shown_2", person: "ada" });
      await call("POST", "/v1/connections", { connector: "slack", subject: "shown_2" });
      await using console = await openConsole({
        key: ADMIN,
        width,
        path: "/console#/connections",
      });
      const { page } = console;
      const own = page.getByRole("region", { name: "Connections of shown", exact: true });
      await own.getByText("ada@gmail.sandbox.test").waitFor(PATIENT);
      await own.getByText("google (work)").waitFor();
      await own.getByText("grace@gmail.sandbox.test").waitFor();
      await own.getByText("gmail.modify").first().waitFor();
      const other = page.getByRole("region", { name: "Connections of shown_2" });
      await other.getByText("pending").waitFor();
      await other.getByText("link expires").waitFor();
      await picture(page, `connections-list-${width}`);
      await expectFits(page);
      await expectAccessible(page);
      await page.getByRole("searchbox", { name: "Subject" }).fill("shown_2");
      await page.keyboard.press("Enter");
      await own.waitFor({ state: "detached", ...PATIENT });
      await other.waitFor(PATIENT);
    },
  );

  test("makes a link for a subject, which connects it, and disconnects it again, by the keyboard alone", async () => {
    await using console = await openConsole({ key: ADMIN, path: "/console#/connections" });
    const { page, context, url } = console;
    await page.getByRole("form", { name: "An account to connect" }).waitFor(PATIENT);
    await page.getByLabel("Subject", { exact: true }).last().focus();
    await page.keyboard.type("typed");
    await page.keyboard.press("Tab");
    // The connectors of the deployment are there to choose from.
    await page.keyboard.type("google");
    await page.keyboard.press("Tab");
    await page.keyboard.type("ä");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("A name has 1 to 64 letters").waitFor(PATIENT);
    expect(await page.getByLabel("Name", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Name", { exact: true }).fill("");
    await page.keyboard.press("Enter");
    const link = page.getByRole("link", { name: "Connect the account" });
    await link.waitFor(PATIENT);
    await expectAccessible(page);
    await link.focus();
    const opened = context.waitForEvent("page");
    await page.keyboard.press("Enter");
    const tab = await opened;
    await tab.getByText("typed").first().waitFor(PATIENT);
    await signInAs("ada", tab.url(), url);
    await tab.close();
    const own = page.getByRole("region", { name: "Connections of typed" });
    await own.getByText("ada@gmail.sandbox.test").waitFor(PATIENT);
    await own.getByRole("button", { name: "Disconnect google of typed" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Disconnect google of typed?" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await own.waitFor({ state: "detached", ...PATIENT });
  });

  test("is not there for a key that may not manage connections", async () => {
    await using console = await openConsole({ key: "sandbox-key", path: "/console#/run" });
    const links = console.page.getByRole("navigation", { name: "Sections" }).getByRole("link");
    await links.first().waitFor(PATIENT);
    const names = (await links.allInnerTexts()).map((text) => text.trim());
    expect(names).toContain("Playground");
    expect(names).not.toContain("Connections");
  });
});

test("an action that misses an account shows the link for it where it was sent, and not in its run", async () => {
  await using console = await openConsole({ key: ADMIN, path: "/console#/run" });
  const { page, url } = console;
  const batch = {
    subject: "missing",
    actions: [{ id: "mail", tool: "search_outlook", args: { query: "x" } }],
  };
  await page.getByRole("textbox", { name: "Batch, as JSON" }).fill(JSON.stringify(batch));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const link = page.getByRole("link", { name: "Connect the account" });
  await link.first().waitFor(PATIENT);
  await page.getByText("Give missing the link").first().waitFor();
  expect(await link.first().getAttribute("href")).toContain("/connect/");
  const { batch_id: id } = await call("POST", "/v1/execute_actions", batch);
  await page.goto(`${url}/console#/runs/${id}`);
  await page
    .getByRole("list", { name: "Actions over time" })
    .getByRole("button")
    .filter({ hasText: "mail" })
    .click(PATIENT);
  await page.getByText("stands in the answer alone").waitFor(PATIENT);
  expect(await link.count()).toBe(0);
  await picture(page, "connections-run-1440");
  await expectAccessible(page);
});
