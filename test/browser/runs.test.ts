import { describe, expect, test } from "vitest";

import { expectAccessible, expectFits, openConsole, type OpenConsole, WIDTHS } from "./open-console.ts";

type Page = OpenConsole["page"];

const ADMIN = "sandbox-admin-key";
/** A run is seen within two seconds of its answer, and the machine may be busy. */
const PATIENT = { timeout: 30_000 };

/** A search and a read of what it found, a job, a question, and three that fail. */
const BATCH = {
  actions: [
    { id: "found", tool: "probe-search", args: { q: "lamp", d: 40 } },
    { id: "first", tool: "probe-item", args: { id: { $ref: "found#/items/0/id" } } },
    { id: "log", tool: "probe-background", args: { n: 1, status: 404 } },
    { id: "gone", tool: "probe-delete", args: { id: "lamp-1" } },
    { id: "typo", tool: "probe-eco", args: { n: 1 } },
    { id: "wrong", tool: "probe-echo", args: {} },
    { id: "then", tool: "probe-echo", args: { n: 1 }, depends_on: ["wrong"] },
    { id: "lost", tool: "probe-write", args: { n: 1, d: 5_000 }, timeout_ms: 200 },
    { id: "last", tool: "probe-echo", args: { n: 9 } },
  ],
};

async function run(url: string, body: object = BATCH, key = ADMIN): Promise<string> {
  const answer = await fetch(`${url}/v1/execute_actions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { batch_id: id } = (await answer.json()) as { readonly batch_id: string };
  await expect
    .poll(
      async () =>
        (await fetch(`${url}/v1/runs/${id}`, { headers: { authorization: `Bearer ${key}` } })).status,
      PATIENT,
    )
    .toBe(200);
  return id;
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const rowsOf = (page: Page) => page.getByRole("list", { name: "Actions over time" }).getByRole("button");
const panelOf = (page: Page) => page.getByRole("complementary");

describe("Runs", () => {
  test.each(WIDTHS)("are the first page, fill by themselves and fit: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: ADMIN, path: "/console" });
    const { page, url } = console;
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
    const tag = `seen-${look.width}`;
    await run(url, { ...BATCH, tags: [tag, "the-longest-tag-that-there-is-".padEnd(64, "x")] });
    const row = page.getByRole("row").filter({ hasText: tag });
    await row.waitFor(PATIENT);
    expect(await row.innerText()).toMatch(
      /waiting[\s\S]*9 actions[\s\S]*UNKNOWN_TOOL[\s\S]*typo[\s\S]*API[\s\S]*admin/,
    );
    await expectAccessible(page);
    await expectFits(page);
  });

  test("are filtered by the address, and every filter stands in it", async () => {
    await using console = await openConsole({ key: ADMIN, path: "/console#/runs" });
    const { page, url } = console;
    await run(url, { actions: [{ tool: "probe-echo", args: { n: 1 } }], tags: ["plain"] });
    await page.getByLabel("Status").selectOption("error");
    await page.waitForURL(/status=error/);
    await page.getByLabel("Source").selectOption("webhook");
    await page.getByText("No such runs").waitFor();
    await page.goto(`${url}/console#/runs?tag=plain`);
    expect(await page.getByLabel("Tag", { exact: true }).inputValue()).toBe("plain");
    await page.getByRole("row").filter({ hasText: "plain" }).first().waitFor(PATIENT);
    expect(await page.getByRole("row").filter({ hasNotText: "plain" }).count()).toBe(1);
    await page.getByRole("link", { name: "Clear filters" }).click();
    await page.waitForURL(/#\/runs$/);
  });

  test("teach a tenant that has none how to make one", async () => {
    await using console = await openConsole({ key: ADMIN, path: "/console" });
    const { page } = console;
    await page.route("**/v1/runs?*", (route) => route.fulfill({ json: { runs: [], next_cursor: null } }));
    await page.reload();
    await page.getByRole("heading", { name: "Nothing has run yet" }).waitFor();
    await button(page, "Copy command").click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^curl .*\/v1\/execute_actions/,
    );
    await expectAccessible(page);
  });

  test("are not asked for while the page is not seen or has no network", async () => {
    await using console = await openConsole({ key: ADMIN, path: "/console#/runs", isApart: true });
    const { page, context } = console;
    let asked = 0;
    page.on("request", (request) => (asked += request.url().includes("/v1/runs?") ? 1 : 0));
    await expect.poll(() => asked, PATIENT).toBeGreaterThan(0);
    await context.setOffline(true);
    await page.getByText("Updates paused").waitFor();
    const before = asked;
    await page.waitForTimeout(3_500);
    expect(asked).toBe(before);
    await context.setOffline(false);
    await expect.poll(() => asked, PATIENT).toBeGreaterThan(before);
  });
});

describe("A run's page", () => {
  test.each(WIDTHS)("is one trace, with a panel of each action: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: ADMIN });
    const { page, url } = console;
    const id = await run(url);
    await page.goto(`${url}/console#/runs/${id}`);
    await rowsOf(page).first().waitFor();
    expect(await rowsOf(page).count()).toBe(9);
    await page.getByRole("list", { name: "Slowest path" }).getByText("lost").waitFor();
    await rowsOf(page).filter({ hasText: "log" }).filter({ hasText: "NOT_FOUND" }).waitFor(PATIENT);
    await expectAccessible(page);
    await expectFits(page);
    await rowsOf(page).filter({ hasText: "wrong" }).click();
    await panelOf(page).getByText("INVALID_ARGS").waitFor();
    await panelOf(page).getByText("Expected a number", { exact: false }).first().waitFor();
    expect(page.url()).toContain("?action=wrong");
    await expectAccessible(page);
    await expectFits(page);
  });

  test("is walked by keyboard: arrows between rows, Enter opens, Escape gives the focus back", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const id = await run(url);
    await page.goto(`${url}/console#/runs/${id}`);
    // The first that failed is open, and has taken no focus.
    await panelOf(page).getByRole("heading", { name: "typo" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe("H2");
    await rowsOf(page).first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await panelOf(page).getByRole("heading", { name: "first" }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await expect.poll(focused).toBe("first");
    // The action that it waited for is a press away.
    await panelOf(page).getByRole("button", { name: "found" }).click();
    await panelOf(page).getByRole("heading", { name: "found" }).waitFor();
    await expect.poll(focused).toBe("found");
    await page.keyboard.press("Escape");
    await expect.poll(focused).toContain("probe-search");
    expect(await panelOf(page).count()).toBe(0);
  });

  test("holds fifty actions on two screens, and has a filter", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const id = await run(url, {
      actions: Array.from({ length: 50 }, (_, n) =>
        n === 30
          ? { id: "odd", tool: "probe-echo", args: { wrong: 1 } }
          : { id: `e${n}`, tool: "probe-echo", args: { n } },
      ),
    });
    await page.goto(`${url}/console#/runs/${id}`);
    await rowsOf(page).first().waitFor();
    expect(await rowsOf(page).count()).toBe(50);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(1_800);
    await page.getByLabel("Filter the actions").fill("e4");
    expect(await rowsOf(page).count()).toBe(11);
    await page.getByLabel("Filter the actions").fill("");
    await page.getByLabel("Failed only").check();
    expect(await rowsOf(page).count()).toBe(1);
    await expectAccessible(page);
  });

  test("leads to its job and its question, and both lead back", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const id = await run(url);
    await page.goto(`${url}/console#/runs/${id}?action=gone`);
    await panelOf(page).getByRole("link", { name: "Approval request" }).click();
    await page.getByRole("heading", { level: 1, name: "May this happen?" }).waitFor();
    await page.getByRole("link", { name: "this run" }).click();
    await page.getByRole("list", { name: "Actions over time" }).waitFor();
    await rowsOf(page).filter({ hasText: "log" }).click();
    await panelOf(page)
      .getByRole("link")
      .filter({ hasText: /^[0-9a-f-]{8}$/ })
      .click();
    await page.getByRole("heading", { level: 1, name: "probe-background" }).waitFor();
    await page.getByRole("link", { name: id.slice(0, 8) }).click();
    await page.getByRole("list", { name: "Actions over time" }).waitFor();
  });

  test("opens in the editor as a batch, which what was being written there does not lose", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const editor = page.getByRole("textbox", { name: "Batch, as JSON" });
    await editor.fill('{ "actions": [ ] }');
    const id = await run(url);
    await page.goto(`${url}/console#/runs/${id}`);
    await button(page, "Open in the Playground").click();
    await expect.poll(() => editor.inputValue()).toContain("probe-search");
    const { actions } = JSON.parse(await editor.inputValue()) as typeof BATCH;
    expect(actions.map((action) => action.id)).toEqual(BATCH.actions.map((action) => action.id));
    await button(page, "Bring back the earlier batch").click();
    expect(await editor.inputValue()).toBe('{ "actions": [ ] }');
  });

  test("runs again with one request under one key, and shows the new run; where that is not offered the buttons go", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const [id, other] = [await run(url), await run(url)];
    const sent: { readonly body: unknown; readonly key: string | undefined }[] = [];
    await page.route("**/rerun", (route) => {
      sent.push({ body: route.request().postDataJSON(), key: route.request().headers()["idempotency-key"] });
      return sent.length === 1
        ? route.fulfill({ json: { batch_id: other, parent: id, results: [] } })
        : route.fulfill({ status: 404, json: { code: "NOT_FOUND", title: "", detail: "" } });
    });
    await page.goto(`${url}/console#/runs/${id}`);
    const isShown = page.waitForResponse((response) => response.url().endsWith(`/v1/runs/${other}`));
    await button(page, "Run what failed").dblclick();
    await page.waitForURL(new RegExp(other));
    expect(sent).toEqual([{ body: { only: "failed" }, key: expect.stringMatching(/^[\w-]{20,}$/) }]);
    await isShown;
    await rowsOf(page).first().waitFor();
    await button(page, "Run again").click();
    await expect.poll(() => sent.length).toBe(2);
    await expect.poll(() => button(page, "Run again").count()).toBe(0);
    expect(sent[1]!.body).toEqual({});
    // That one is gone says nothing of others.
    await page.goto(`${url}/console#/runs/${id}`);
    await button(page, "Run again").waitFor();
  });

  test("is asked for again until it is written, and says well that there is none of an id", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const id = await run(url);
    let asked = 0;
    await page.route(`**/v1/runs/${id}`, (route) => {
      asked += 1;
      return asked === 1
        ? route.fulfill({ status: 404, json: { code: "NOT_FOUND", title: "", detail: "" } })
        : route.fallback();
    });
    await page.goto(`${url}/console#/runs/${id}?new=1`);
    await rowsOf(page).first().waitFor();
    // A person who names an id is told at once that no run has it; the page goes on asking.
    asked = 0;
    await page.goto(`${url}/console#/runs`);
    await page.goto(`${url}/console#/runs/${id}`);
    await page.getByRole("heading", { name: "There is no such run" }).waitFor();
    await rowsOf(page).first().waitFor();
  });
});

describe("A run that goes on", () => {
  const begin = async (url: string, actions: readonly object[]) => {
    const answer = await fetch(`${url}/v1/execute_actions`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
      body: JSON.stringify({ background: true, actions }),
    });
    return (await answer.json()) as { readonly run_id: string; readonly job_id: string };
  };
  /** Writes, one after the other. */
  const loopOf = (count: number, ms: number) => ({
    id: "slow",
    tool: "probe-write",
    for_each: Array.from({ length: count }, (_, n) => n),
    args: { n: { $ref: "item#" }, d: ms },
  });
  const QUICK = { id: "quick", tool: "probe-echo", args: { n: 1 } };

  test("stands before the others, says how far it is, and its page fills by itself", async () => {
    await using console = await openConsole({ key: ADMIN, path: "/console#/runs" });
    const { page, url } = console;
    const { run_id: id } = await begin(url, [QUICK, loopOf(15, 800)]);
    const row = page.getByRole("row").filter({ hasText: "Batch in the background" });
    await row.first().waitFor(PATIENT);
    await row.first().getByText("running").waitFor();
    await page.goto(`${url}/console#/runs/${id}`);
    await page.getByRole("heading", { level: 1, name: "Batch in the background" }).waitFor();
    await rowsOf(page).filter({ hasText: "quick" }).waitFor(PATIENT);
    await page.getByText(/\d+ of 16 calls/).waitFor(PATIENT);
    await page.getByRole("heading", { level: 1, name: "probe-echo, probe-write" }).waitFor(PATIENT);
    await rowsOf(page).filter({ hasText: "slow" }).click();
    // The arguments of a loop stand there as they were written.
    await page.getByText("Each element was sent with its own value").waitFor();
  });

  test("has a page that is accessible and fits, whatever the look", async () => {
    await using first = await openConsole({ key: ADMIN });
    const { url } = first;
    const { run_id: id } = await begin(url, [QUICK, loopOf(100, 500)]);
    for (const look of WIDTHS) {
      await using console = await openConsole({ ...look, key: ADMIN, path: `/console#/runs/${id}` });
      const { page } = console;
      await page.getByText(/\d+ of 101 calls/).waitFor(PATIENT);
      await expectAccessible(page);
      await expectFits(page);
    }
    await first.page.goto(`${url}/console#/runs/${id}`);
    await button(first.page, "Cancel").click();
    await first.page.getByText("cancelled").first().waitFor(PATIENT);
  });

  test("is cancelled from its page", async () => {
    await using console = await openConsole({ key: ADMIN, path: "/console#/runs" });
    const { page, url } = console;
    const { run_id: id, job_id: job } = await begin(url, [loopOf(100, 500)]);
    await page.goto(`${url}/console#/runs/${id}`);
    await button(page, "Cancel").click();
    await expect
      .poll(async () => {
        const headers = { authorization: `Bearer ${ADMIN}` };
        const answer = await fetch(`${url}/v1/jobs/${job}`, { headers });
        return ((await answer.json()) as { readonly status: string }).status;
      }, PATIENT)
      .toBe("cancelled");
  });
});

describe("The editor", () => {
  test("sends one request for a run, shows what the stream tells, and leads to the run's page", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page } = console;
    const sent: Record<string, unknown>[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/execute_actions")) sent.push(request.postDataJSON());
    });
    await page
      .getByRole("textbox", { name: "Batch, as JSON" })
      .fill(JSON.stringify({ actions: [{ id: "slow", tool: "probe-search", args: { q: "a", d: 1_500 } }] }));
    await button(page, "Run").click();
    const rows = page.getByRole("list", { name: "Actions over time" }).getByRole("listitem");
    await rows.filter({ hasText: /slow.*running/s }).waitFor();
    await page.getByRole("link", { name: "Open its page" }).click();
    await rowsOf(page).filter({ hasText: "slow" }).waitFor(PATIENT);
    expect(sent).toEqual([expect.objectContaining({ progress: true })]);
  });
});

describe("The command bar", () => {
  test.each([360, 1440])("leads to sections and tools by name and to runs by id: %i px", async (width) => {
    await using console = await openConsole({ key: ADMIN, width });
    const { page, url } = console;
    const id = await run(url);
    await page.keyboard.press("Control+k");
    const bar = page.getByRole("combobox", { name: "A section, a tool, a flow, or an id" });
    await bar.fill("appr");
    await page.getByRole("option", { name: "Approvals" }).waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Approvals" }).waitFor();
    await page.getByRole("button", { name: /^Go to/ }).click();
    await bar.fill("probe-back");
    await page.getByRole("option", { name: "probe-background tool" }).click();
    await page.getByRole("heading", { level: 1, name: "probe-background" }).waitFor();
    await page.keyboard.press("Control+k");
    await bar.fill(id);
    await page.getByRole("option", { name: `${id} Run` }).waitFor(PATIENT);
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Actions over time" }).waitFor();
    const flow = {
      summary: "Looks",
      input_schema: { type: "object" },
      actions: [{ tool: "probe-search", args: { q: "a" } }],
    };
    await fetch(`${url}/v1/flows/look-around`, {
      method: "PUT",
      headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
      body: JSON.stringify(flow),
    });
    await page.keyboard.press("Control+k");
    await bar.fill("look-ar");
    await page.getByRole("option", { name: "look-around" }).click();
    await expect.poll(() => page.url()).toMatch(/#\/flows\/look-around$/);
    await page.keyboard.press("Control+k");
    await bar.waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => bar.count()).toBe(0);
  });
});

test("The shell says tenant, key and environment", async () => {
  await using console = await openConsole({ key: ADMIN });
  const said = console.page.getByTitle("Tenant sandbox-admin, key admin");
  await said.waitFor();
  expect(await said.innerText()).toMatch(/sandbox[\s\S]*sandbox-admin[\s\S]*admin/);
});
