import { stripVTControlCharacters as plain } from "node:util";

import { afterAll, expect, test, vi } from "vitest";

import { showFanOut } from "../../scripts/demo/fan-out.ts";
import { startSubscribers } from "../../scripts/demo/subscribers.ts";
import { VolleyClient } from "../../scripts/demo/volley-client.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const subscribers = await startSubscribers();
afterAll(() => subscribers.close());
const { volley } = await setUpSandbox({ VOLLEY_DEV_ORIGINS: subscribers.origins.join() });

test("npm run demo draws who of 25 got an event, what becomes of the others, and that nothing is sent twice", async () => {
  const written: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line = "") => void written.push(String(line)));
  await showFanOut(new VolleyClient(volley.url, "sandbox-admin-key"), subscribers);
  vi.restoreAllMocks();

  const printed = plain(written.join("\n"));
  expect(printed.match(/^ {2}POST .*$/gm)).toEqual([
    expect.stringMatching(/unsigned {2}401$/),
    expect.stringMatching(/signed {4}202 {2}run \w{8}…$/),
    expect.stringMatching(/signed {4}202 {2}run \w{8}… the same$/),
  ]);
  expect(printed.match(/s\d\d +\d+ ms/g)).toHaveLength(22);
  expect(printed.match(/^ {2}s\d\d {2}.*(?:retrying|running|failed): .*$/gm)).toEqual([
    expect.stringMatching(/s07 {2}HTTP 500 {2}\w+ing: attempt \d of 10 in \d+ s/),
    expect.stringMatching(/s14 {2}no answer \w+ing: attempt \d of 10 in \d+ s/),
    expect.stringContaining("s21  HTTP 410  failed: it wants no more events"),
  ]);
  expect(printed).toContain("22 events taken before it, 22 after: nothing is sent twice.");
  expect(printed.split("\n").filter((line) => line.length > 80)).toEqual([]);
});
