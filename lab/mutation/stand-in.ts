/**
 * The `vitest` of a test file while mutants are tried: the same words, collecting tests instead of being a run of their own.
 *
 * Vitest begins each of its runs in a worker that knows nothing, which costs a second; there are thousands of mutants, and most are told
 * in milliseconds. The matchers are Vitest's own. A missing name is one that our tests do not use; it fails the import, so nothing is
 * passed over silently.
 */
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { format } from "node:util";

import {
  ASYMMETRIC_MATCHERS_OBJECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
} from "@vitest/expect";
import * as chai from "chai";

type Body = (...given: never[]) => unknown;
type Hook = () => unknown;

/** A test with what is around it, outermost first. */
export interface CollectedTest {
  readonly name: string;
  readonly body: () => unknown;
  readonly groups: readonly Group[];
}

/** A file or a `describe`; `hasBegun` once its `beforeAll` ran. Most groups have no end: any test may be run again. */
export interface Group {
  readonly name: string;
  readonly beforeAll: Hook[];
  readonly beforeEach: Hook[];
  readonly afterEach: Hook[];
  readonly afterAll: Hook[];
  hasBegun: boolean;
}

interface Collection {
  groups: readonly Group[];
  readonly tests: CollectedTest[];
}
let collection: Collection | undefined;

/** Collect the tests of what `load` imports. Only one such import may be under way. */
export async function collectTests(load: () => Promise<unknown>): Promise<readonly CollectedTest[]> {
  const mine: Collection = { groups: [makeGroup("")], tests: [] };
  collection = mine;
  try {
    await load();
  } finally {
    collection = undefined;
  }
  return mine.tests;
}

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);
// A written file is never written anew here. Its path is whole, because a matcher does not know its test's file.
chai.use(({ Assertion }, utils) =>
  utils.addMethod(
    Assertion.prototype,
    "toMatchFileSnapshot",
    async function toMatchFile(this: Chai.AssertionStatic, path: string) {
      const written = await readFile(path, "utf8");
      this.assert(
        this._obj === written,
        `expected the text of ${path}`,
        `expected another text than ${path}`,
        written,
      );
    },
  ),
);
const matchers: object = Reflect.get(globalThis, ASYMMETRIC_MATCHERS_OBJECT) as object;
export const expect: typeof chai.expect = Object.assign(
  (value: unknown, message?: string) => chai.expect(value, message),
  chai.expect,
  matchers,
);

export const test = makeTest();
export const it = makeTest();
export const describe = Object.assign((name: string, body: Body) => within(name, body), {
  each: eachOf(within),
});
export const beforeAll = (hook: Hook): void => void now().groups.at(-1)!.beforeAll.push(hook);
export const beforeEach = (hook: Hook): void => void now().groups.at(-1)!.beforeEach.push(hook);
export const afterEach = (hook: Hook): void => void now().groups.at(-1)!.afterEach.push(hook);
export const afterAll = (hook: Hook): void => void now().groups.at(-1)!.afterAll.push(hook);

const finishing: Hook[] = [];
export const onTestFinished = (hook: Hook): void => void finishing.push(hook);

/** Run what a test left to be done after it. */
export async function finishTest(): Promise<void> {
  for (const finish of finishing.splice(0).reverse()) await finish();
}

export const vi = {
  async waitFor<T>(
    look: () => T | Promise<T>,
    { timeout = 1_000, interval = 50 }: { readonly timeout?: number; readonly interval?: number } = {},
  ): Promise<T> {
    for (const end = performance.now() + timeout; ; await setTimeout(interval)) {
      try {
        return await look();
      } catch (error) {
        if (performance.now() > end) throw error;
      }
    }
  },
};

function makeTest() {
  return Object.assign((name: string, ...rest: readonly unknown[]) => add(name, rest.find(isBody)), {
    each: eachOf(add),
  });
}

function now(): Collection {
  if (collection === undefined) throw new Error("Cannot collect a test: no file is being imported");
  return collection;
}

function isBody(value: unknown): value is Body {
  return typeof value === "function";
}

function makeGroup(name: string): Group {
  return { name, beforeAll: [], beforeEach: [], afterEach: [], afterAll: [], hasBegun: false };
}

function add(name: string, body: Body | undefined): void {
  if (body === undefined) return;
  const { tests, groups } = now();
  const full = [...groups.map((group) => group.name), name].filter((part) => part !== "").join(" > ");
  tests.push({ name: full, body, groups });
}

function within(name: string, body: Body): void {
  const mine = now();
  const { groups } = mine;
  mine.groups = [...groups, makeGroup(name)];
  body();
  mine.groups = groups;
}

type Named = (name: string, body: Body) => void;

function eachOf(
  make: Named,
): (rows: Iterable<unknown>) => (name: string, ...rest: readonly unknown[]) => void {
  return (rows) =>
    (name, ...rest) => {
      const body = rest.find(isBody)!;
      const all = [...rows];
      // Rows that are not all arrays are values, and an array among them is one too.
      const isTable = all.every((row) => Array.isArray(row));
      let index = 0;
      for (const row of all) {
        const given = isTable ? (row as unknown[]) : [row];
        const numbered = name.replaceAll("%#", String(index));
        const shown = format(numbered.replaceAll("$", "$ "), ...given.map(inTitle));
        make(`${shown} [${index}]`, () => body(...(given as never[])));
        index += 1;
      }
    };
}

/** The title's text of a value: names need only be the same in every run. */
function inTitle(value: unknown): unknown {
  return typeof value === "object" || typeof value === "function" ? "…" : value;
}
