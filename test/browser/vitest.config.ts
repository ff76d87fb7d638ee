import { defineConfig } from "vitest/config";

import { SECOND_TRIES } from "../support/second-tries.ts";
import { WORKERS } from "./start-sandbox.ts";

/** The console in a real browser, against the sandbox: `npm run test:browser`, which installs this folder first. */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: "test/browser/start-sandbox.ts",
    // A browser and a sandbox each: their tests mostly wait, for the console's next question.
    maxWorkers: WORKERS,
    isolate: false,
    retry: SECOND_TRIES,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Ends what hangs, as the limits above do.
    expect: { poll: { timeout: 30_000 } },
    reporters: ["default", ["json", { outputFile: "dist/test-report-browser.json" }]],
  },
});
