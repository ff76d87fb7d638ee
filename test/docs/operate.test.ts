import { readFile } from "node:fs/promises";

import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";

import { readWranglerConfig } from "../support/wrangler-config.ts";

const page = await readFile(new URL("../../docs/operate.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```toml\n(.*?)^```$/gms)].map(([, toml]) => parse(toml!));

test("docs/operate.md gives an environment every binding that wrangler.toml has, none of which is inherited", async () => {
  const { staging } = blocks.find(({ env }) => env !== undefined)!["env"] as { staging: object };
  const config: object = await readWranglerConfig(new URL("../../wrangler.toml", import.meta.url));
  const inherited = [
    "name",
    "main",
    "compatibility_date",
    "compatibility_flags",
    "keep_names",
    "minify",
    "alias",
    "assets",
    "build",
    "observability",
    "migrations",
  ];
  const own = Object.entries(config).filter(([name]) => !inherited.includes(name));
  expect(staging).toEqual(Object.fromEntries(own));
});

/** Prices beyond what the plan includes, and that, in millions. */
const PRICES = { requests: [0.3, 10], cpu: [0.02, 30], calls: [0.15, 1], rows: [1, 50] } as const;
const priceOf = (what: keyof typeof PRICES, millions: number): number => {
  const [price, included] = PRICES[what];
  return Math.max(0, millions - included) * price;
};

describe("docs/operate.md reckons right", () => {
  test.each([
    ["a batch of three reads", 1.2, [1, 0.08, 0.014], [1 / 3, 0.003, 0.003]],
    ["a batch with one background job", 3.5, [2, 2, 2], [3.01, 3.01, 3.01]],
  ])("what %s costs a month", (_, cpuMs, calls, rows) => {
    const sums = [1, 100, 10_000].map((rate, at) => {
      const batches = (rate * 2_592_000) / 1_000_000;
      return (
        5 +
        priceOf("requests", batches) +
        priceOf("cpu", batches * cpuMs) +
        priceOf("calls", batches * calls[at]!) +
        priceOf("rows", batches * rows[at]!)
      );
    });
    const written = sums.map(
      (sum) => `**$${sum.toLocaleString("en-US", { maximumFractionDigits: 2, minimumFractionDigits: 2 })}**`,
    );
    expect(page).toContain(`| **a month, with the plan's $5** | ${written.join(" | ")} |`);
  });
});
