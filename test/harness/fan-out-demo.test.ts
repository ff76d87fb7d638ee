import { stripVTControlCharacters as plain } from "node:util";

import { afterAll, expect, test, vi } from "vitest";

import { showFanOut } from "../../scripts/demo/fan-out.ts";
import { startSubscribers } from "../../scripts/demo/subscribers.ts";
import { VolleyClient } from "../../scripts/demo/volley-client.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const subscribers = await startSubscribers();
afterAll(() => subscribers.close());
const { volley } = await setUpSandbox({ VOLLEY_DEV_ORIGINS: subscribers.origins.join() });

test("npm run demo draws who of 200 got an event, what becomes of the others, and that nothing is sent twice", async () => {
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
  const rows = printed.match(/(?<=^ {2}s\d{3} {2})[■↻×…]+(?= {2}s\d{3}$)/gm)!;
  expect(rows).toHaveLength(5);
  const signs = rows.join("");
  expect(Array.from("■↻×…", (sign) => signs.split(sign).length - 1)).toEqual([194, 4, 1, 1]);
  expect(signs.split("").flatMap((sign, place) => (sign === "■" ? [] : [place + 1]))).toEqual([
    7, 14, 21, 88, 113, 150,
  ]);
  expect(printed.match(/^ {2}s\d{3} {2}.*(?:retrying|pending|disabled): .*$/gm)).toEqual([
    expect.stringMatching(/s007 {2}HTTP 500 +retrying: attempt \d of 10 in \d+ s/),
    expect.stringMatching(/s014 {2}no listener +retrying: attempt \d of 10 in \d+ s/),
    expect.stringContaining("s021  HTTP 410    disabled: it wants no more events"),
    expect.stringMatching(/s088 {2}no listener +retrying: /),
    expect.stringMatching(/s113 {2}HTTP 500 +retrying: /),
    expect.stringMatching(/s150 {2}hangs +pending: it has 15 s to answer/),
  ]);
  expect(printed).toMatch(/The first had it after \d+ ms, half after \d+ ms, the last after \d+ ms\./);
  expect(printed).toContain("194 events taken before it, 194 after: nothing is sent twice.");
  expect(printed.split("\n").filter((line) => line.length > 80)).toEqual([]);
});
