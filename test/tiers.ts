/**
 * Which test file belongs to which command. `npm test` runs the layers without the trials; `npm run test:all` runs both; `test/sdks` and
 * `test/browser` have a command each, because their packages are installed apart.
 */

/** Trials start servers, follow pages, run commands, kill runtimes and send storms: minutes of work that a change rarely breaks alone. */
export const TRIALS: readonly string[] = [
  "test/chaos/background.test.ts",
  "test/chaos/chaos.test.ts",
  "test/chaos/hooks.test.ts",
  "test/chaos/runs.test.ts",
  "test/docs/agent.test.ts",
  "test/docs/readme.test.ts",
  "test/cloudflare/leased-admission.test.ts",
  "test/cloudflare/many-jobs.test.ts",
  "test/harness/agent-crash.test.ts",
  "test/harness/agent-demo.test.ts",
  "test/harness/agent-memory.test.ts",
  "test/harness/bulk-rerun-crash.test.ts",
  "test/harness/bundle.test.ts",
  "test/harness/connections-crash.test.ts",
  "test/harness/development.test.ts",
  "test/harness/endless-bounds.test.ts",
  "test/harness/endpoint-secrets.test.ts",
  "test/harness/endpoints-crash.test.ts",
  "test/harness/fan-out-demo.test.ts",
  "test/harness/flows-script.test.ts",
  "test/harness/front-page.test.ts",
  "test/harness/idempotency-crash.test.ts",
  "test/harness/kill-demo.test.ts",
  "test/harness/import-work.test.ts",
  "test/harness/many-keys.test.ts",
  "test/harness/memory.test.ts",
  "test/harness/openapi-fuzz.test.ts",
  "test/harness/readme.test.ts",
  "test/harness/storm.test.ts",
  "test/scripts/check-names.test.ts",
  "test/scripts/options.test.ts",
  "test/templates/packed.test.ts",
];

/** Files that take seconds each, the longest first. They start before all others, so that none of them ends alone. */
export const LONG: readonly string[] = [
  "test/templates/packed.test.ts",
  "test/harness/openapi-fuzz.test.ts",
  "test/harness/development.test.ts",
  "test/harness/many-keys.test.ts",
  "test/harness/import-work.test.ts",
  "test/harness/readme.test.ts",
  "test/harness/bundle.test.ts",
  "test/scripts/features.test.ts",
  "test/scripts/options.test.ts",
  "test/features/runs/http/bulk.test.ts",
  "test/features/mcp/http/tasks.test.ts",
  "test/packs/shell.test.ts",
  "test/cloudflare/operator-events.test.ts",
  "test/cloudflare/tenant-gate.test.ts",
  "test/cloudflare/tool-gate.test.ts",
  "test/harness/flows-script.test.ts",
  "test/harness/storm.test.ts",
  "test/harness/agent-repeats.test.ts",
  "test/harness/runs.test.ts",
];

const HARNESS = ["test/harness/**/*.test.ts", "test/limits.test.ts", "test/seeds/worked-examples.test.ts"];
const CHAOS = ["test/chaos/{background,chaos,hooks,runs}.test.ts"];
const EDGE = ["test/cloudflare/**/*.test.ts"];
/** Packages of the folders that have an install of their own, some of which ship their tests. */
const PACKAGES = "**/node_modules/**";

/** The globs of a layer. */
export interface Layer {
  readonly include: string[];
  readonly exclude: string[];
}

/** The layers of `npm run test:all`. */
export const LAYERS = {
  core: {
    include: ["test/**/*.test.ts", "lab/**/*.test.ts"],
    exclude: [PACKAGES, "test/browser/**", "test/sdks/**", ...EDGE, ...CHAOS, ...HARNESS],
  },
  edge: { include: EDGE, exclude: [] },
  chaos: { include: CHAOS, exclude: [] },
  harness: { include: HARNESS, exclude: [] },
} satisfies Readonly<Record<string, Layer>>;
