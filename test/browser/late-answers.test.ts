import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { openConsole } from "./open-console.ts";

/** An answer that waits until it is let go. */
function late(): { readonly isDue: Promise<void>; readonly letGo: () => void } {
  let letGo = (): void => {};
  const isDue = new Promise<void>((resolve) => (letGo = resolve));
  return { isDue, letGo };
}

/** Everything that the page does with an answer it has: its own tasks come before this one. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

test("Tools found for earlier words do not take the place of those found for the last ones", async () => {
  await using console = await openConsole({ path: "/console#/tools" });
  const { page } = console;
  const earlier = late();
  await page.route("**/v1/discover_tools", async (route) => {
    const { query } = route.request().postDataJSON() as { readonly query?: string };
    if (query === undefined) return route.fallback();
    if (query === "earlier") await earlier.isDue;
    const tool = { name: `tool-for-${query}`, summary: "", category: "c", actions: [], is_write: false };
    return route.fulfill({ json: { tools: [tool], total: 1 } });
  });
  const search = page.getByRole("searchbox", { name: "Search" });
  const isAsked = page.waitForRequest((request) => request.postData()?.includes("earlier") === true);
  await search.fill("earlier");
  await isAsked;
  await search.fill("later");
  await page.getByText("tool-for-later").waitFor();
  const isAnswered = page.waitForResponse(
    (response) => response.request().postData()?.includes("earlier") === true,
  );
  earlier.letGo();
  await (await isAnswered).finished();
  await settle(page);
  expect(await page.getByText(/^tool-for-/).allInnerTexts()).toEqual(["tool-for-later"]);
});

test("An answer about usage does not take the place of that to a later question", async () => {
  await using console = await openConsole({ key: "sandbox-admin-key", isApart: true });
  const { page, url } = console;
  const first = late();
  let asked = 0;
  await page.route("**/v1/usage", async (route) => {
    asked += 1;
    const turn = asked;
    const answer = await route.fetch();
    const usage = (await answer.json()) as object;
    if (turn === 2) await first.isDue;
    return route.fulfill({ response: answer, json: { ...usage, key: `answer-${turn}` } });
  });
  await page.clock.install();
  await page.goto(`${url}/console#/usage`);
  await page.getByText("answer-1").waitFor();
  await page.clock.runFor(5_000);
  await expect.poll(() => asked).toBe(2);
  await page.clock.runFor(5_000);
  await page.getByText("answer-3").waitFor();
  const isAnswered = page.waitForResponse("**/v1/usage");
  first.letGo();
  await (await isAnswered).finished();
  await page.clock.runFor(100);
  expect(await page.getByText(/^answer-/).allInnerTexts()).toEqual(["answer-3"]);
});
