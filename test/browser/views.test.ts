import { describe, expect, test } from "vitest";

import { call as ask } from "./endpoint-samples.ts";
import { expectAccessible, expectFits, openConsole, WIDTHS } from "./open-console.ts";

const ADMIN = "sandbox-admin-key";

/** The fields of an answer that are read here. */
interface Answered {
  readonly results: readonly [{ readonly job_id: string; readonly confirmation: { readonly id: string } }];
}

async function call(
  url: string,
  path: string,
  body: unknown,
  method = "POST",
  key = ADMIN,
): Promise<Answered> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(method !== "GET" && { body: JSON.stringify(body) }),
  });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as Answered;
}

/** Ask for something that needs a yes, with what waits behind it. */
async function park(url: string, id = "lamp-1"): Promise<string> {
  const { results } = await call(url, "/v1/execute_actions", {
    actions: [
      { id: "gone", tool: "probe-delete", args: { id } },
      { id: "tell", tool: "probe-echo", args: { n: 1 }, depends_on: ["gone"] },
    ],
  });
  return results[0].confirmation.id;
}

describe("A question", () => {
  test.each(WIDTHS)("shows what will happen, with its buttons on one screen: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: ADMIN });
    const { page, url } = console;
    const id = await park(url);
    await page.goto(`${url}/console#/confirmations/${id}`);
    await page.getByRole("heading", { level: 1, name: "May this happen?" }).waitFor();
    await page.getByText("lamp-1").waitFor();
    await page.getByText("1 action that waits for it").waitFor();
    for (const name of ["Approve", "Reject"]) {
      const box = await page.getByRole("button", { name, exact: true }).boundingBox();
      expect(box!.height).toBeGreaterThanOrEqual(48);
      expect(box!.y + box!.height).toBeLessThanOrEqual(look.width < 600 ? 780 : 900);
    }
    await expectAccessible(page);
    await expectFits(page);
  });

  test("says of what follows how far it reaches", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    // Those of tests before this one, which take all events.
    const { endpoints } = await ask("GET", "/v1/endpoints?limit=100");
    for (const { id } of endpoints) await ask("DELETE", `/v1/endpoints/${id}`);
    await call(
      url,
      "/v1/endpoints/reached",
      { url: "https://probe.sandbox.test/hook", events: ["lamp.gone"], customer: "customer_1" },
      "PUT",
    );
    const { results } = await call(url, "/v1/execute_actions", {
      actions: [
        { id: "gone", tool: "probe-delete", args: { id: "lamp-2" } },
        { id: "tell", tool: "publish_event", args: { type: "lamp.gone" }, depends_on: ["gone"] },
      ],
    });
    await page.goto(`${url}/console#/confirmations/${results[0].confirmation.id}`);
    const action = page.getByRole("region", { name: "Action tell" });
    await action.getByText(/^It goes to 1 endpoint of 1 customer\.$/).waitFor({ timeout: 20_000 });
  });

  test("is approved once, however often it is pressed, and shows what came of it", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const id = await park(url);
    let sent = 0;
    page.on(
      "request",
      (request) => (sent += request.method() === "POST" && request.url().includes(id) ? 1 : 0),
    );
    await page.goto(`${url}/console#/confirmations/${id}`);
    await page.getByRole("button", { name: "Approve", exact: true }).dblclick();
    await page.getByText("You approved it").waitFor();
    await page.getByText("success").first().waitFor();
    expect(sent).toBe(1);
    expect(await page.getByRole("button", { name: "Approve", exact: true }).count()).toBe(0);
  });

  test.each([
    ["Approve", "You approved it. What came of it:"],
    ["Reject", "You rejected it. Nothing of it runs."],
  ])("takes the focus from %s to what came of it", async (name, said) => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    await page.goto(`${url}/console#/confirmations/${await park(url)}`);
    await page.getByRole("button", { name, exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText(said).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement!.textContent)).toBe(said);
  });

  test.each([
    ["sandbox-key", false],
    ["sandbox-model-key", true],
  ] as const)("has buttons for a key that decides alone, and says why: %s", async (key, isDisabled) => {
    await using console = await openConsole({ key });
    const { page, url } = console;
    const actions = [{ tool: "probe-delete", args: { id: "lamp-1" } }];
    const { results } = await call(url, "/v1/execute_actions", { actions }, "POST", "sandbox-model-key");
    await page.goto(`${url}/console#/confirmations/${results[0].confirmation.id}`);
    await page.getByRole("button", { name: "Approve", exact: true, disabled: isDisabled }).waitFor();
    await page.getByRole("button", { name: "Reject", exact: true, disabled: isDisabled }).waitFor();
    const said = page.getByText("This key may ask and not decide");
    if (isDisabled) await said.waitFor();
    expect(await said.count()).toBe(isDisabled ? 1 : 0);
  });

  test("that was decided by somebody else meanwhile says so", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const id = await park(url);
    await page.goto(`${url}/console#/confirmations/${id}`);
    const approve = page.getByRole("button", { name: "Approve", exact: true });
    await approve.waitFor();
    await page.route("**/v1/confirmations/**", (route) =>
      route.request().method() === "GET" ? route.abort() : route.continue(),
    );
    await call(url, `/v1/confirmations/${id}`, { decision: "reject" });
    await approve.click();
    await page.getByText("This decision did not count").waitFor();
    await page.unroute("**/v1/confirmations/**");
    await page.getByText("It was rejected. Nothing of it runs.").waitFor();
  });

  test("asks for a key first where there is none, and is there afterwards", async () => {
    await using console = await openConsole({ key: null });
    const { page, url } = console;
    const id = await park(url);
    await page.goto(`${url}/console#/confirmations/${id}`);
    await page.getByLabel("Your key").fill(ADMIN);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "May this happen?" }).waitFor();
  });

  test("is counted in the navigation and listed until it is rejected by keyboard", async () => {
    await using console = await openConsole({ key: "sandbox-other-key" });
    const { page, url } = console;
    await call(
      url,
      "/v1/execute_actions",
      { actions: [{ tool: "probe-delete", args: { id: "x" } }] },
      "POST",
      "sandbox-other-key",
    );
    await page.goto(`${url}/console#/confirmations`);
    await page.reload();
    await page.getByRole("link", { name: /Approvals 1 waiting/ }).waitFor();
    await page.getByRole("list", { name: "Waiting" }).getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "May this happen?" }).waitFor();
    await page.getByRole("button", { name: "Reject", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("You rejected it").waitFor();
  });
});

describe("Jobs", () => {
  test.each(WIDTHS)("are listed and filtered, and one is followed: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: ADMIN });
    const { page, url } = console;
    await call(url, "/v1/execute_actions", {
      actions: [
        { tool: "probe-background", args: { n: 7, status: 404 } },
        { tool: "probe-background", args: { n: 8 } },
      ],
    });
    await page.goto(`${url}/console#/jobs`);
    await page.getByLabel("Status").selectOption("failed");
    await page.waitForURL(/status=failed/);
    await expectAccessible(page);
    await expectFits(page);
    await page
      .getByRole("link", { name: /probe-background/ })
      .first()
      .click();
    await page.getByRole("heading", { level: 1, name: "probe-background" }).waitFor();
    await page.getByText("NOT_FOUND").first().waitFor();
    // A name is read as a word, not as a column of letters.
    const other = page.getByRole("region", { name: "Of the same batch" }).getByRole("link");
    expect((await other.boundingBox())!.height).toBeLessThan(50);
    await expectAccessible(page);
    await expectFits(page);
  });

  test("say well that there is none of an id", async () => {
    await using console = await openConsole({ path: "/console#/jobs/nope" });
    await console.page.getByRole("heading", { name: "There is no such job" }).waitFor();
  });

  test("are cancelled while they are alive", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const { results } = await call(url, "/v1/execute_actions", {
      actions: [
        { tool: "probe-background", args: { n: 1 }, run_at: new Date(Date.now() + 3_600_000).toISOString() },
      ],
    });
    await page.goto(`${url}/console#/jobs/${results[0].job_id}`);
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Cancel this job?" });
    await question.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByText("Cancelled before it could begin").waitFor();
    expect(await page.getByRole("button", { name: "Cancel", exact: true }).count()).toBe(0);
  });
});

describe("Tools", () => {
  test("lists all that the key may call with few questions", async () => {
    await using console = await openConsole({ path: "/console#/tools" });
    const { page } = console;
    let asked = 0;
    page.on("request", (request) => void (asked += request.url().endsWith("/v1/discover_tools") ? 1 : 0));
    await page.reload();
    await page.locator(".tool-list li").nth(60).waitFor();
    const said = await page
      .getByRole("status")
      .filter({ hasText: /^\d+ tools$/ })
      .textContent();
    expect(await page.locator(".tool-list li").count()).toBe(Number.parseInt(said!, 10));
    expect(asked).toBeLessThanOrEqual(9);
  });

  test.each(WIDTHS)("are found, and one is called by its form: $width px", async (look) => {
    await using console = await openConsole({ ...look, path: "/console#/tools" });
    const { page } = console;
    await page.getByLabel("Search").fill("presentation");
    await page.getByRole("link", { name: /create_presentation/ }).click();
    await page.getByRole("heading", { level: 1, name: "create_presentation" }).waitFor();
    await page.getByRole("button", { name: "Add to “slides”" }).click();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("Expected a string, received nothing").first().waitFor();
    expect(await page.locator('[aria-invalid="true"]').count()).toBe(2);
    await expectAccessible(page);
    await expectFits(page);
    for (const title of await page.getByLabel("title", { exact: true }).all()) await title.fill("Lamps");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("It goes on in the background").waitFor();
    expect(await page.locator('[aria-invalid="true"]').count()).toBe(0);
  });

  test("break no word of what an argument takes on a desktop", async () => {
    await using console = await openConsole({ path: "/console#/tools/probe-search" });
    const { page } = console;
    const takes = page.locator(".schema td:nth-child(2)");
    await takes.first().waitFor();
    const linesOfWords = await takes.evaluateAll((cells) =>
      cells.flatMap((cell) => {
        const [text, range] = [cell.firstChild!, document.createRange()];
        return [...text.textContent!.matchAll(/\w+/g)].map(({ 0: word, index }) => {
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          return [word, range.getClientRects().length];
        });
      }),
    );
    expect(linesOfWords.filter(([, lines]) => lines !== 1)).toEqual([]);
    expect(linesOfWords).toContainEqual(["number", 1]);
  });

  test("mark the argument in which a reference is wrong, with its place inside", async () => {
    await using console = await openConsole({ path: "/console#/tools/publish_event" });
    const { page } = console;
    await page.getByLabel("type", { exact: true }).fill("shop.lamp_sold");
    await page.getByLabel(/^data/).fill('{ "lamp": { "$ref": "found" } }');
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("BAD_REFERENCE").first().waitFor();
    expect(await page.locator('[aria-invalid="true"]').evaluateAll((all) => all.map(({ id }) => id))).toEqual(
      ["f%2Fdata"],
    );
    const said = 'lamp/$ref Expected an action\'s id, "#" and a JSON Pointer';
    expect(await page.locator(".field .wrong").innerText()).toContain(said);
    await expectAccessible(page);
  });

  test("of one's own show their declaration and are deleted after a question", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    await call(
      url,
      "/v1/tools/customer-find",
      {
        summary: "Find a customer",
        description: "<img src=x onerror=alert(1)> and no markup",
        category: "crm",
        actions: ["search"],
        is_write: false,
        input_schema: { type: "object", properties: { email: { type: "string" } } },
        http: { method: "GET", url: "https://api.example.com/customers" },
      },
      "PUT",
    );
    await page.goto(`${url}/console#/tools/customer-find`);
    await page.getByRole("heading", { name: "Its declaration" }).waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Back" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.waitForURL(/#\/tools$/);
  });

  test("say well that there is none of a name", async () => {
    await using console = await openConsole({ path: "/console#/tools/probe-eco" });
    await console.page.getByRole("heading", { name: "There is no such tool" }).waitFor();
    await console.page.getByText("It may also be one that this key may not call.").waitFor();
    await console.page.getByText("probe-echo").waitFor();
  });
});

describe("A flow that is paused", () => {
  test("says so in the list and on its page, and names no next run", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    await call(
      url,
      "/v1/flows/resting",
      {
        summary: "Rest",
        input_schema: { type: "object" },
        actions: [{ id: "one", tool: "probe-echo", args: { n: 1 } }],
        triggers: { cron: "0 7 * * *", paused: true },
      },
      "PUT",
    );
    await page.goto(`${url}/console#/flows/resting`);
    await page.getByText("UTC, paused").waitFor();
    expect(await page.getByText("next –").count()).toBe(0);
    await page.goto(`${url}/console#/flows`);
    await page.getByRole("link", { name: "resting" }).getByText("paused").waitFor();
  });
});

describe("A flow of which something is to be said", () => {
  test("lists its issues on its page, with what to do, and what would not be seen in them", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const hooked = {
      summary: "Take a delivery",
      input_schema: { type: "object" },
      actions: [{ id: "one", tool: "probe-echo", args: { n: 1 } }],
      triggers: { webhook: { verify: "github", secret: "SANDBOX_SECRET" } },
    };
    await call(url, "/v1/flows/first-hook", hooked, "PUT");
    await page.goto(`${url}/console#/flows/first-hook`);
    await page.getByRole("region", { name: "What it does" }).waitFor();
    expect(await page.getByRole("region", { name: "Its issues" }).count()).toBe(0);

    await call(url, "/v1/flows/second-hook", hooked, "PUT");
    await page.goto(`${url}/console#/flows/second-hook`);
    const warned = page.getByRole("region", { name: "Its issues" });
    await warned.getByText("1 issue").waitFor();
    await warned.getByText("Warning at /triggers/webhook/secret").waitFor();
    await warned.getByText("the flow 'first-hook' too").waitFor();
    await warned.getByText("name a secret of its own for each flow").waitFor();
    await expectAccessible(page);
    await expectFits(page);

    const error = { severity: "error", path: "/a\u202e", expected: "e", received: "r", hint: "Bind it." };
    await page.route("**/v1/flows/second-hook", async (route) => {
      const answer = await route.fetch();
      const shown = (await answer.json()) as object;
      await route.fulfill({
        response: answer,
        json: { ...shown, issues: [error, { ...error, path: "/b" }] },
      });
    });
    await page.reload();
    await warned.getByText("2 issues").waitFor();
    expect(await warned.getByText(/^Error at/).allTextContents()).toEqual([
      "Error at /a\\u{202e}: expected e, received r.",
      "Error at /b: expected e, received r.",
    ]);
  });
});

describe("A list that was asked for before", () => {
  test("is not shown when it is answered after another filter or page was chosen", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const job = (id: string, tool: string) => ({
      job_id: id,
      tool,
      status: "dead",
      attempts: 1,
      created_at: "2020-01-02T03:04:05.000Z",
      updated_at: "2020-01-02T03:04:06.000Z",
      next_attempt_at: null,
    });
    const asked: string[] = [];
    let answerLate = (): void => {};
    const isLate = new Promise<void>((resolve) => (answerLate = resolve));
    await page.route("**/v1/jobs?*", async (route) => {
      const { search } = new URL(route.request().url());
      asked.push(search);
      const isOlder = search.includes("cursor=");
      const status = new URLSearchParams(search).get("status") ?? "any";
      if (isOlder && status === "any") await isLate;
      return route.fulfill({
        json: {
          jobs: [
            job(`${status}-${isOlder ? "older" : "first"}`, `tool-${status}-${isOlder ? "older" : "first"}`),
          ],
          next_cursor: isOlder ? null : `cursor-of-${status}`,
        },
      });
    });
    await page.goto(`${url}/console#/jobs`);
    await page.getByText("tool-any-first").waitFor();
    // A time of another year has its year.
    await page.getByText("2020").first().waitFor();
    await page.getByRole("button", { name: "Show older" }).click();
    await page.getByLabel("Status").selectOption("dead");
    await page.getByText("tool-dead-first").waitFor();
    answerLate();
    await page.getByRole("button", { name: "Show older" }).click();
    await page.getByText("tool-dead-older").waitFor();
    expect(await page.getByText(/tool-any/).count()).toBe(0);
    const pages = asked.filter((search) => search.includes("cursor="));
    expect(pages).toEqual([
      expect.stringContaining("cursor=cursor-of-any"),
      expect.stringMatching(/status=dead.*cursor=cursor-of-dead/),
    ]);
  });

  test("is not drawn into a section that was opened before it was answered", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    let answerLate = (): void => {};
    const isLate = new Promise<void>((resolve) => (answerLate = resolve));
    let late = 0;
    for (const path of ["**/v1/get_tool_schema", "**/v1/discover_tools"])
      await page.route(path, async (route) => {
        late += 1;
        await isLate;
        return route.fallback();
      });
    await page.goto(`${url}/console#/tools/probe-echo`);
    await expect.poll(() => late).toBe(2);
    await page.getByRole("navigation").getByRole("link", { name: "Usage" }).click();
    await page.getByText("Jobs by status").waitFor();
    const answers = ["get_tool_schema", "discover_tools"].map((name) =>
      page.waitForResponse((response) => response.url().endsWith(name)),
    );
    answerLate();
    for (const answer of answers) await (await answer).finished();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
    expect(await page.getByRole("heading", { level: 1 }).allInnerTexts()).toEqual(["Usage"]);
  });
});

describe("Flows", () => {
  test.each(WIDTHS)("are drawn, run and told: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: ADMIN });
    const { page, url } = console;
    await call(
      url,
      "/v1/flows/lamp-report",
      {
        summary: "Look a lamp up",
        input_schema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
        actions: [
          { id: "found", tool: "probe-search", args: { q: { $ref: "input#/q" } } },
          { id: "one", tool: "probe-item", args: { id: { $ref: "found#/items/0/id" } } },
        ],
        answer: { $ref: "one#/id" },
      },
      "PUT",
    );
    await page.goto(`${url}/console#/flows`);
    await page.getByRole("link", { name: /lamp-report/ }).click();
    await page.getByText("2 actions in 2 steps").waitFor();
    await page.getByLabel("q", { exact: false }).fill("lamp");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("heading", { name: "Its answer" }).waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });
});

describe("Usage", () => {
  test.each(WIDTHS)("says what is left and what goes on: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: ADMIN, path: "/console#/usage" });
    const { page } = console;
    await page.getByRole("meter", { name: "Requests used" }).waitFor();
    await page.getByText("Jobs by status").waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });
});

describe("The first key", () => {
  test.each(WIDTHS)("is made on the page that asks for one, and nothing is sent: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: null });
    const { page } = console;
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await page.getByText("Make an entry for VOLLEY_KEYS").click();
    await page.getByRole("button", { name: "Make a key" }).click();
    await page.getByRole("alert").getByText("A name has").waitFor();
    await page.getByLabel("Name").fill("first");
    await page.getByRole("button", { name: "Make a key" }).click();
    await page.getByText("npx wrangler secret put VOLLEY_KEYS").waitFor();
    const entry = await page.getByLabel("Entry for VOLLEY_KEYS, a JSON array of such entries").innerText();
    expect(JSON.parse(entry)).toMatchObject({ name: "first", tenant: "first", tools: ["*"] });
    await expectAccessible(page);
    await expectFits(page);
    expect(sent).toEqual([]);
  });
});

describe("Keys", () => {
  test.each(WIDTHS)("are made in the browser, rotated and revoked: $width px", async (look) => {
    await using console = await openConsole({ ...look, key: ADMIN, path: "/console#/keys" });
    const { page, url } = console;
    const name = `k-${look.width}`;
    const bodies: string[] = [];
    page.on("request", (request) => request.method() === "POST" && bodies.push(request.postData() ?? ""));
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Make a key" }).click();
    const shown = page.locator("p.key-shown");
    await shown.waitFor();
    const key = await shown.innerText();
    const isAccepted = async (one: string): Promise<boolean> =>
      (await fetch(`${url}/v1/jobs?limit=1`, { headers: { authorization: `Bearer ${one}` } })).ok;
    expect(await isAccepted(key)).toBe(true);
    expect(bodies.join(" ")).not.toContain(key);
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole("button", { name: `Rotate ${name}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    await page.getByText("previous key").first().waitFor();
    const next = await shown.innerText();
    expect(next).not.toBe(key);
    expect([await isAccepted(next), await isAccepted(key)]).toEqual([true, true]);
    await page.getByRole("button", { name: `Revoke ${name}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("button", { name: `Revoke ${name}` }).waitFor({ state: "detached" });
  });

  test("are not asked for by a key that may not manage them", async () => {
    await using console = await openConsole();
    const { page, url } = console;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.route("**/v1/usage", async (route) => {
      const answer = await route.fetch();
      return route.fulfill({ response: answer, json: { ...(await answer.json()), flags: ["approve"] } });
    });
    await page.goto(`${url}/console#/usage`);
    await page.getByText("Jobs by status").waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Tools" }).click();
    await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
    expect(asked).toContain("/v1/usage");
    expect(asked).not.toContain("/v1/keys");
  });

  test("of a tenant are no business of a key that may not manage them", async () => {
    await using console = await openConsole({ path: "/console#/usage" });
    const { page } = console;
    await page.getByText("Jobs by status").waitFor();
    expect(await page.getByRole("heading", { name: "Keys" }).count()).toBe(0);
  });
});
