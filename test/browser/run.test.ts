import { describe, expect, test } from "vitest";

import { expectAccessible, expectFits, openConsole, type OpenConsole, WIDTHS } from "./open-console.ts";

type Page = OpenConsole["page"];

/** A search, a read of what it found, a slow call, a write in the background and one that a person is asked about. */
const BATCH = {
  actions: [
    { id: "found", tool: "probe-search", args: { q: "lamp" } },
    { id: "first", tool: "probe-item", args: { id: { $ref: "found#/items/0/id" } } },
    { id: "log", tool: "probe-background", args: { n: 1 } },
    { id: "gone", tool: "probe-delete", args: { id: { $ref: "found#/items/1/id" } } },
    { id: "typo", tool: "probe-eco", args: { n: 1 } },
  ],
};

const editorOf = (page: Page) => page.getByRole("textbox", { name: "Batch, as JSON" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function write(page: Page, batch: unknown): Promise<void> {
  await editorOf(page).fill(typeof batch === "string" ? batch : JSON.stringify(batch, null, 2));
}

/** Put the cursor behind a piece of the text. */
async function putBehind(page: Page, piece: string): Promise<void> {
  await editorOf(page).evaluate((area: HTMLTextAreaElement, wanted) => {
    area.focus();
    const at = area.value.indexOf(wanted) + wanted.length;
    area.setSelectionRange(at, at);
  }, piece);
}

const valueOf = (page: Page): Promise<string> => editorOf(page).inputValue();

describe("The editor", () => {
  test("begins with a batch of tools that the key has", async () => {
    await using console = await openConsole({ key: "sandbox-small-key" });
    // Which tools there are is asked first.
    await expect.poll(() => valueOf(console.page), { timeout: 30_000 }).not.toBe("");
    const batch = JSON.parse(await valueOf(console.page)) as typeof BATCH;
    expect(batch.actions.map(({ tool }) => tool).every((tool) => tool.startsWith("probe-"))).toBe(true);
  });

  test.each([
    ["late", ""],
    ["late, unless something was written", " "],
  ])("begins with such a batch when the tools come %s", async (_, written) => {
    await using console = await openConsole({ path: "/console#/jobs" });
    const { page } = console;
    await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
    await page.route("**/v1/tools?*", (route) => route.abort());
    await page.getByRole("link", { name: "Playground" }).click();
    await page.getByText("The tools are not known").waitFor();
    const before = await valueOf(page);
    expect(JSON.parse(before)).toEqual({ actions: [] });
    if (written !== "") await write(page, before + written);
    await page.unrouteAll();
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await page.getByLabel("Examples").waitFor();
    if (written !== "") expect(await valueOf(page)).toBe(before + written);
    else await expect.poll(() => valueOf(page)).toContain('"tool": "get_weather"');
    await page.getByLabel("Examples").selectOption({ index: 2 });
    expect(await valueOf(page)).toContain("google-maps-search");
  });

  test("suggests tools while one types, and takes the one that Enter chooses", async () => {
    await using console = await openConsole();
    const { page } = console;
    await write(page, '{ "actions": [{ "tool": "" }] }');
    await putBehind(page, '"tool": "');
    await page.keyboard.type("probe-it");
    await page.getByRole("option", { name: /probe-item/ }).waitFor();
    const area = editorOf(page);
    const active = await area.getAttribute("aria-activedescendant");
    expect(await page.locator(`#${active}`).getAttribute("aria-selected")).toBe("true");
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    expect(await valueOf(page)).toBe('{ "actions": [{ "tool": "probe-item" }] }');
    expect(await page.getByRole("listbox").count()).toBe(0);
  });

  test("suggests the tool's arguments when asked, walks them by arrows, and lets Escape send them away", async () => {
    await using console = await openConsole();
    const { page } = console;
    await write(page, '{ "actions": [{ "tool": "google-maps-search", "args": {} }] }');
    await putBehind(page, '"args": {');
    await page.keyboard.press("Control+Space");
    const options = page.getByRole("listbox").getByRole("option");
    await options.first().waitFor();
    expect(await options.allInnerTexts()).toEqual([
      expect.stringMatching(/^query\s+string, required$/),
      expect.stringMatching(/^max_results\s+integer$/),
    ]);
    await page.keyboard.press("Escape");
    expect(await options.count()).toBe(0);
    await page.keyboard.press("Control+Space");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    expect(await valueOf(page)).toContain('"args": {"max_results": }');
  });

  test("keeps the browser's undo through what it writes itself", async () => {
    await using console = await openConsole();
    const { page } = console;
    const before = await valueOf(page);
    await page.getByLabel("Examples").selectOption({ index: 2 });
    expect(await valueOf(page)).not.toBe(before);
    await editorOf(page).press("Control+z");
    expect(await valueOf(page)).toBe(before);
  });

  test("lists what is wrong with its place, and mends what is no JSON", async () => {
    await using console = await openConsole();
    const { page } = console;
    await write(page, "{ 'actions': [{ tool: 'probe-eco', }] }");
    const problems = page.getByRole("list", { name: "Problems" });
    await problems.getByText("JSON has double quotes only").first().waitFor();
    await problems.getByText('No tool is called "probe-eco". Did you mean "probe-echo"?').waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Line 1, column 17" }).click();
    expect(
      await editorOf(page).evaluate((area: HTMLTextAreaElement) =>
        area.value.slice(area.selectionStart, area.selectionEnd),
      ),
    ).toBe("tool");
    await button(page, "Fix and format").click();
    expect(JSON.parse(await valueOf(page))).toEqual({ actions: [{ tool: "probe-eco" }] });
  });

  test("keeps what is written in the tab, and begins with a call of the tool that the address names", async () => {
    await using console = await openConsole();
    const { page, url } = console;
    await write(page, '{ "actions": [ ] }');
    await page.reload();
    await editorOf(page).waitFor();
    expect(await valueOf(page)).toBe('{ "actions": [ ] }');
    await page.goto(`${url}/console#/run?tool=web_fetch`);
    await expect.poll(() => valueOf(page)).toContain('"tool": "web_fetch"');
    await page.getByRole("link", { name: "Tools" }).click();
    await page.getByRole("link", { name: "Playground" }).click();
    await button(page, "Bring back the earlier batch").click();
    expect(await valueOf(page)).toBe('{ "actions": [ ] }');
    await button(page, "Bring back the earlier batch").click();
    expect(await valueOf(page)).toContain('"tool": "web_fetch"');
  });

  test("lets Tab leave it", async () => {
    await using console = await openConsole();
    const { page } = console;
    await editorOf(page).focus();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.id)).not.toBe("batch");
  });
});

describe("Plan", () => {
  test.each(WIDTHS)("is drawn, walked by arrow keys and accessible: $width px", async (look) => {
    await using console = await openConsole(look);
    const { page } = console;
    await write(page, BATCH);
    await button(page, "Plan").click();
    const found = page.getByRole("img", { name: /^found: probe-search/ });
    await found.waitFor();
    await page.locator(".plan-view").getByText("4 actions in 2 steps").waitFor();
    await page.getByText("No tool is named 'probe-eco'").waitFor();
    await found.focus();
    await page.keyboard.press("ArrowRight");
    const focused = await page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    expect(focused).toMatch(/^(first|gone): .*waits for found \(reference\)/);
    await page.getByText("The plan as a table").click();
    await page.getByRole("cell", { name: "found (reference)" }).first().waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });

  test("shows a batch that is refused whole in the API's words", async () => {
    await using console = await openConsole();
    const { page } = console;
    await write(page, '{ "actions": [] }');
    await button(page, "Plan").click();
    await page.getByRole("alert").getByText("INVALID_BATCH").waitFor();
  });

  test("holds fifty actions in a box of its own", async () => {
    await using console = await openConsole({ width: 360 });
    const { page } = console;
    await write(page, {
      actions: Array.from({ length: 50 }, (_, n) => ({ tool: "probe-echo", args: { n } })),
    });
    await button(page, "Plan").click();
    await page.locator(".plan-view").getByText("50 actions in 1 step").waitFor();
    expect(await page.locator(".plan-node").count()).toBe(50);
    await expectFits(page);
  });
});

describe("Run", () => {
  test.each(WIDTHS)("shows every action, each result and what is to be done: $width px", async (look) => {
    await using console = await openConsole(look);
    const { page } = console;
    await write(page, BATCH);
    await editorOf(page).press("Control+Enter");
    await page.getByRole("heading", { name: "Done" }).waitFor();
    const rows = page.getByRole("list", { name: "Actions over time" }).getByRole("listitem");
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^found\s+probe-search\s+success \d+/),
      expect.stringMatching(/^first\s+probe-item\s+success \d+/),
      expect.stringMatching(/^log\s+probe-background\s+in the background$/),
      expect.stringMatching(/^gone\s+probe-delete\s+waiting for approval$/),
      expect.stringMatching(/^typo\s+probe-eco\s+error$/),
    ]);
    await page.getByText("No tool is named 'probe-eco'").waitFor();
    // The rows that failed or wait for somebody are open.
    for (const id of ["found", "log"]) await page.locator("summary", { hasText: id }).first().click();
    expect(await page.getByRole("link", { name: /^job / }).getAttribute("href")).toMatch(/^#\/jobs\/[\w-]+$/);
    expect(await page.getByRole("link", { name: "Decide" }).getAttribute("href")).toMatch(
      /^#\/confirmations\/[\w-]+$/,
    );
    await expectAccessible(page);
    await expectFits(page);
  });

  test("puts the reference of a value that is picked where the cursor waits for it, or copies it", async () => {
    await using console = await openConsole();
    const { page } = console;
    await write(page, { actions: BATCH.actions.slice(0, 1) });
    await button(page, "Run").click();
    await page.getByRole("heading", { name: "Done" }).waitFor();
    const pick = page.getByRole("button", { name: "Use /items/0 as a reference" });
    await pick.click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('{ "$ref": "found#/items/0" }');
    await write(
      page,
      '{"actions":[{"id":"found","tool":"probe-search","args":{"q":"a"}},{"tool":"probe-item","args":{"id":}}]}',
    );
    await putBehind(page, '"args":{"id":');
    await pick.click();
    expect(await valueOf(page)).toContain('"id":{ "$ref": "found#/items/0" }}');
  });

  test("goes on while it runs: which action waits for which, a clock, and a button that follows it no more: it goes on", async () => {
    await using console = await openConsole();
    const { page } = console;
    await write(page, {
      actions: [
        { id: "slow", tool: "probe-search", args: { q: "a", d: 20_000 } },
        { id: "then", tool: "probe-item", args: {} },
        { id: "quick", tool: "probe-echo", args: { n: 1 } },
      ],
      deadline_ms: 30_000,
    });
    await button(page, "Run").click();
    const rows = page.getByRole("list", { name: "Actions over time" }).getByRole("listitem");
    await rows.filter({ hasText: /then.*waiting/s }).waitFor();
    await rows.filter({ hasText: /quick.*success/s }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Running");
    await expectAccessible(page);
    await button(page, "Stop following").click();
    await page.getByRole("heading", { name: "No longer followed" }).waitFor();
    await page.getByText("It goes on to its end").waitFor();
    expect(await rows.filter({ hasText: "outcome unknown" }).count()).toBe(2);
  });

  test("says that what is shown came of another batch once that asks for something else, not when it is laid out anew", async () => {
    await using console = await openConsole();
    const { page } = console;
    const batch = { actions: [{ id: "found", tool: "probe-search", args: { q: "lamp" } }] };
    const isOld = page.getByText("The batch has changed since");
    for (const [name, said] of [
      ["Run", /^Done$/],
      ["Plan", /1 action in 1 step/],
    ] as const) {
      await write(page, batch);
      await button(page, name).click();
      await page.locator(".bench > .stack").getByText(said).first().waitFor();
      expect(await isOld.count()).toBe(0);
      await write(page, { actions: [{ ...batch.actions[0], args: { q: "lamps" } }] });
      await isOld.waitFor();
      // Two texts are JSON and no batch, and one is no JSON.
      for (const text of ["null", "[1]", "{"]) {
        await write(page, text);
        await isOld.waitFor();
        expect(await valueOf(page)).toBe(text);
      }
      await write(page, JSON.stringify(batch));
      await isOld.waitFor({ state: "detached" });
    }
  });

  test("sends the options, and a key under which it runs only once", async () => {
    await using console = await openConsole();
    const { page } = console;
    await write(page, { actions: [{ tool: "probe-echo", args: { n: 1 } }] });
    const modes = page.getByLabel("on_error").getByRole("option");
    expect(await modes.allInnerTexts()).toEqual(["from the batch", "partial-success", "fail-fast", "undo"]);
    await page.getByLabel("on_error").selectOption("fail-fast");
    await page.getByLabel("deadline_ms").fill("5000");
    await page.getByRole("checkbox", { name: "Idempotency-Key" }).check();
    const key = await page.getByLabel("The Idempotency-Key").inputValue();
    expect(key).toMatch(/^[0-9a-f]{24}$/);
    const [request] = await Promise.all([
      page.waitForRequest((asked) => asked.headers()["idempotency-key"] === key),
      button(page, "Run").click(),
    ]);
    expect(request.postDataJSON()).toMatchObject({ on_error: "fail-fast", deadline_ms: 5000 });
    await page.getByRole("heading", { name: "Done" }).waitFor();
    await expectAccessible(page);
  });

  test("sends again under one key when the connection is lost, whether a key was written or not", async () => {
    await using console = await openConsole();
    const { page } = console;
    let keys: (string | undefined)[] = [];
    await page.route("**/v1/execute_actions", async (route) => {
      const asked = route.request();
      if (asked.postDataJSON().dry_run === true) return route.fallback();
      keys.push(asked.headers()["idempotency-key"]);
      return keys.length > 1 ? route.fallback() : route.abort("connectionreset");
    });
    await write(page, { actions: [{ tool: "probe-echo", args: { n: 1 } }] });
    for (const isWritten of [false, true]) {
      keys = [];
      if (isWritten) await page.getByRole("checkbox", { name: "Idempotency-Key" }).check();
      await button(page, "Run").click();
      await page.getByRole("heading", { name: "Done" }).waitFor();
      await page.getByText("sent again with the same Idempotency-Key, 1 time").waitFor();
      expect(keys).toEqual([expect.stringMatching(/^[\w-]{20,}$/), keys[0]]);
    }
  });

  test("T40 shows what tools wrote as text, large or hostile, with every digit", async () => {
    await using console = await openConsole({ width: 360 });
    const { page } = console;
    const data = {
      html: "<img src=x onerror=\"document.title='taken'\">",
      turned: "\u202Egnp.exe",
      list: Array.from({ length: 10_000 }, (_, at) => ({ at })),
      text: "A".repeat(200_000),
    };
    const result = {
      index: 0,
      id: "a".repeat(64),
      tool: "t".repeat(64),
      status: "success",
      data,
      meta: { duration_ms: 1 },
    };
    const summary = {
      total: 1,
      ok: 1,
      error: 0,
      initiated: 0,
      skipped: 0,
      pending_confirmation: 0,
      unknown: 0,
    };
    const stats = { duration_ms: 1, critical_path_ms: 1, sequential_ms: 1, speedup: 1, max_parallelism: 1 };
    const said = JSON.stringify(result).replace('"html"', '"digits":12345678901234567890,"html"');
    await page.route("**/v1/execute_actions", (route) =>
      route.request().postDataJSON().dry_run === true
        ? route.fallback()
        : route.fulfill({
            contentType: "text/event-stream",
            body: `event: result\ndata: ${said}\n\nevent: done\ndata: {"batch_id":"b","results":[${said}],"summary":${JSON.stringify(summary)},"stats":${JSON.stringify(stats)}}\n\n`,
          }),
    );
    await button(page, "Run").click();
    await page.getByRole("heading", { name: "Done" }).waitFor();
    await page.locator(".result > summary").click();
    const tree = page.getByRole("group", { name: /^Result of/ });
    await tree.getByText("12345678901234567890").waitFor();
    await tree.getByText("<img src=x").waitFor();
    await page.getByRole("button", { name: "Show all 200,000 characters" }).waitFor();
    expect(await page.locator("img[src=x]").count()).toBe(0);
    expect(await page.title()).toBe("Playground · Volley console");
    await expectAccessible(page);
    await expectFits(page);
    await page.getByLabel("As text").check();
    await page.locator("pre.raw").getByText('"digits": 12345678901234567890').waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });
});
