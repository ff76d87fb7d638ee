import { describe, expect, test } from "vitest";

import { openConsole, type OpenConsole } from "./open-console.ts";

type Page = OpenConsole["page"];

const RUN_PATH = "**/v1/execute_actions";

/** One action is over at once, one after two seconds, and one needs a person's yes. */
const BATCH = {
  actions: [
    { id: "quick", tool: "probe-echo", args: { n: 1 } },
    { id: "slow", tool: "probe-search", args: { q: "lamp", d: 2_000 } },
    { id: "gone", tool: "probe-delete", args: { id: "lamp-1" } },
  ],
};

const editorOf = (page: Page) => page.getByRole("textbox", { name: "Batch, as JSON" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
const rowsOf = (page: Page) => page.getByRole("list", { name: "Actions over time" }).getByRole("listitem");

async function go(page: Page, section: string): Promise<void> {
  await page
    .getByRole("navigation", { name: "Sections" })
    .getByRole("link", { name: new RegExp(`^${section}\\b`) })
    .click();
  await page.getByRole("heading", { level: 1, name: section, exact: true }).waitFor();
}

async function run(page: Page, batch: unknown = BATCH): Promise<void> {
  await editorOf(page).fill(JSON.stringify(batch, null, 2));
  await button(page, "Run").click();
}

/** The batches that were sent to be run, with the key that sent them. */
function watchSent(page: Page): { readonly key: string; readonly body: string }[] {
  const sent: { readonly key: string; readonly body: string }[] = [];
  page.on("request", (request) => {
    const body = request.postData() ?? "";
    if (request.url().endsWith("/v1/execute_actions") && !body.includes("dry_run"))
      sent.push({ key: request.headers()["authorization"] ?? "", body });
  });
  return sent;
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("Your key").fill(key);
  await button(page, "Sign in").click();
  await page.getByRole("heading", { level: 1 }).filter({ hasNotText: "Console" }).waitFor();
}

describe("A run", () => {
  test("goes on while other sections are shown, and is there with its live state whenever one comes back", async () => {
    await using console = await openConsole();
    const { page } = console;
    await run(page);
    await rowsOf(page)
      .filter({ hasText: /quick.*success/s })
      .waitFor();
    for (const section of ["Jobs", "Tools", "Usage"]) await go(page, section);
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await heading(page, "Running").waitFor();
    await rowsOf(page)
      .filter({ hasText: /quick.*success/s })
      .waitFor();
    await rowsOf(page)
      .filter({ hasText: /slow.*running/s })
      .waitFor();
    await page.goForward();
    await page.goBack();
    await heading(page, "Done").waitFor();
    await rowsOf(page)
      .filter({ hasText: /slow.*success/s })
      .waitFor();
    await go(page, "Flows");
    await go(page, "Playground");
    await heading(page, "Done").waitFor();
  });

  test("is there after Decide, the decision and Back", async () => {
    await using console = await openConsole();
    const { page } = console;
    await run(page, { actions: [BATCH.actions[2], BATCH.actions[0]] });
    await heading(page, "Done").waitFor();
    await page.getByRole("link", { name: "Decide" }).click();
    await button(page, "Reject").click();
    await page.getByText("You rejected it").waitFor();
    await page.goBack();
    await heading(page, "Done").waitFor();
    await rowsOf(page)
      .filter({ hasText: /gone.*waiting for approval/s })
      .waitFor();
    expect(JSON.parse(await editorOf(page).inputValue())).toMatchObject({ actions: [{ id: "gone" }, {}] });
  });

  test("is followed no more from where one came back to, and another one is run from there", async () => {
    await using console = await openConsole();
    const { page } = console;
    const sent = watchSent(page);
    await run(page, { actions: [{ id: "slow", tool: "probe-search", args: { q: "a", d: 20_000 } }] });
    await heading(page, "Running").waitFor();
    await go(page, "Jobs");
    await page.goBack();
    await heading(page, "Running").waitFor();
    // A second one is not begun beside it.
    await button(page, "Run").click({ force: true });
    await button(page, "Stop following").click();
    await heading(page, "No longer followed").waitFor();
    expect(sent).toHaveLength(1);
    await run(page, { actions: [BATCH.actions[0]] });
    await heading(page, "Done").waitFor();
    expect(sent).toHaveLength(2);
  });

  test("whose connection is cut while another section is shown is sent again under its key, and found there", async () => {
    await using console = await openConsole();
    const { page } = console;
    let lost = 0;
    let cut = (): void => {};
    const isCut = new Promise<void>((resolve) => (cut = resolve));
    await page.route(RUN_PATH, async (route) => {
      if (route.request().postDataJSON().dry_run === true || lost > 0) return route.fallback();
      lost += 1;
      await isCut;
      return route.abort("connectionreset");
    });
    await page.getByRole("checkbox", { name: "Idempotency-Key" }).check();
    await run(page, { actions: [BATCH.actions[0]] });
    await go(page, "Tools");
    cut();
    await page.goBack();
    await heading(page, "Done").waitFor();
    await page.getByText("sent again with the same Idempotency-Key, 1 time").waitFor();
  });

  test("is shown instead of a plan that was asked for before it and answered after it", async () => {
    await using console = await openConsole();
    const { page } = console;
    let answer = (): void => {};
    let plans = 0;
    await page.route(RUN_PATH, async (route) => {
      if (route.request().postDataJSON().dry_run === true && (plans += 1) === 1)
        await new Promise<void>((resolve) => (answer = resolve));
      return route.fallback();
    });
    await editorOf(page).fill(JSON.stringify({ actions: [BATCH.actions[0]] }));
    await button(page, "Plan").click();
    await page.getByText("Planning…").waitFor();
    await button(page, "Run").click();
    await heading(page, "Done").waitFor();
    const planned = page.waitForResponse((response) => response.url().endsWith("/v1/execute_actions"));
    answer();
    await (await planned).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await heading(page, "Done").count()).toBe(1);
    expect(await heading(page, "Plan").count()).toBe(0);
  });

  test("goes on, reads too, when the page is left, and the page that is loaded again follows it to its end", async () => {
    await using console = await openConsole();
    const { page } = console;
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    const sent = watchSent(page);
    await run(page, { actions: [BATCH.actions[0], { ...BATCH.actions[1], args: { q: "a", d: 4_000 } }] });
    await rowsOf(page)
      .filter({ hasText: /quick.*success/s })
      .waitFor();
    await page.reload();
    await heading(page, "Running").waitFor();
    await rowsOf(page)
      .filter({ hasText: /quick.*success/s })
      .waitFor();
    await heading(page, "Done").waitFor();
    await rowsOf(page)
      .filter({ hasText: /slow.*success/s })
      .waitFor();
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    // One that is over is there with its digits after a reload.
    await run(page, { actions: [{ id: "digits", tool: "probe-echo", args: { n: 1 } }] });
    await heading(page, "Done").waitFor();
    await page.reload();
    await heading(page, "Done").waitFor();
    await rowsOf(page)
      .filter({ hasText: /digits.*success/s })
      .waitFor();
    expect(asked).toEqual([]);
  });

  test("T03 belongs to one key: a key that is forgotten takes its runs with it, while they run and afterwards", async () => {
    await using console = await openConsole();
    const { page } = console;
    await run(page);
    await rowsOf(page)
      .filter({ hasText: /quick.*success/s })
      .waitFor();
    await button(page, "Sign out").click();
    await signIn(page, "sandbox-other-key");
    await page.getByText("Nothing has run yet").waitFor();
    // The first key's run goes on to its end; nothing of it comes to this page.
    await page.waitForTimeout(2_500);
    expect(await page.getByText("Nothing has run yet").count()).toBe(1);
    expect(await page.getByRole("status").allInnerTexts()).not.toContainEqual(
      expect.stringContaining("Done"),
    );
    await page.reload();
    await page.getByText("Nothing has run yet").waitFor();
  });

  test("T03 is shown to no other key after its own was refused", async () => {
    await using console = await openConsole();
    const { page } = console;
    await run(page, { actions: [BATCH.actions[0]] });
    await heading(page, "Done").waitFor();
    await page.route("**/v1/jobs*", (route) => route.fulfill({ status: 401, body: "{}" }));
    await page.getByRole("navigation").getByRole("link", { name: "Jobs" }).click();
    await page.getByText("The key is not accepted any more").waitFor();
    await page.unroute("**/v1/jobs*");
    await signIn(page, "sandbox-other-key");
    await go(page, "Playground");
    await page.getByText("Nothing has run yet").waitFor();
  });

  test("is never sent again under another key, however its connection ends", async () => {
    await using console = await openConsole();
    const { page } = console;
    const sent = watchSent(page);
    let cut = (): void => {};
    await page.route(RUN_PATH, async (route) => {
      if (route.request().postDataJSON().dry_run === true) return route.fallback();
      await new Promise<void>((resolve) => (cut = resolve));
      return route.abort("connectionreset");
    });
    await page.getByRole("checkbox", { name: "Idempotency-Key" }).check();
    await run(page, { actions: [BATCH.actions[0]] });
    await heading(page, "Running").waitFor();
    await button(page, "Sign out").click();
    await signIn(page, "sandbox-other-key");
    cut();
    // The first pause before a run is sent again is half a second.
    await page.waitForTimeout(1_200);
    expect(sent.map(({ key }) => key)).toEqual(["Bearer sandbox-key"]);
  });
});

describe("A run whose connection was lost for good", () => {
  test("is asked for again under its key", async () => {
    await using console = await openConsole();
    const { page } = console;
    const keys = new Set<string | undefined>();
    let isCut = true;
    await page.route(RUN_PATH, async (route) => {
      if (route.request().postDataJSON().dry_run === true) return route.fallback();
      keys.add(route.request().headers()["idempotency-key"]);
      return isCut ? route.abort("connectionreset") : route.fallback();
    });
    await run(page, { actions: [BATCH.actions[0]] });
    await heading(page, "Interrupted").waitFor();
    isCut = false;
    await button(page, "Ask for it again").click();
    await heading(page, "Done").waitFor();
    expect(keys.size).toBe(1);
  });
});

describe("The address of Run", () => {
  test("names a tool until its call is written: coming back finds what was made of it", async () => {
    await using console = await openConsole({ path: "/console#/run?tool=probe-echo" });
    const { page } = console;
    await expect.poll(() => editorOf(page).inputValue()).toContain("probe-echo");
    await editorOf(page).fill('{ "actions": [] }');
    await go(page, "Jobs");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    await expect.poll(() => editorOf(page).inputValue()).toBe('{ "actions": [] }');
  });
});

describe("A call by a tool's form", () => {
  test("is there, with what was filled in, when one comes back while it runs and afterwards", async () => {
    await using console = await openConsole({ path: "/console#/tools/probe-search" });
    const { page } = console;
    await page.getByLabel("q", { exact: false }).first().fill("lamp");
    await page.getByLabel("d", { exact: false }).last().fill("1500");
    await button(page, "Run").click();
    await go(page, "Jobs");
    await page.goBack();
    expect(await button(page, "Run").isDisabled()).toBe(true);
    expect(await page.getByLabel("q", { exact: false }).first().inputValue()).toBe("lamp");
    await page.locator(".result").getByText("success").waitFor();
    await go(page, "Jobs");
    await page.goBack();
    await page.locator(".result").getByText("success").waitFor();
  });
});

describe("A run of a flow", () => {
  test("goes on and is found again", async () => {
    await using console = await openConsole({ key: "sandbox-admin-key" });
    const { page, url } = console;
    const kept = await fetch(`${url}/v1/flows/slow-lamp`, {
      method: "PUT",
      headers: { authorization: "Bearer sandbox-admin-key", "content-type": "application/json" },
      body: JSON.stringify({
        summary: "Look slowly",
        input_schema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
        actions: [
          { id: "quick", tool: "probe-echo", args: { n: 1 } },
          { id: "found", tool: "probe-search", args: { q: { $ref: "input#/q" }, d: 1_500 } },
        ],
      }),
    });
    expect(kept.ok).toBe(true);
    await page.goto(`${url}/console#/flows/slow-lamp`);
    await page.locator("#f\\%2Fq").fill("lamp");
    await button(page, "Run").click();
    await page.locator(".result", { hasText: "quick" }).waitFor();
    await go(page, "Usage");
    await page.goBack();
    await page.locator(".result", { hasText: "quick" }).waitFor();
    await page.locator(".result", { hasText: "found" }).waitFor();
    expect(await page.locator("#f\\%2Fq").inputValue()).toBe("lamp");
  });
});
