/**
 * Runs Volley's core tests for Stryker inside one process, so that most mutants are told in milliseconds.
 *
 * Test files are imported by Node itself, which drops the types, with `vitest` answered by `stand-in.ts`. A file is imported when a
 * mutant first needs it. Modules remember things (a schema that is made once), so one mutant's effect could be seen by the next: a
 * mutant that seems killed is therefore only so when the same test passes without it, and one whose code was not reached although it
 * was in the dry run gets fresh modules. So do mutants of what runs while a module is loaded.
 */
import { type LoadHookSync, registerHooks, type ResolveHookSync } from "node:module";
import { resolve } from "node:path";
import { glob } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

import type { InstrumenterContext } from "@stryker-mutator/api/core";
import { declareFactoryPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import {
  DryRunStatus,
  MutantRunStatus,
  TestStatus,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
} from "@stryker-mutator/api/test-runner";

import { COUNTED, countWork } from "../../scripts/count-work.ts";
import { endSandboxes, hearConsole } from "./sandbox-in-process.ts";
import { collectTests, finishTest, type CollectedTest } from "./stand-in.ts";
import {
  findMutants,
  findTestFiles,
  inRepository,
  isLeftOut,
  isOverHttp,
  needsAllSamples,
  readKnown,
  readSlow,
  writeKnown,
  writeSlow,
  type KnownTest,
} from "./test-files.ts";

/** A test may take so much longer with a mutant before it counts as hanging; what it took is mostly less than 10 ms. */
const PATIENCE = { factor: 10, leastMs: 3_000, unknownMs: 120_000 } as const;

const ROOM = process.env["VOLLEY_ROOM"] ?? "";
/** The most that the tests of one mutant from other files than its own take together without it: the slowest are left out. */
const BUDGET_MS = ROOM === "features/agent" ? 1_000 : 3_000;
/** A test that takes longer without a mutant takes part for none: survivors would wait for it, thousands of times. */
const TOO_SLOW_MS = 2_000;
/** So many tests may fail here without a mutant, because they count what so few samples were; they take no part. More are a bug. */
const FAILING = 5;
/** A file's own tests come first, because they mostly tell. */
const OTHERS_LATER_MS = 300;
/** So few tests may pass what is made once. */
const FEW = 3;

/** The messages between the instrumented code and this runner. */
const stryker: { -readonly [name in keyof InstrumenterContext]: InstrumenterContext[name] | undefined } = ((
  globalThis as { __stryker__?: InstrumenterContext }
).__stryker__ ??= {});

class InProcessRunner implements TestRunner {
  /** Counts the files that were loaded for one test alone. */
  #alone = 0;
  /** Counts the sets of modules: a fresh one has a number of its own in its addresses. */
  #generation = 0;
  readonly #tests = new Map<string, CollectedTest>();
  readonly #imported = new Set<string>();
  #known: Readonly<Record<string, KnownTest>> = {};
  /** Errors that were thrown where no caller waited for them. */
  readonly #stray: unknown[] = [];

  capabilities(): { reloadEnvironment: boolean } {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    this.#hookImports();
    hearConsole();
    process.on("unhandledRejection", (reason) => void this.#stray.push(reason));
    process.on("uncaughtException", (error) => void this.#stray.push(error));
    for (const file of ["fixed-seed", "fitted-tokens"])
      await import(pathToFileURL(resolve(`test/support/${file}.ts`)).href);
    this.#known = await readKnown();
  }

  async dryRun(): Promise<DryRunResult> {
    const tests: TestResult[] = [];
    const failed: TestResult[] = [];
    const took = new Map<string, number>();
    const files = await findTestFiles(ROOM);
    for (const file of files.filter((file) => !isOverHttp(file))) await this.#import(file);
    const overHttp = files.filter(isOverHttp);
    // The work that modules do while they load is no test's.
    if (overHttp.length > 0)
      for await (const file of glob(`src/${ROOM}/**/*.ts`, { exclude: ["**/console/**"] }))
        await import(pathToFileURL(resolve(file)).href);
    const all = [...this.#tests].map(([id, { name }]) => ({ id, name }));
    for (const file of overHttp) all.push(...(await this.#listAlone(file)));
    const slow = await readSlow(ROOM);
    for (const { id, name } of all) {
      if (slow.has(id)) continue;
      stryker.currentTestId = id;
      const { ms, cpuMs, error } = await this.#run(id);
      stryker.currentTestId = undefined;
      const about = { id, name, fileName: resolve(fileOf(id)), timeSpentMs: ms };
      if (cpuMs > TOO_SLOW_MS) {
        slow.add(id);
        delete stryker.mutantCoverage?.perTest[id];
        continue;
      }
      if (error === undefined) {
        took.set(id, ms);
        tests.push({ ...about, status: TestStatus.Success });
        continue;
      }
      console.warn(`Left out, because it fails without a mutant: ${id}: ${error.split("\n")[0]}`);
      // Node has not all that the platform has, and a test may need what those before it left.
      if (!isOverHttp(id)) failed.push({ ...about, status: TestStatus.Failed, failureMessage: error });
      delete stryker.mutantCoverage?.perTest[id];
    }
    if (failed.length > FAILING) tests.push(...failed);
    const mutantCoverage = stryker.mutantCoverage ?? { static: {}, perTest: {} };
    const mutants = await findMutants();
    const known = Object.fromEntries(
      [...took].map(([id, ms]) => {
        const passed = Object.keys(mutantCoverage.perTest[id] ?? {}).map((mutant) => mutants.get(mutant)!);
        return [id, { ms, passes: [...new Set(passed)] }];
      }),
    );
    await writeKnown(known);
    await writeSlow(ROOM, slow);
    return { status: DryRunStatus.Complete, tests, mutantCoverage };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const ids = this.#quickestFirst(options);
    if (options.reloadEnvironment) return this.#try(ids, { options, isFresh: true });
    const result = await this.#try(ids, { options, isFresh: false });
    const isDoubtful =
      result.status === MutantRunStatus.Killed
        ? await this.#failsAlone(result.killedBy[0]!)
        : result.status === MutantRunStatus.Survived && stryker.hitCount === 0;
    return isDoubtful ? this.#try(ids, { options, isFresh: true }) : result;
  }

  /**
   * Run the tests until one fails. Fresh modules are loaded with the mutant in them, since a value that is made once may be made
   * while a test file is loaded; then they are not used again.
   */
  async #try(
    ids: readonly string[],
    { options, isFresh }: { options: MutantRunOptions; isFresh: boolean },
  ): Promise<MutantRunResult> {
    const { activeMutant, mutantActivation, hitLimit } = options;
    const isLoaded = isFresh || mutantActivation === "static";
    stryker.activeMutant = isLoaded ? activeMutant.id : undefined;
    stryker.hitCount = 0;
    stryker.hitLimit = hitLimit;
    if (isFresh) this.#renew();
    let nrOfTests = 0;
    try {
      for (const id of ids) {
        if (!isLoaded) stryker.activeMutant = undefined;
        const loading = isOverHttp(id) ? undefined : await this.#import(fileOf(id));
        stryker.activeMutant = activeMutant.id;
        nrOfTests += 1;
        const { error, isHanging } =
          loading === undefined ? await this.#run(id) : { error: loading, isHanging: false };
        const isEndless = (stryker.hitCount ?? 0) > (hitLimit ?? Infinity);
        if (isHanging || isEndless) {
          this.#renew();
          return { status: MutantRunStatus.Timeout, reason: id };
        }
        if (error !== undefined)
          return { status: MutantRunStatus.Killed, killedBy: [id], failureMessage: error, nrOfTests };
      }
      return { status: MutantRunStatus.Survived, nrOfTests };
    } finally {
      stryker.activeMutant = undefined;
      if (isLoaded) this.#renew();
    }
  }

  /** Whether a test fails without any mutant, because of what an earlier one left behind in the modules. */
  async #failsAlone(id: string): Promise<boolean> {
    const { error } = await this.#run(id);
    return error !== undefined;
  }

  /**
   * A mutant of what runs while modules load has no tests of its own: those are tried that pass its file, or else all. One that only few
   * tests pass may stand in what is made once, by whichever of them came first: its file's own tests are tried as well.
   */
  #quickestFirst({ testFilter, sandboxFileName }: MutantRunOptions): readonly string[] {
    const all = Object.keys(this.#known);
    const file = inRepository(sandboxFileName);
    const own = file.replace(/^src/, "test").replace(/\.ts$/, ".test.ts");
    const isOwn = (id: string): boolean => fileOf(id) === own;
    const ofFile = testFilter ?? all.filter((id) => this.#known[id]!.passes.includes(file));
    const some = ofFile.length <= FEW ? [...new Set([...ofFile, ...all.filter(isOwn)])] : ofFile;
    const orderOf = (id: string): number => this.#msOf(id) + (isOwn(id) ? 0 : OTHERS_LATER_MS);
    let leftMs = BUDGET_MS;
    return [...(some.length > 0 ? some : all)]
      .sort((a, b) => orderOf(a) - orderOf(b))
      .filter((id) => isOwn(id) || (leftMs -= this.#msOf(id)) > 0);
  }

  #msOf(id: string): number {
    return this.#known[id]?.ms ?? 0;
  }

  async #run(id: string): Promise<Ran> {
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    const known = this.#known[id];
    const patienceMs = known ? PATIENCE.leastMs + PATIENCE.factor * known.ms : PATIENCE.unknownMs;
    let alarm: NodeJS.Timeout | undefined;
    const hanging = new Promise<"hanging">((resolve) => {
      alarm = setTimeout(() => resolve("hanging"), patienceMs);
    });
    this.#stray.length = 0;
    const run = isOverHttp(id) ? this.#runAlone(id) : runTest(this.#tests.get(id));
    const ended = await Promise.race([run.catch((error: unknown) => ({ error })), hanging]);
    clearTimeout(alarm);
    await setImmediate();
    const ms = performance.now() - began;
    const { user } = process.cpuUsage(cpu);
    const cpuMs = user / 1_000;
    if (ended === "hanging") return { ms, cpuMs, error: "The test did not end", isHanging: true };
    const failure = ended ?? (this.#stray.length > 0 ? { error: this.#stray[0] } : undefined);
    return { ms, cpuMs, error: failure && textOf(failure.error), isHanging: false };
  }

  /** The text of what went wrong while the file was imported, if anything did. */
  async #import(file: string): Promise<string | undefined> {
    if (this.#imported.has(file)) return undefined;
    this.#imported.add(file);
    try {
      for (const [id, test] of await this.#load(file)) this.#tests.set(id, test);
      return undefined;
    } catch (error) {
      if (stryker.activeMutant === undefined) throw error;
      return textOf(error);
    }
  }

  async #load(file: string, query = ""): Promise<ReadonlyMap<string, CollectedTest>> {
    const url = `${pathToFileURL(resolve(file)).href}?generation=${this.#generation}${query}`;
    const found = new Map<string, CollectedTest>();
    const seen = new Map<string, number>();
    for (const test of await collectTests(() => import(url))) {
      if (isLeftOut(test.name)) continue;
      const times = (seen.get(test.name) ?? 0) + 1;
      seen.set(test.name, times);
      found.set(`${file}#${test.name}${times > 1 ? ` (${times})` : ""}`, test);
    }
    return found;
  }

  /**
   * Run one test over HTTP with a sandbox of its own: those of a file share one, which remembers what the others did. So a test
   * that only passes after others fails without a mutant, and takes no part.
   */
  async #runAlone(id: string): Promise<undefined> {
    await endSandboxes();
    const tests = await this.#loadAlone(fileOf(id));
    try {
      return await runTest(tests.get(id));
    } finally {
      await end(tests.values());
      await endSandboxes();
    }
  }

  /** List the tests of a file that needs a sandbox; none where it needs what this process has not. */
  async #listAlone(file: string): Promise<readonly { readonly id: string; readonly name: string }[]> {
    try {
      const tests = await this.#loadAlone(file);
      await end(tests.values());
      return [...tests].map(([id, { name }]) => ({ id, name }));
    } catch (error) {
      await endSandboxes();
      console.warn(`Left out, because it cannot begin here: ${file}: ${textOf(error).split("\n")[0]}`);
      return [];
    }
  }

  #loadAlone(file: string): Promise<ReadonlyMap<string, CollectedTest>> {
    return this.#load(file, `&alone=${(this.#alone += 1)}`);
  }

  #renew(): void {
    this.#generation += 1;
    this.#tests.clear();
    this.#imported.clear();
  }

  #hookImports(): void {
    const root = pathToFileURL(`${process.cwd()}/`).href;
    const fewerSamples = new URL("fewer-samples.ts", import.meta.url).href;
    const platform = new URL("cloudflare-workers.ts", import.meta.url).href;
    const sandbox = new URL("sandbox-in-process.ts", import.meta.url).href;
    const standIns = new Map([
      ["vitest", new URL("stand-in.ts", import.meta.url).href],
      ["fast-check", fewerSamples],
      ["cloudflare:workers", `${root}src/cloudflare/platform/durable-object-elsewhere.ts`],
    ]);
    registerHooks({
      resolve: (specifier, context, next) => {
        const start = startOf(context.parentURL);
        if (specifier === "cloudflare:workers" && start !== undefined)
          return { url: `${platform}?start=${start}`, shortCircuit: true };
        const standIn = standIns.get(specifier);
        const isReal = context.parentURL === fewerSamples || needsAllSamples(context.parentURL);
        if (standIn !== undefined && !(specifier === "fast-check" && isReal))
          return { url: standIn, shortCircuit: true };
        if (specifier.includes("/dist/packs/"))
          return { url: "data:text/javascript,export default 'pack'", shortCircuit: true };
        const found = resolveApart(specifier, context, next);
        if (found.url.split("?")[0] === `${root}test/support/sandbox.ts`)
          return { url: sandbox, shortCircuit: true };
        const isOurs = found.url.startsWith(root) && !found.url.includes("/node_modules/");
        return isOurs || COUNTED.test(found.url)
          ? { ...found, url: `${found.url.split("?")[0]}?generation=${this.#generation}${ownOf(found.url)}` }
          : found;
      },
      load: loadCounted,
    });
  }
}

const REPOSITORY = new URL("../../", import.meta.url).href;

/**
 * A module that only a package folder of its own has is found where the repository has it: the copy that is tested has no such
 * folders.
 */
const resolveApart: ResolveHookSync = (specifier, context, next) => {
  try {
    return next(specifier, context);
  } catch (error) {
    const copy = pathToFileURL(`${process.cwd()}/`).href;
    if (/^[./#]/.test(specifier) || context.parentURL?.startsWith(copy) !== true) throw error;
    return next(specifier, { ...context, parentURL: context.parentURL.replace(copy, REPOSITORY) });
  }
};

/** The libraries that count their work do it here too, in the copy that is tested. */
const loadCounted: LoadHookSync = (url, context, next) => {
  const loaded = next(url, context);
  if (!COUNTED.test(url.split("?")[0]!) || loaded.format !== "module") return loaded;
  const counter = "src/packs/count-work.ts";
  const counted = countWork(String(loaded.source));
  return {
    ...loaded,
    source: counted.replace(fileURLToPath(new URL(counter, REPOSITORY)), resolve(counter)),
  };
};

interface Ran {
  readonly ms: number;
  /** The time of a processor that it took, however many others wanted it. */
  readonly cpuMs: number;
  readonly error: string | undefined;
  readonly isHanging: boolean;
}

/** The start of the sandbox that a module is part of. */
function startOf(url: string | undefined): string | undefined {
  return /[?&]start=(\d+)/.exec(url ?? "")?.[1];
}

/** The part of an address that makes a module one of its own among those of a set. */
function ownOf(url: string): string {
  return /[?&](start|alone)=\d+/.exec(url)?.[0].replace("?", "&") ?? "";
}

/** End what the tests of a file share. */
async function end(tests: Iterable<CollectedTest>): Promise<void> {
  const groups = new Set([...tests].flatMap((test) => test.groups));
  for (const group of groups)
    for (const after of group.afterAll.reverse()) await Promise.resolve(after()).catch(() => {});
}

async function runTest(test: CollectedTest | undefined): Promise<undefined> {
  if (test === undefined) throw new Error("The test is not there any more");
  const { body, groups } = test;
  for (const group of groups) {
    if (group.hasBegun) continue;
    group.hasBegun = true;
    for (const before of group.beforeAll) await before();
  }
  for (const group of groups) for (const before of group.beforeEach) await before();
  try {
    await body();
  } finally {
    await finishTest();
    for (const group of [...groups].reverse()) for (const after of group.afterEach) await after();
  }
  return undefined;
}

function fileOf(id: string): string {
  return id.slice(0, id.indexOf("#"));
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, "in-process", () => new InProcessRunner()),
];
