import { beforeAll, describe, expect, test } from "vitest";

import { call } from "./endpoint-samples.ts";
import { expectAccessible, expectFits, openConsole, type OpenConsole, WIDTHS } from "./open-console.ts";
import { sandboxUrl } from "./sandbox-url.ts";

const ADMIN = "sandbox-admin-key";
const PATIENT = { timeout: 20_000 };

const declare = (name: string, more: object) =>
  call("PUT", `/v1/tools/${name}`, {
    summary: "Refund a customer",
    description: "Refund a customer.",
    category: "shop",
    actions: ["pay"],
    is_write: true,
    input_schema: {
      type: "object",
      properties: { amount: { type: "number" }, customer: { type: "string" } },
    },
    http: { method: "POST", url: "https://probe.sandbox.test/hook" },
    orchestration: {
      mode: "sequential-only",
      confirm: { says: "Refund {{args#/amount}} to {{args#/customer}}", ...more },
    },
  });

/** Ask about a call; the id of its question. */
async function ask(tool: string, args: object): Promise<string> {
  const { results } = await call("POST", "/v1/execute_actions", { actions: [{ id: "back", tool, args }] });
  return (results as [{ confirmation: { id: string } }])[0].confirmation.id;
}

beforeAll(async () => {
  await declare("refund_by_one", {});
  await declare("refund_by_two", { needs: 2 });
});

describe("A question that two people decide", () => {
  test.each(WIDTHS)(
    "says in one sentence what a yes would do by now, who said yes, and what was asked for: $width px",
    async (look) => {
      const id = await ask("refund_by_two", { amount: 49.9, customer: "Ada" });
      await using console = await openConsole({ ...look, key: ADMIN, path: `/console#/confirmations/${id}` });
      const { page } = console;
      await page.getByText("0 of 2 people approved").waitFor(PATIENT);
      await page.getByText("Refund 49.9 to Ada", { exact: true }).waitFor();
      await call("POST", `/v1/confirmations/${id}`, {
        decision: "approve",
        args: { back: { amount: 40, customer: "Ada" } },
      });
      await page.getByText("1 of 2 people approved, to other arguments than were asked for").waitFor(PATIENT);
      await page.getByText("Refund 40 to Ada", { exact: true }).waitFor();
      expect(await page.getByText("Refund 49.9 to Ada").count()).toBe(0);
      await page.getByText("A person wrote these arguments. Asked for were:").waitFor();
      await expectAccessible(page);
      await expectFits(page);
      // The same person's second yes changes nothing.
      await page.getByRole("button", { name: "Approve", exact: true }).click();
      await page.getByText("1 of 2 people approved").waitFor();
      const { url } = (await call("POST", `/v1/confirmations/${id}/link`, { name: "Grace" })) as {
        url: string;
      };
      await page.goto(url);
      await page.getByText("1 so far. Somebody wrote other arguments").waitFor();
      await page.getByText("Refund 40 to Ada", { exact: true }).waitFor();
      await expectAccessible(page);
      await expectFits(page);
    },
  );
});

describe("A yes in the console", () => {
  test("is remembered for as long as one says, for the same call alone", async () => {
    const id = await ask("refund_by_one", { amount: 7, customer: "Bob" });
    await using console = await openConsole({ key: ADMIN, path: `/console#/confirmations/${id}` });
    const { page } = console;
    await page.getByLabel("Remember this approval for the same call").selectOption("for a day");
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText("You approved it").waitFor(PATIENT);
    const run = async (amount: number) => {
      const actions = [{ tool: "refund_by_one", args: { amount, customer: "Bob" } }];
      return ((await call("POST", "/v1/execute_actions", { actions })) as { results: [{ status: string }] })
        .results[0].status;
    };
    expect(await run(7)).not.toBe("pending_confirmation");
    expect(await run(8)).toBe("pending_confirmation");
  });

  test.each(WIDTHS)(
    "that is remembered is in a list, which forgets it: the same call is asked about again: $width px",
    async (look) => {
      const actions = [{ id: "back", tool: "refund_by_one", args: { amount: look.width, customer: "Zoe" } }];
      const run = async () => (await call("POST", "/v1/execute_actions", { actions })).results[0];
      const { confirmation } = await run();
      await call("POST", `/v1/confirmations/${confirmation.id}`, { decision: "approve", remember_s: 86_400 });
      expect((await run()).status).not.toBe("pending_confirmation");
      await using console = await openConsole({ ...look, key: ADMIN, path: "/console#/confirmations" });
      const { page } = console;
      const list = page.getByRole("region", { name: "Remembered" });
      const row = list.locator("tr").filter({ hasText: `{"amount":${look.width},"customer":"Zoe"}` });
      await row.getByText("admin").first().waitFor(PATIENT);
      await expectAccessible(page);
      await expectFits(page);
      await row.getByRole("button", { name: "Forget the approval of refund_by_one" }).click();
      await page.getByText("The next such call waits for a person again.").waitFor();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Back" }).click();
      expect(await row.count()).toBe(1);
      await row.getByRole("button", { name: "Forget the approval of refund_by_one" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Forget", exact: true }).click();
      await expect.poll(() => row.count(), PATIENT).toBe(0);
      expect((await run()).status).toBe("pending_confirmation");
    },
  );

  test("is followed by the number in the navigation at once, and so is what a run asks", async () => {
    await using console = await openConsole({ key: "sandbox-other-key", path: "/console#/run" });
    const { page } = console;
    // The number looks for itself every 20 seconds.
    const soon = { timeout: 8_000 };
    const batch = { actions: [{ tool: "probe-delete", args: { id: "at-once" } }] };
    await page.getByRole("textbox", { name: "Batch, as JSON" }).fill(JSON.stringify(batch));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("link", { name: /Approvals \d+ waiting/ }).waitFor(soon);
    await page.goto(`${sandboxUrl()}/console#/confirmations`);
    const waiting = page.getByRole("list", { name: "Waiting" }).getByRole("link");
    await waiting.first().waitFor(PATIENT);
    for (let left = await waiting.count(); left > 0; left -= 1) {
      await waiting.first().click();
      await page.getByRole("button", { name: "Reject", exact: true }).click();
      await page.getByText("You rejected it").waitFor(PATIENT);
      await expect
        .poll(() => page.getByRole("link", { name: `Approvals ${left} waiting` }).count(), soon)
        .toBe(0);
      await page.goto(`${sandboxUrl()}/console#/confirmations`);
    }
    await page.getByText("Nothing waits for you").waitFor(PATIENT);
  });
});

describe("Run", () => {
  const planOf = (page: OpenConsole["page"]) => page.getByRole("region", { name: "Plan" });
  const batchOf = (n: number, tool = "probe-echo") =>
    JSON.stringify({ actions: [{ id: "a", tool, args: { n } }] });

  test("sends the receipt of the plan that is shown: one that changed is refused in words, and the next Run does the plan that is shown then", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page } = console;
    const sent: { plan_receipt?: string; dry_run?: boolean }[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/execute_actions")) sent.push(request.postDataJSON());
    });
    const editor = page.getByRole("textbox", { name: "Batch, as JSON" });
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await editor.fill(batchOf(1));
    await button("Plan").click();
    await page.locator(".plan-view").getByText("1 action in 1 step").waitFor(PATIENT);
    await editor.fill(batchOf(2));
    await button("Run").click();
    await planOf(page).getByText("Nothing ran: the batch changed since the plan was shown.").waitFor(PATIENT);
    await expectAccessible(page);
    await button("Run").click();
    await page.getByRole("heading", { name: "Done" }).waitFor(PATIENT);
    const receipts = sent.filter(({ dry_run: isDry }) => isDry !== true).map((one) => one.plan_receipt);
    expect(receipts).toEqual([expect.stringContaining("."), expect.stringContaining(".")]);
    expect(receipts[0]).not.toBe(receipts[1]);
  });

  test("says of a batch that names another tool since its plan was shown that the batch changed, and no tool", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page } = console;
    const editor = page.getByRole("textbox", { name: "Batch, as JSON" });
    await editor.fill(batchOf(1));
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await page.locator(".plan-view").getByText("1 action in 1 step").waitFor(PATIENT);
    await editor.fill(batchOf(1, "probe-book"));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const said = planOf(page).getByText("changed since the plan was shown");
    await said.waitFor(PATIENT);
    expect(await said.innerText()).toContain("Nothing ran: the batch changed since the plan was shown.");
  });

  test("runs nothing where a tool was declared otherwise since its plan was shown, and says so", async () => {
    const body = { actions: [{ id: "a", tool: "refund_by_one", args: { amount: 1, customer: "Eve" } }] };
    await using console = await openConsole({ key: ADMIN });
    const { page } = console;
    await page.getByRole("textbox", { name: "Batch, as JSON" }).fill(JSON.stringify(body));
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await page.locator(".plan-view").getByText("1 action in 1 step").waitFor(PATIENT);
    const receipt = async () =>
      (await call("POST", "/v1/execute_actions", { ...body, dry_run: true })).plan.receipt as string;
    const before = await receipt();
    await declare("refund_by_one", { says: "Pay {{args#/amount}} back to {{args#/customer}}" });
    // An isolate knows a tenant's tools for five seconds.
    await expect.poll(receipt, PATIENT).not.toBe(before);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await planOf(page).getByText("Nothing ran: a tool changed since the plan was shown.").waitFor(PATIENT);
  });
});
