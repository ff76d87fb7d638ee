import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // CI counts from this file what passed and failed.
    reporters: ["default", ["json", { outputFile: "dist/test-report.json" }]],
    projects: [
      {
        // The pure core and the tools, in Node: milliseconds, virtual time.
        test: {
          name: "core",
          // Virtual time needs none; properties with thousands of cases do, where others use the processor too.
          testTimeout: 30_000,
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/edge/**",
            "test/harness/**",
            "test/limits.test.ts",
            "test/seeds/worked-examples.test.ts",
            "test/chaos/**",
          ],
        },
      },
      {
        // The Durable Objects, inside workerd: real storage, real alarms. Storage is fresh for every file.
        plugins: [cloudflareTest({ wrangler: { configPath: "./test/edge/wrangler.jsonc" } })],
        test: { name: "edge", include: ["test/edge/**/*.test.ts"], testTimeout: 30_000 },
      },
      {
        // The built bundle in raw workerd, killed and started again. Runs last: its leases run out by the clock.
        test: {
          name: "chaos",
          include: ["test/chaos/**/*.test.ts"],
          testTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // The built bundle over HTTP, in raw workerd: real sockets, real time. Runs after the others, so that they do
        // not take its processor while its clocks run.
        test: {
          name: "harness",
          environment: "node",
          include: ["test/harness/**/*.test.ts", "test/limits.test.ts", "test/seeds/worked-examples.test.ts"],
          testTimeout: 15_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
