import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

import { codeOfPage } from "./scripts/console/code-of-page.ts";
import { COUNTED, countWork } from "./scripts/count-work.ts";
import { LongestFirst } from "./test/support/longest-first.ts";
import { QuietRuntime } from "./test/support/quiet-runtime.ts";
import { SHARE } from "./test/support/samples.ts";
import { SECOND_TRIES } from "./test/support/second-tries.ts";
import { filesOf, LAYERS, type Layer, restOf } from "./test/tiers.ts";

/** Git does not keep the methods of the clients. A test says when the written ones are old. */
if (!existsSync("src/package/client/api.ts")) execFileSync(process.execPath, ["scripts/write-clients.ts"]);

/** Tests start hundreds of Node processes: each finds compiled what the first one compiled. */
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

/** No test looks at how much time something took: limits of time end what hangs, far beyond what a busy machine needs. */
const shared = { testTimeout: 60_000, hookTimeout: 60_000, isolate: false, fsModuleCache: true } as const;
/** Tests that compute get a worker for each of two processors. */
const COMPUTES = { ...shared, maxWorkers: 2, sequence: { groupOrder: 0 } } as const;
/** Tests in workerd follow. Each of its workers loads all of `src` anew, so they are few. */
const LOADS = { ...shared, retry: SECOND_TRIES, maxWorkers: 2, sequence: { groupOrder: 1 } } as const;
/** Tests that mostly wait, for sockets, alarms and leases, run side by side after them. */
const WAITS = { ...LOADS, maxWorkers: 6, sequence: { groupOrder: 2 } } as const;

/** A file or folder that is named runs whole, whichever tier it belongs to. */
const isNamed = process.argv.slice(2).some((word) => /^(?:\.\/)?(?:test|lab)\//.test(word));

/** Packs run in isolates of their own: tests here do not read their text, and it need not have been built. */
const withoutPacks = {
  name: "without-packs",
  enforce: "pre",
  resolveId: (id: string) => (id.includes("/dist/packs/") ? `\0${id.split("/").at(-1)}` : null),
  load: (id: string) =>
    id.startsWith("\0") && id.endsWith(".txt") ? `export default "//${id.slice(1, -4)}-test\\n";` : null,
} as const;

/** The console imports the code of a page, as `scripts/console/bundle-console.ts` gives it. */
const withCodeOfPages = {
  name: "with-code-of-pages",
  enforce: "pre",
  transform: (page: string, id: string) =>
    id.endsWith(".md") ? { code: `export default ${JSON.stringify(codeOfPage(page))};`, map: null } : null,
} as const;

/** The commands of the pack `shell` count their work here as they do in its isolate. */
const withCounts = {
  name: "with-counts",
  enforce: "pre",
  transform: (code: string, id: string) => (COUNTED.test(id) ? { code: countWork(code), map: null } : null),
} as const;

/** Node has no `cloudflare:workers`: other classes stand in for the platform's. */
const elsewhere = {
  name: "elsewhere",
  enforce: "pre",
  resolveId: (id: string) =>
    id === "cloudflare:workers"
      ? fileURLToPath(new URL("test/support/cloudflare-workers.ts", import.meta.url))
      : null,
} as const;

/**
 * Vitest sends a worker each module with a map that has its whole source: more than half of what starting workerd takes, and a tenth of what
 * Node does with tests of many modules. Tests keep theirs, and all do where a file is named.
 */
const withoutMaps = {
  // Vitest keeps each module as the plugins left it, under their names.
  name: isNamed ? "with-maps" : "without-maps",
  enforce: "post",
  transform: (code: string, id: string) =>
    isNamed || !/\/(?:src|node_modules)\//.test(id)
      ? null
      : // Vite makes no map of what has an empty one.
        { code: `${code}\n//# sourceMappingSource=vite-generated\n`, map: { mappings: "" } as const },
} as const;

/** `--mode sdks`: what talks to Volley through other people's clients, which `npm run sdks` installs. */
const SDKS = [
  {
    plugins: [withoutPacks, elsewhere],
    test: {
      ...COMPUTES,
      name: "sdks-core",
      setupFiles: ["test/support/fixed-seed.ts", "test/support/fitted-tokens.ts"],
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

/** The layers of test/tiers.ts, each with the runtime that it needs. */
function makeLayers(part: (layer: Layer) => object) {
  return [
    {
      // The pure core and the tools, in Node: milliseconds, virtual time.
      plugins: [withoutMaps, withoutPacks, withCodeOfPages, elsewhere, withCounts],
      test: {
        ...COMPUTES,
        ...part(LAYERS.core),
        name: "core",
        // A Worker that a command has bundled and loads is Node's, as it is outside of tests.
        server: {
          deps: { inline: [COUNTED, /workers-oauth-provider/], external: [/\/volley-(?:worker|console)-/] },
        },
        // A sample of thousands takes what it takes.
        testTimeout: 300_000,
        setupFiles: ["test/support/fixed-seed.ts", "test/support/fitted-tokens.ts"],
      },
    },
    {
      // The Durable Objects, inside workerd: real storage, real alarms.
      plugins: [withoutMaps, cloudflareTest({ wrangler: { configPath: "./test/cloudflare/wrangler.toml" } })],
      test: { ...LOADS, ...part(LAYERS.edge), name: "edge" },
    },
    {
      // The built bundle in raw workerd, killed and started again. Each trial goes on until its work is done.
      test: { ...WAITS, ...part(LAYERS.chaos), name: "chaos", testTimeout: 240_000, hookTimeout: 240_000 },
    },
    {
      // The built bundle over HTTP, in Miniflare or raw workerd: real sockets, real time.
      test: {
        ...WAITS,
        ...part(LAYERS.harness),
        name: "harness",
        globalSetup: "test/support/build-sandbox-once.ts",
        setupFiles: "test/support/fixed-seed.ts",
      },
    },
  ];
}

/** The part of a layer that each mode runs. */
const PARTS: Readonly<Record<string, (layer: Layer) => object>> = {
  all: ({ include, exclude }) => ({ include, exclude }),
  // With half of the samples: a run that names a file, or all of them, takes each.
  rest: (layer) => ({ include: restOf(layer), exclude: layer.exclude, env: { [SHARE]: "0.5" } }),
  // Without the trials and nine tenths of the samples.
  test: (layer) => ({
    include: layer.include,
    exclude: [...layer.exclude, ...filesOf(layer, layer.trials)],
    env: { [SHARE]: "0.1" },
    provide: { isQuick: true },
    // The start of a second worker takes longer than the tests that it would run.
    ...(layer === LAYERS.edge && { maxWorkers: 1 }),
    // Its one file waits beside those that compute.
    ...(layer === LAYERS.harness && { maxWorkers: COMPUTES.maxWorkers, sequence: COMPUTES.sequence }),
  }),
};

/** The report of each mode. CI reads them, and `npm run promises` those of whole runs. */
const REPORTS: Readonly<Record<string, string>> = {
  all: "test-report.json",
  rest: "rest-report.json",
  sdks: "test-report-sdks.json",
};

/** `--mode all` runs everything that needs no install of its own, `--mode rest` what a run without a mode leaves out. */
export default defineConfig(({ mode }) => ({
  test: {
    // The error of calls that a test of the objects aborts on purpose.
    onUnhandledError: ({ message }) => message !== "Application called abortAllDurableObjects().",
    reporters: [
      "minimal",
      new QuietRuntime(),
      ["json", { outputFile: `dist/${REPORTS[mode] ?? "quick-report.json"}` }],
    ],
    sequence: { sequencer: LongestFirst },
    projects: mode === "sdks" ? SDKS : makeLayers(PARTS[isNamed ? "all" : mode] ?? PARTS["test"]!),
  },
}));
