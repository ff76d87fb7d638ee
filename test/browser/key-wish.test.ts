import { expect, test } from "vitest";

import { openConsole } from "./open-console.ts";

test("A wish for a first key has every field as it stands when it is sent, whatever was refused before", async () => {
  await using console = await openConsole({ key: null });
  const { page } = console;
  await page.getByText("Make an entry for VOLLEY_KEYS").click();
  await page.getByRole("textbox", { name: "Name" }).fill("a b");
  await page.getByLabel("Tenant", { exact: true }).fill("first-tenant");
  await page.getByRole("textbox", { name: "Tools" }).fill("maps");
  await page.getByLabel("Can add tools and flows").check();
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.getByRole("alert").getByText("letters").waitFor();
  await page.getByRole("textbox", { name: "Name" }).fill(" nightly ");
  await page.getByLabel("Tenant", { exact: true }).fill("acme");
  await page.getByRole("textbox", { name: "Tools" }).fill("maps, email");
  await page.getByLabel("Can add tools and flows").uncheck();
  await page.getByLabel("Can approve").check();
  await page.getByLabel("Can make and revoke keys").check();
  await page.getByRole("button", { name: "Make a key" }).click();
  const entry = await page.getByLabel("Entry for VOLLEY_KEYS, a JSON array of such entries").innerText();
  expect(JSON.parse(entry)).toEqual({
    name: "nightly",
    tenant: "acme",
    tools: ["maps", "email"],
    flags: ["approve", "manage_keys"],
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test("A wish for a key of the tenant is sent with its name, tools and flags, and without a tenant", async () => {
  await using console = await openConsole({ key: "sandbox-admin-key", path: "/console#/keys" });
  const { page } = console;
  const sent: unknown[] = [];
  await page.route("**/v1/keys", (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    sent.push(route.request().postDataJSON());
    return route.fulfill({ status: 201, json: {} });
  });
  await page.getByRole("textbox", { name: "Name" }).fill("wished");
  await page.getByRole("textbox", { name: "Tools" }).fill("maps,email");
  await page.getByLabel("Can skip approval").check();
  expect(await page.getByLabel("Tenant", { exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.locator("p.key-shown").waitFor();
  expect(sent).toEqual([
    {
      name: "wished",
      tools: ["maps", "email"],
      flags: ["skip_approval"],
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  ]);
});
