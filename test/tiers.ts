import { globSync, readFileSync } from "node:fs";

/**
 * Which test belongs to which command. `npm test` runs the layers without the trials, `npm run test:rest` what it leaves out, and
 * `npm run test:all` both; `test/sdks` and `test/browser` have a command each, because their packages are installed apart.
 */

/** Files that take seconds each, the longest first. They start before all others, so that none of them ends alone. */
export const LONG: readonly string[] = [
  "test/templates/packed.test.ts",
  "test/harness/openapi-fuzz.test.ts",
  "test/harness/development.test.ts",
  "test/harness/many-keys.test.ts",
  "test/harness/readme.test.ts",
  "test/harness/bundle.test.ts",
  "test/pairs/model/model.test.ts",
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

const CHAOS = ["test/chaos/{background,chaos,hooks,pairs,runs,undo}.test.ts"];
const EDGE = ["test/cloudflare/**/*.test.ts"];
const HARNESS = ["test/harness/**/*.test.ts", "test/limits.test.ts", "test/seeds/worked-examples.test.ts"];
/** Packages of the folders that have an install of their own, some of which ship their tests. */
const PACKAGES = "**/node_modules/**";

/** The globs of a layer. */
export interface Layer {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Which of its files start servers, follow pages, run commands, kill runtimes or send storms: minutes of work that a change rarely breaks alone. */
  readonly trials: readonly string[];
}

/** The layers of `npm run test:all`. */
export const LAYERS = {
  core: {
    include: ["test/**/*.test.ts", "lab/**/*.test.ts"],
    exclude: [PACKAGES, "test/browser/**", "test/sdks/**", ...EDGE, ...CHAOS, ...HARNESS],
    trials: [
      "test/docs/{agent,readme}.test.ts",
      "test/scripts/{check-names,features,options}.test.ts",
      "test/templates/packed.test.ts",
    ],
  },
  edge: { include: EDGE, exclude: [], trials: ["test/cloudflare/{leased-admission,many-jobs}.test.ts"] },
  chaos: { include: CHAOS, exclude: [], trials: CHAOS },
  // One file shows the whole in a quick run.
  harness: {
    include: HARNESS,
    exclude: [],
    trials: ["test/harness/!(whole).test.ts", ...HARNESS.slice(1)],
  },
} satisfies Readonly<Record<string, Layer>>;

/** The support of a test that does less, or nothing, in a quick run. */
const SCALED = /\/(?:samples|trial)\.ts"/;

/** The files of a layer, or of its trials. */
export function filesOf({ exclude }: Layer, include: readonly string[]): string[] {
  return globSync(include, { exclude: [PACKAGES, ...exclude] }).toSorted();
}

/** The files of a layer that `npm test` leaves out, or runs a part of. */
export function restOf(layer: Layer): string[] {
  const scaled = filesOf(layer, layer.include).filter((path) => SCALED.test(readFileSync(path, "utf8")));
  return [...new Set([...filesOf(layer, layer.trials), ...scaled])];
}
