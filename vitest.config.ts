import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/**
 * No test looks at how much time something took, so the projects run side by side: what waits leaves the processor to
 * what computes. Limits of time are there to end what hangs, and are far beyond what a busy machine needs.
 */
const shared = { testTimeout: 60_000, hookTimeout: 60_000, isolate: false, maxWorkers: 4 } as const;

export default defineConfig({
  test: {
    // CI counts from this file what passed and failed.
    reporters: ["default", ["json", { outputFile: "dist/test-report.json" }]],
    projects: [
      {
        // The pure core and the tools, in Node: milliseconds, virtual time.
        test: {
          ...shared,
          name: "core",
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
        // The Durable Objects, inside workerd: real storage, real alarms.
        plugins: [cloudflareTest({ wrangler: { configPath: "./test/edge/wrangler.jsonc" } })],
        test: { ...shared, name: "edge", include: ["test/edge/**/*.test.ts"] },
      },
      {
        // The built bundle in raw workerd, killed and started again.
        test: { ...shared, name: "chaos", include: ["test/chaos/**/*.test.ts"] },
      },
      {
        // The built bundle over HTTP, in raw workerd: real sockets, real time.
        test: {
          ...shared,
          name: "harness",
          include: ["test/harness/**/*.test.ts", "test/limits.test.ts", "test/seeds/worked-examples.test.ts"],
          globalSetup: "test/support/build-sandbox-once.ts",
        },
      },
    ],
  },
});
