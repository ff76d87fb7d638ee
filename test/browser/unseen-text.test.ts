import { describe, expect, test } from "vitest";

import { openConsole, type OpenConsole } from "./open-console.ts";

type Page = OpenConsole["page"];

const ADMIN = "sandbox-admin-key";
const HEADERS = { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" };
/** One of each kind: what turns a line around, what has no width, a control, a filler, a tag. */
const HIDDEN = "\u202e\u200b\u0007\u3164\u{e0041}";
/** Words that the page chooses by, times and numbers in text: without them it would show something else. */
const CHOSEN =
  /^(status|code|type|kind|mode|next_cursor|cursor|.*_at|job_id|batch_id|confirmation|id|name|tool|reason|\$ref|\$schema)$/;

/** Put what hides into every text and every name of an answer that says something to a person. */
function poison(value: unknown, name = ""): unknown {
  if (typeof value === "string") return CHOSEN.test(name) ? value : `${HIDDEN}${value}${HIDDEN}`;
  if (Array.isArray(value)) return value.map((one) => poison(one, name));
  if (typeof value !== "object" || value === null) return value;
  const isOfTools = /^(args|data|answer|elements|input)$/.test(name);
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      isOfTools && key !== "$ref" ? `${key}${HIDDEN}` : key,
      poison(one, key),
    ]),
  );
}

/** The page's texts and attributes that cannot be seen; the values of fields are as their author typed them. */
function findHidden(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const hidden = /[\u200b\u202e\u3164\u{e0041}]/u;
    const found: string[] = [];
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node instanceof Text) {
        if (hidden.test(node.data)) found.push(node.data);
      } else
        for (const { name, value } of (node as Element).attributes)
          if (name !== "value" && hidden.test(value)) found.push(`${name}=${value}`);
    }
    if (hidden.test(document.title)) found.push(document.title);
    // The editor's own last line, which is high only with something in it.
    return found.filter((text) => text !== "\u200b");
  });
}

async function post(
  url: string,
  path: string,
  body: unknown,
  method: "POST" | "PUT" = "POST",
): Promise<unknown> {
  const answer = await fetch(`${url}${path}`, { method, headers: HEADERS, body: JSON.stringify(body) });
  expect(answer.ok).toBe(true);
  return answer.json();
}

const ACTIONS = [
  { id: "gone", tool: "probe-delete", args: { id: "backup-\u202eexe.niam" } },
  { id: "tell", tool: "probe-background", args: { n: 1 }, depends_on: ["gone"] },
];

describe("Text that hides", () => {
  test("T41 is seen in the arguments above Approve, as they are sent", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const { results } = (await post(url, "/v1/execute_actions", { actions: ACTIONS })) as {
      readonly results: readonly [
        { readonly confirmation: { readonly id: string; readonly message: string } },
      ];
    };
    const { id, message } = results[0].confirmation;
    expect(message).toContain(String.raw`backup-\u{202e}exe.niam`);
    await page.goto(`${url}/console#/confirmations/${id}`);
    await page.getByText(String.raw`backup-\u{202e}exe.niam`).waitFor();
    expect(await findHidden(page)).toEqual([]);
    // The text of the API's answer hides nothing; its value is the exact one.
    const asked = await fetch(`${url}/v1/confirmations/${id}`, { headers: HEADERS });
    const text = await asked.text();
    expect(text).toContain(String.raw`backup-\u202eexe.niam`);
    expect(JSON.parse(text)).toMatchObject({ actions: [{ args: { id: "backup-\u202eexe.niam" } }, {}] });
  });

  test("T41 is seen in every view, whatever text of an answer has it", async () => {
    await using console = await openConsole({ key: ADMIN });
    const { page, url } = console;
    const { results } = (await post(url, "/v1/execute_actions", { actions: ACTIONS })) as {
      readonly results: readonly [{ readonly confirmation: { readonly id: string } }];
    };
    const made = (await post(url, "/v1/execute_actions", {
      actions: [{ tool: "probe-background", args: { n: 1 } }],
    })) as { readonly results: readonly [{ readonly job_id: string }] };
    await post(
      url,
      "/v1/flows/unseen",
      {
        summary: "Look a lamp up",
        input_schema: { type: "object", properties: { q: { type: "string", description: "What" } } },
        actions: [{ id: "found", tool: "probe-search", args: { q: "lamp" } }],
      },
      "PUT",
    );
    let poisoned = 0;
    await page.route("**/v1/**", async (route) => {
      const answer = await route.fetch();
      if (!(answer.headers()["content-type"] ?? "").includes("json"))
        return route.fulfill({ response: answer });
      poisoned += 1;
      return route.fulfill({ response: answer, json: poison(await answer.json()) });
    });
    for (const [path, ready] of [
      ["confirmations", "Nothing waits|waiting"],
      [`confirmations/${results[0].confirmation.id}`, "Approve"],
      ["jobs", "Attempts"],
      [`jobs/${made.results[0].job_id}`, "What happened"],
      ["flows", "unseen"],
      ["flows/unseen", "Its plan|in 1 step"],
      ["usage", "Jobs by status"],
      ["tools", "probe"],
      ["tools/probe-search", "Argument"],
      ["tools/nothing-such", "There is no such tool"],
      ["run", "Batch"],
    ] as const) {
      await page.goto(`${url}/console#/${path}`);
      await page.getByText(new RegExp(ready)).first().waitFor();
      expect(await findHidden(page), path).toEqual([]);
    }
    await page.getByRole("textbox", { name: "Batch, as JSON" }).fill(JSON.stringify({ actions: ACTIONS }));
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await page.locator(".plan-node").first().waitFor();
    expect(await findHidden(page)).toEqual([]);
    expect(poisoned).toBeGreaterThan(10);
    // A list that the page asks for by itself may be on its way.
    await page.unrouteAll({ behavior: "wait" });
  });

  test("T41 is seen in the editor, which writes it as JSON does, and in what runs", async () => {
    await using console = await openConsole();
    const { page } = console;
    const editor = page.getByRole("textbox", { name: "Batch, as JSON" });
    await editor.fill('{ "actions": [{ "tool": "probe-search", "args": { "q": "a\u202eb\u200b" } }] }');
    const shown = String.raw`"a\u202eb\u200b"`;
    await expect.poll(() => editor.inputValue()).toContain(shown);
    expect(await page.locator(".editor pre").innerText()).toContain(shown);
    const [request] = await Promise.all([
      page.waitForRequest((asked) => asked.url().endsWith("/v1/execute_actions")),
      page.getByRole("button", { name: "Run", exact: true }).click(),
    ]);
    expect(request.postDataJSON()).toMatchObject({ actions: [{ args: { q: "a\u202eb\u200b" } }] });
    await page.getByRole("heading", { name: "Done" }).waitFor();
    await page.locator(".result > summary").click();
    expect(await findHidden(page)).toEqual([]);
  });
});
