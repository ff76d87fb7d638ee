import { expect, test } from "vitest";

import { openConsole } from "./open-console.ts";

const KEY = "sandbox-admin-key";
const PATIENT = { timeout: 30_000 };
const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };

/** Fields of answers that are sentences for people, as tools and errors say them. */
const SAID = /^(description|summary|hint|message|detail|broken)$/;

/** Put code into every sentence of an answer. */
function addCode(value: unknown, name = ""): unknown {
  if (typeof value === "string") return SAID.test(name) ? `${value} See \`some_code\`.` : value;
  if (Array.isArray(value)) return value.map((one) => addCode(one, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, addCode(one, key)]));
}

test("What stands between backticks is code, wherever the text of a tool or an error is shown", async () => {
  await using console = await openConsole({ key: KEY });
  const { page, url } = console;
  const send = async (method: string, path: string, body: object): Promise<{ readonly batch_id: string }> => {
    const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
    return answer.json() as Promise<{ readonly batch_id: string }>;
  };
  const { batch_id: failed } = await send("POST", "/v1/execute_actions", {
    actions: [{ id: "wrong", tool: "probe-echo", args: { m: 1 } }],
  });
  const { batch_id: waiting } = await send("POST", "/v1/execute_actions", {
    actions: [{ id: "gone", tool: "probe-delete", args: { id: "backup" } }],
  });
  for (const id of [failed, waiting])
    await expect
      .poll(async () => (await fetch(`${url}/v1/runs/${id}`, { headers })).status, PATIENT)
      .toBe(200);
  await send("PUT", "/v1/event_types/tick.made", { description: "A tick was made" });
  await send("PUT", "/v1/flows/ticks", {
    summary: "Look a lamp up",
    input_schema: { type: "object", properties: { q: { type: "string", description: "What" } } },
    actions: [{ id: "found", tool: "probe-search", args: { q: "lamp" } }],
  });
  await page.route("**/v1/**", async (route) => {
    const response = await route.fetch();
    if (!(response.headers()["content-type"] ?? "").includes("json")) return route.fulfill({ response });
    return route.fulfill({ response, json: addCode(await response.json()) });
  });
  const find = () =>
    page.evaluate(() => {
      const walker = document.createTreeWalker(document.querySelector("main")!, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
        if (node.parentElement!.closest("textarea, pre, .json") === null && node.textContent!.includes("`"))
          found.push(node.textContent!);
      return found;
    });
  for (const path of [
    "tools",
    "tools/probe-search",
    "tools/nothing-such",
    `runs/${failed}`,
    `runs/${waiting}?action=gone`,
    "flows",
    "flows/ticks",
    "endpoints?view=types",
    "endpoints?view=new",
  ]) {
    await page.goto(`${url}/console#/${path}`);
    await page
      .locator("main code", { hasText: /^some_code$/ })
      .first()
      .waitFor(PATIENT)
      .catch(() => {
        throw new Error(`No code on ${path}`);
      });
    await page.waitForLoadState("networkidle");
    expect(await find(), path).toEqual([]);
  }
  await page.unrouteAll({ behavior: "wait" });
});
