import { describe, expect, test } from "vitest";

import { expectAccessible, expectFits, openConsole, type OpenConsole, WIDTHS } from "./open-console.ts";

type Page = OpenConsole["page"];

const ADMIN = "sandbox-admin-key";
const PATIENT = { timeout: 30_000 };
const headers = { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" };

/** Send a batch, and wait until its run is written. */
async function run(url: string, ...actions: readonly object[]): Promise<string> {
  const sent = { method: "POST", headers, body: JSON.stringify({ actions }) };
  const answer = await fetch(`${url}/v1/execute_actions`, sent);
  const { batch_id: id } = (await answer.json()) as { readonly batch_id: string };
  await expect.poll(async () => (await fetch(`${url}/v1/runs/${id}`, { headers })).status, PATIENT).toBe(200);
  return id;
}

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });
const panelOf = (page: Page) => page.getByRole("complementary");

describe("A run's page", () => {
  test("is titled by what ran, and follows its jobs to their ends", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const id = await run(
      url,
      { tool: "probe-echo", args: { n: 1 } },
      { id: "log", tool: "probe-background", args: { n: 1 }, run_at: new Date(Date.now() + 9e6) },
    );
    await page.goto(`${url}/console#/runs/${id}`);
    await heading(page, "probe-echo, probe-background").waitFor();
    await page.getByText("1 scheduled").waitFor();
    await page.locator(".run-facts").getByText("scheduled", { exact: true }).waitFor();
    const { actions } = (await (await fetch(`${url}/v1/runs/${id}`, { headers })).json()) as {
      readonly actions: readonly { readonly job_id?: string }[];
    };
    await fetch(`${url}/v1/jobs/${actions[1]!.job_id}/cancel`, { method: "POST", headers });
    await page.getByText("1 cancelled").waitFor(PATIENT);
    await expect
      .poll(() => page.locator(".run-facts").getByText("scheduled", { exact: true }).count(), PATIENT)
      .toBe(0);
  });

  test.each(WIDTHS)(
    "says what became of each of its questions, once they are decided: $width px",
    async (look) => {
      await using console = await openConsole({ ...look, key: ADMIN });
      const { page, url } = console;
      const id = await run(
        url,
        { id: "gone", tool: "probe-delete", args: { id: "lamp-1" } },
        { id: "after", tool: "probe-echo", args: { n: 1 }, depends_on: ["gone"] },
        { id: "done", tool: "probe-delete", args: { id: "lamp-2" } },
      );
      await page.goto(`${url}/console#/runs/${id}`);
      await page.getByText("3 waiting for approval").waitFor();
      const { actions } = (await (await fetch(`${url}/v1/runs/${id}`, { headers })).json()) as {
        readonly actions: readonly { readonly confirmation: { readonly id: string } }[];
      };
      const decide = (at: number, body: object) =>
        fetch(`${url}/v1/confirmations/${actions[at]!.confirmation.id}`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        });
      const rows = page.getByRole("list", { name: "Actions over time" }).getByRole("listitem");
      await decide(0, { decision: "reject", reason: "The lamp stays" });
      await rows.filter({ hasText: "gone" }).getByText("rejected").waitFor(PATIENT);
      await page.getByText("1 waiting for approval").waitFor();
      await decide(2, { decision: "approve" });
      await page.getByText("1 success").waitFor(PATIENT);
      await page.getByText("1 rejected").waitFor();
      await page.getByText("partial", { exact: true }).waitFor(PATIENT);
      expect(await page.getByText("waiting for approval").count()).toBe(0);
      await rows.filter({ hasText: "gone" }).getByRole("button").click();
      await panelOf(page).getByText("It was rejected by admin: The lamp stays").waitFor();
      await expectAccessible(page);
      await expectFits(page);
    },
  );

  test("of writes that succeeded leads to no run that there is not, and says why", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const [only, mixed] = [
      await run(url, { id: "note", tool: "probe-write", args: { n: 1 } }),
      await run(
        url,
        { id: "note", tool: "probe-write", args: { n: 1 } },
        { id: "look", tool: "probe-echo", args: { n: 1 } },
      ),
    ];
    const again = page.getByRole("button", { name: "Run again" });
    await page.goto(`${url}/console#/runs/${only}`);
    await page.getByText("A write that succeeded is not sent again").waitFor();
    await again.click();
    await page.getByText("there is no new run: note succeeded").waitFor();
    expect(page.url()).toContain(only);
    await page.goto(`${url}/console#/runs/${mixed}`);
    await again.click();
    await page.getByText("Not sent again, because it had succeeded: note").waitFor();
    await heading(page, "probe-echo").waitFor(PATIENT);
  });

  test.each(WIDTHS)("shows the lines of ctx.log in the panel of their action: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: ADMIN });
    const { page, url } = console;
    const id = await run(url, { id: "said", tool: "probe-echo", args: { n: 1 } });
    // No tool of the sandbox logs.
    const lines = [
      { at_ms: 0, text: 'asked the bank {"from":"USD"}' },
      { at_ms: 1_200, text: "it said \u202eno, <b>twice</b>" },
      { at_ms: 1_300, text: "x".repeat(400) },
    ];
    await page.route(`**/v1/runs/${id}`, async (route) => {
      const response = await route.fetch();
      const shown = (await response.json()) as { readonly actions: readonly object[] };
      await route.fulfill({
        response,
        json: { ...shown, actions: shown.actions.map((one) => ({ ...one, log: lines })) },
      });
    });
    await page.goto(`${url}/console#/runs/${id}?action=said`);
    const log = panelOf(page).getByRole("region", { name: "Log" });
    await log.getByText('asked the bank {"from":"USD"}').waitFor(PATIENT);
    await log.getByText("it said \\u{202e}no, <b>twice</b>").waitFor();
    await log.getByText("1.20 s").waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });

  test.each(WIDTHS)("has the action open that failed, and no empty band: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: ADMIN });
    const { page, url } = console;
    const id = await run(url, { id: "wrong", tool: "probe-echo", args: { m: 1 } });
    await page.goto(`${url}/console#/runs/${id}`);
    await panelOf(page).getByRole("heading", { name: "wrong" }).waitFor();
    await panelOf(page).getByText("INVALID_ARGS").waitFor();
    expect(page.url()).not.toContain("action=");
    // Nothing began and nothing went out: there is no scale, and nothing to take back.
    const trace = (await page.getByRole("region", { name: "Trace" }).boundingBox())!;
    expect(trace.height).toBeLessThan(100);
    await page.waitForLoadState("networkidle");
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    await expectAccessible(page);
    await expectFits(page);
    await panelOf(page).getByRole("button", { name: "Close" }).click();
    expect(await panelOf(page).count()).toBe(0);
  });

  test.each(WIDTHS)(
    "marks wrong arguments, and shows what was written for what was sent: $width px",
    async (look) => {
      await using console = await openConsole({ ...look, key: ADMIN });
      const { page, url } = console;
      const id = await run(
        url,
        { id: "found", tool: "probe-search", args: { q: "lamp" } },
        { id: "first", tool: "probe-item", args: { id: { $ref: "found#/items/0/id" } } },
        { id: "wrong", tool: "probe-echo", args: { m: 1, n: "one" } },
      );
      await page.goto(`${url}/console#/runs/${id}`);
      const args = panelOf(page).getByRole("region", { name: "Arguments" });
      await args.getByText('expected a number, received the string "one"').waitFor();
      await args.getByText("expected no such field, received the number 1").waitFor();
      expect(await panelOf(page).getByText("/args/n expected").count()).toBe(0);
      await expectAccessible(page);
      await expectFits(page);
      await page.goto(`${url}/console#/runs`);
      await page.goto(`${url}/console#/runs/${id}?action=first`);
      await args.getByText("lamp-1").waitFor();
      await args.getByText("written as /items/0/id of the result of found").waitFor();
      await expectAccessible(page);
      // The address of another action leads to that, also where the page of the run is open.
      await page.goto(`${url}/console#/runs/${id}?action=wrong`);
      await args.getByText('expected a number, received the string "one"').waitFor();
    },
  );

  test("of an agent shows rounds and tools on a phone", async () => {
    await using console = await openConsole({ key: ADMIN, width: 360 });
    const { page, url } = console;
    const messages = [{ role: "user", content: "What is the weather in Phoenix?" }];
    await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers,
      body: JSON.stringify({ model: "m", messages }),
    });
    await page.goto(`${url}/console#/runs?source=agent`);
    await page.getByRole("row").getByRole("link").first().click(PATIENT);
    const rows = page.getByRole("list", { name: "Actions over time" });
    for (const seen of ["round 1", "get_weather", "round 2"])
      await rows.getByText(seen).first().waitFor({ state: "visible" });
    await expectFits(page);
  });
});

describe("The playground", () => {
  test("shows where a batch is broken, sends nothing, and takes the old answer away", async () => {
    await using console = await openConsole();
    const { page } = console;
    const editor = page.getByRole("textbox", { name: "Batch, as JSON" });
    const press = () => page.getByRole("button", { name: "Run", exact: true }).click();
    await editor.fill('{ "actions": [{ "tool": "probe-echo", "args": { "n": 1 } }] }');
    await press();
    await page.getByRole("heading", { name: "Done" }).waitFor();
    await editor.fill('{ "actions": [\n  { "tool": "probe-echo", "args": { "n": } }] }');
    await press();
    const said = page.getByRole("region", { name: "Not sent" });
    await said.getByText("Line 2, column 42: A value is missing here.").waitFor();
    expect(await page.getByRole("heading", { name: "Done" }).count()).toBe(0);
    expect(await editor.evaluate((area: HTMLTextAreaElement) => area.selectionStart)).toBe(56);
    expect(await page.locator(".wavy-error").count()).toBeGreaterThan(0);
    await expectAccessible(page);
  });
});
