import { describe, expect, test } from "vitest";

import { picture } from "./endpoint-samples.ts";
import { expectAccessible, expectFits, openConsole, WIDTHS } from "./open-console.ts";

const ADMIN = "sandbox-admin-key";
/** A run is seen within two seconds of its answer, and the machine may be busy. */
const PATIENT = { timeout: 30_000 };

async function run(url: string, actions: readonly object[], rule: object = {}): Promise<string> {
  const answer = await fetch(`${url}/v1/execute_actions`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
    body: JSON.stringify({ actions, ...rule }),
  });
  return ((await answer.json()) as { readonly batch_id: string }).batch_id;
}

test.each(WIDTHS)(
  "The Playground says which writes were taken back, and which could not be: $width px",
  async (look) => {
    await using console = await openConsole({ ...look, key: ADMIN });
    const { page, url } = console;
    await page.goto(`${url}/console#/run`);
    const batch = {
      on_error: "undo",
      undo: "what-can",
      actions: [
        { id: "flight", tool: "probe-book", args: { n: 1 } },
        { id: "note", tool: "probe-write", args: { n: 3 } },
        { id: "check", tool: "probe-any", args: { path: "/nowhere" }, depends_on: ["flight", "note"] },
      ],
    };
    await page.getByRole("textbox", { name: "Batch, as JSON" }).fill(JSON.stringify(batch, null, 2));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const part = page.getByRole("region", { name: "Undone" });
    await part.getByRole("heading", { name: "1 of 2 writes undone" }).waitFor(PATIENT);
    const rows = await part.getByRole("row").allInnerTexts();
    expect(rows.find((text) => text.includes("flight"))).toMatch(/probe-unbook[^]*success/);
    expect(rows.find((text) => text.includes("note"))).toMatch(/error[^]*NOT_REVERSIBLE/);
    const results = page.getByRole("region", { name: "Results" });
    await results.locator("summary", { hasText: "flight" }).click();
    await results.getByText("all that it did was taken back").waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await picture(page, `undo-playground-${look.width}`);
  },
);

describe("A run's page", () => {
  test("follows what is told of a run after it was written: that it was undone, and what a rerun sends then", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const actions = [
      { id: "flight", tool: "probe-book", args: { n: 1 } },
      { id: "check", tool: "probe-any", args: { path: "/nowhere" }, depends_on: ["flight"] },
    ];
    const id = await run(url, actions, { on_error: "undo" });
    let isFirst = true;
    await page.route(`**/v1/runs/${id}`, async (route) => {
      const answer = await route.fetch();
      if (!answer.ok() || !isFirst) return route.fulfill({ response: answer });
      isFirst = false;
      const { undone: _, ...before } = (await answer.json()) as { readonly undone: object };
      return route.fulfill({ json: { ...before, status: "partial" } });
    });
    await page.goto(`${url}/console#/runs/${id}?new=1`);
    await page.getByRole("heading", { name: "Undone" }).waitFor(PATIENT);
    await page.getByText("A write that was undone is sent again.").waitFor(PATIENT);
    expect(isFirst).toBe(false);
    await page.getByRole("button", { name: "Open in the Playground" }).click();
    const text = page.getByRole("textbox", { name: "Batch, as JSON" });
    expect(JSON.parse(await text.inputValue())).toMatchObject({ on_error: "undo" });
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  test.each(WIDTHS)(
    "says what an undo would send, and then what became of it: $width px",
    async ({ width }) => {
      await using console = await openConsole({ width, key: ADMIN });
      const { page, url } = console;
      const id = await run(url, [
        { id: "flight", tool: "probe-book", args: { n: 1 } },
        { id: "room", tool: "probe-book", args: { n: 2 }, depends_on: ["flight"] },
        { id: "note", tool: "probe-write", args: { n: 3 } },
      ]);
      await page.goto(`${url}/console#/runs/${id}`);
      const part = page.getByRole("region", { name: "Undo" });
      await part.getByRole("button", { name: "Undo" }).click(PATIENT);
      const question = page.getByRole("dialog", { name: "Undo 2 of 3 writes?" });
      await question.getByText("no call is known", { exact: false }).waitFor();
      const asked = await question.getByRole("listitem").allInnerTexts();
      expect(asked.findIndex((text) => text.startsWith("room"))).toBeLessThan(
        asked.findIndex((text) => text.startsWith("flight")),
      );
      await expectAccessible(page);
      await picture(page, `undo-asked-${width}`);

      await question.getByRole("button", { name: "Undo" }).click();
      const row = (name: string) => part.getByRole("row").filter({ hasText: name });
      await row("flight").getByText("success").waitFor(PATIENT);
      await row("room").getByText("success").waitFor();
      await row("note").getByText("NOT_REVERSIBLE").waitFor();
      const trace = page.getByRole("region", { name: "Trace" });
      const rows = trace.getByRole("list", { name: "Actions over time" }).getByRole("listitem");
      await rows.filter({ hasText: "undone" }).first().waitFor(PATIENT);
      const names = (await rows.allInnerTexts()).map((text) =>
        /↩?\s*[a-z]+/.exec(text)![0].replaceAll(/\s+/g, " "),
      );
      expect(names.slice(-2)).toEqual(["↩ room", "↩ flight"]);
      const bars = rows.filter({ hasText: "undone" }).locator("rect.job");
      const [first, second] = await Promise.all([bars.nth(0).boundingBox(), bars.nth(1).boundingBox()]);
      expect(first!.x).toBeLessThan(second!.x);
      await expectAccessible(page);
      await expectFits(page);
      await picture(page, `undo-done-${width}`);
      await page.emulateMedia({ colorScheme: "dark" });
      await picture(page, `undo-done-${width}-dark`);
      await page.emulateMedia({ colorScheme: null });

      await rows.filter({ hasText: "undone" }).first().getByRole("button").click();
      const panel = page.getByRole("complementary", { name: "room, undone" });
      await panel.getByRole("link", { name: "probe-unbook" }).waitFor();
      await expectAccessible(page);
      await picture(page, `undo-row-${width}`);
      await panel.getByRole("button", { name: "Close" }).click();

      // All of it is taken back, and nothing is offered that would do nothing.
      await part.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
    },
  );

  test("says before that an undo rejects open approval requests, and to press again where it was not reached", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const id = await run(url, [
      { id: "bk", tool: "probe-book", args: { n: 1 } },
      { id: "gone", tool: "probe-delete", args: { id: 2 } },
    ]);
    await page.goto(`${url}/console#/runs/${id}`);
    const part = page.getByRole("region", { name: "Undo" });
    const undo = async (title: string): Promise<void> => {
      await part.getByRole("button", { name: "Undo" }).click(PATIENT);
      await page.getByRole("dialog", { name: title }).getByRole("button", { name: "Undo" }).click();
    };
    await page.route(`**/v1/runs/${id}/undo`, (route) =>
      route.request().postData() === "{}" ? route.abort() : route.fallback(),
    );
    await undo("Undo 1 write and reject 1 approval request?");
    await part.getByText("Press again: each write is undone once.", { exact: false }).waitFor();
    await page.unrouteAll();
    await undo("Undo 1 write and reject 1 approval request?");
    await part.getByRole("row").filter({ hasText: "bk" }).getByText("success").waitFor(PATIENT);
    expect(await part.getByRole("alert").count()).toBe(0);
  });

  test("asks again what an undo would send, and counts the week again, when the network is back", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const id = await run(url, [{ id: "flight", tool: "probe-book", args: { n: 1 } }]);
    for (const [hash, missed, shown] of [
      [`#/runs/${id}`, `**/v1/runs/${id}/undo`, page.getByRole("button", { name: "Undo" })],
      ["#/usage", /v1\/runs\?limit=100/, page.getByRole("region", { name: "What ran" })],
    ] as const) {
      let isMissed = false;
      await page.route(missed, (route) => {
        isMissed = true;
        return route.abort();
      });
      await page.goto(`${url}/console${hash}`);
      await expect.poll(() => isMissed, PATIENT).toBe(true);
      await page.unrouteAll();
      await page.evaluate(() => dispatchEvent(new Event("online")));
      await shown.waitFor(PATIENT);
    }
  });

  test.each(WIDTHS)("offers no undo where none can be, and says why of a write: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: ADMIN });
    const { page, url } = console;
    const [read, written] = [
      await run(url, [{ tool: "probe-echo", args: { n: 1 } }]),
      await run(url, [{ id: "note", tool: "probe-write", args: { n: 3 } }]),
    ];
    const part = page.getByRole("region", { name: "Undo" });
    await page.goto(`${url}/console#/runs/${written}`);
    await part.getByText("no call is known that undoes note").waitFor(PATIENT);
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    await expectAccessible(page);
    await expectFits(page);
    const looked = page.waitForResponse((answer) => answer.url().endsWith(`${read}/undo`), PATIENT);
    await page.goto(`${url}/console#/runs/${read}`);
    await looked;
    await page.waitForLoadState("networkidle");
    expect(await part.count()).toBe(0);
  });

  test("that ran again only what reads says whose writes an undo is of", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const first = await run(url, [
      { id: "flight", tool: "probe-book", args: { n: 1 } },
      { id: "look", tool: "probe-echo", args: { n: 1 } },
    ]);
    await page.goto(`${url}/console#/runs/${first}`);
    await page.getByRole("button", { name: "Run again" }).click(PATIENT);
    await page.getByText("Not sent again, because", { exact: false }).waitFor();
    const part = page.getByRole("region", { name: "Undo" });
    await part.getByText(`flight is a write of run ${first.slice(0, 8)}`).waitFor(PATIENT);
    await part.getByRole("button", { name: "Undo" }).click();
    const question = page.getByRole("dialog", { name: "Undo 1 write?" });
    await question.getByText("flight, a write of another run", { exact: false }).waitFor();
    await expectAccessible(page);
  });
});
