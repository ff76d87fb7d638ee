import { fileURLToPath } from "node:url";

import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** No test looks at how much time something took: limits of time end what hangs, far beyond what a busy machine needs. */
const shared = { testTimeout: 60_000, hookTimeout: 60_000, isolate: false } as const;
/** What computes gets a worker for each of two processors. */
const COMPUTES = { ...shared, maxWorkers: 2, sequence: { groupOrder: 0 } } as const;
/** What mostly waits, for sockets, alarms and leases, runs side by side after it. */
const WAITS = { ...shared, maxWorkers: 6, sequence: { groupOrder: 1 } } as const;

/** Most of the core's time: random samples by the thousand, and what starts or bundles a whole Worker. */
const SLOW = [
  "test/agent/ask-model-bounds.test.ts",
  "test/agent/dialect/chat-relay.test.ts",
  "test/agent/dialect/event-splitter.test.ts",
  "test/agent/react-text.test.ts",
  "test/answer/cut-json-string.test.ts",
  "test/answer/estimate-tokens.test.ts",
  "test/answer/fit-tokens.test.ts",
  "test/clock/next-time.test.ts",
  "test/contract/batch.test.ts",
  "test/docs/agent.test.ts",
  "test/docs/readme.test.ts",
  "test/egress/redact.test.ts",
  "test/egress/upstream-health.test.ts",
  "test/executor-answer.test.ts",
  "test/executor-cache.test.ts",
  "test/executor-confirmations.test.ts",
  "test/executor-properties.test.ts",
  "test/formats/batch-pairs.test.ts",
  "test/formats/openapi/hostile-documents.test.ts",
  "test/gate/claimed-keys.test.ts",
  "test/kit/gcra.test.ts",
  "test/packs/search.test.ts",
  "test/packs/shell.test.ts",
  "test/run/demotion.test.ts",
  "test/run/makespan.test.ts",
  "test/run/run-plan-properties.test.ts",
  "test/shell/classify-shell.test.ts",
  "test/shell/tokenize.test.ts",
  "test/state/lease-properties.test.ts",
  "test/state/quota.test.ts",
  "test/tools/kit/parse-when.test.ts",
  "test/kit/time-zone.test.ts",
  "test/scripts/documents-sql.test.ts",
  "test/tools/data/create-contacts.test.ts",
  "test/tools/data/csv-report.test.ts",
  "test/tools/data/query-orders.test.ts",
  "test/tools/data/revenue-summary.test.ts",
  "test/tools/documents/fetch-document.test.ts",
  "test/tools/documents/search-documents.test.ts",
  "test/tools/images/generate-image.test.ts",
  "test/tools/kit/keep-object.test.ts",
  "test/tools/kit/query-rows.test.ts",
];

/** Packs run in isolates of their own: here nobody reads their text, and it need not have been built. */
const withoutPacks = {
  name: "without-packs",
  enforce: "pre",
  resolveId: (id: string) => (id.includes("/dist/packs/") ? `\0${id.split("/").at(-1)}` : null),
  load: (id: string) =>
    id.startsWith("\0") && id.endsWith(".txt") ? `export default "//${id.slice(1, -4)}-test\\n";` : null,
} as const;

/** Node has no `cloudflare:workers`: here as in the package another class stands in for the platform's. */
const elsewhere = {
  name: "elsewhere",
  enforce: "pre",
  resolveId: (id: string) =>
    id === "cloudflare:workers"
      ? fileURLToPath(new URL("src/edge/platform/durable-object-elsewhere.ts", import.meta.url))
      : null,
} as const;

/** `--mode sdks`: what talks to Volley through other people's clients, which `npm run sdks` installs. */
const SDKS = [
  {
    plugins: [withoutPacks, elsewhere],
    test: {
      ...COMPUTES,
      name: "sdks-core",
      setupFiles: "test/support/fixed-seed.ts",
      include: ["test/sdks/core/**/*.test.ts"],
    },
  },
  {
    test: {
      ...WAITS,
      name: "sdks-harness",
      include: ["test/sdks/harness/**/*.test.ts"],
      globalSetup: "test/support/build-sandbox-once.ts",
      setupFiles: "test/support/fixed-seed.ts",
    },
  },
];

/** `--mode quick` leaves out what is slow, so that the rest of the core is a matter of seconds. */
export default defineConfig(({ mode }) => ({
  test: {
    // CI counts from this file what passed and failed.
    // What a test of the objects aborts on purpose, whatever was still waiting for them.
    onUnhandledError: ({ message }) => message !== "Application called abortAllDurableObjects().",
    reporters: [
      "default",
      ["json", { outputFile: `dist/test-report${mode === "sdks" ? "-sdks" : ""}.json` }],
    ],
    projects:
      mode === "sdks"
        ? SDKS
        : [
            {
              // The pure core and the tools, in Node: milliseconds, virtual time.
              plugins: [withoutPacks, elsewhere],
              test: {
                ...COMPUTES,
                // A sample of thousands takes what it takes.
                testTimeout: 300_000,
                name: "core",
                setupFiles: "test/support/fixed-seed.ts",
                include: ["test/**/*.test.ts"],
                exclude: [
                  // Packages of the folders that have an install of their own, some of which ship their tests.
                  "**/node_modules/**",
                  "test/browser/**",
                  "test/edge/**",
                  "test/harness/**",
                  "test/limits.test.ts",
                  "test/seeds/worked-examples.test.ts",
                  "test/chaos/**",
                  "test/sdks/**",
                  ...(mode === "quick" ? SLOW : []),
                ],
              },
            },
            {
              // The Durable Objects, inside workerd: real storage, real alarms.
              plugins: [cloudflareTest({ wrangler: { configPath: "./test/edge/wrangler.toml" } })],
              test: { ...WAITS, name: "edge", include: ["test/edge/**/*.test.ts"] },
            },
            {
              // The built bundle in raw workerd, killed and started again.
              test: { ...WAITS, name: "chaos", include: ["test/chaos/**/*.test.ts"] },
            },
            {
              // The built bundle over HTTP, in Miniflare or raw workerd: real sockets, real time.
              test: {
                ...WAITS,
                name: "harness",
                include: [
                  "test/harness/**/*.test.ts",
                  "test/limits.test.ts",
                  "test/seeds/worked-examples.test.ts",
                ],
                globalSetup: "test/support/build-sandbox-once.ts",
                setupFiles: "test/support/fixed-seed.ts",
              },
            },
          ],
  },
}));
