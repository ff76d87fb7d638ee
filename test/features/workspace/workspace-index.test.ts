import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { FileChange } from "../../../src/core/contract/gate/workspace.ts";
import { WorkspaceIndex } from "../../../src/features/workspace/workspace-index.ts";

const ROOM = { files: 4, bytes: 20, fileBytes: 10 };

const change = (path: string, bytes: number | null, base?: number | null): FileChange => ({
  path,
  content: bytes === null ? null : new Uint8Array(bytes),
  ...(base !== undefined && { base }),
});
const indexOf = (...paths: string[]): WorkspaceIndex =>
  new WorkspaceIndex(paths.map((path) => ({ path, bytes: 1, version: 1 })));

describe("A set of changes", () => {
  test("is made when it fits", () => {
    expect(indexOf("a").check([change("b/c", 5), change("a", null)], ROOM)).toBeNull();
  });

  test.each([
    ["a file where a folder is", [change("b", 1)], { reason: "folder", path: "b" }],
    ["a file in a file", [change("a/x/y", 1)], { reason: "inside-file", path: "a/x/y", file: "a" }],
    ["two files, one in the other", [change("n/m", 1), change("n", 1)], { reason: "folder", path: "n" }],
    ["a file that is too large", [change("n", 11)], { reason: "large-file", path: "n" }],
    ["too many bytes", [change("n", 10), change("m", 9)], { reason: "full" }],
    ["too many files", [change("n", 0), change("m", 0), change("o", 0)], { reason: "full" }],
    ["a file that somebody changed", [change("a", 2, 0)], { reason: "changed", path: "a" }],
    ["a new file that somebody made", [change("a", 2, null)], { reason: "changed", path: "a" }],
    ["a file that somebody removed", [change("n", 2, 1)], { reason: "changed", path: "n" }],
    [
      "a file in one that it changes",
      [change("a/x", 1), change("a", 1)],
      { reason: "inside-file", path: "a/x", file: "a" },
    ],
    ["one byte too many", [change("n", 10), change("m", 9, null), change("a", 1)], { reason: "full" }],
  ])("is refused with %s", (_, changes, refusal) => {
    expect(indexOf("a", "b/c").check(changes, ROOM)).toEqual(refusal);
  });

  test.each([
    ["a file for a folder", [change("b/c", null), change("b", 1)]],
    ["a folder for a file", [change("a", null), change("a/x", 1)]],
    ["the same, in the other order", [change("a/x", 1), change("a", null)]],
    ["nothing for nothing", [change("n", null)]],
    ["as many bytes and files as there may be", [change("n", 10), change("m", 8)]],
    ["a file for the version that was seen", [change("a", 2, 1)]],
  ])("may put %s", (_, changes) => {
    expect(indexOf("a", "b/c").check(changes, ROOM)).toBeNull();
  });
});

test("what was removed is not there any more: neither its version, nor its place, nor its bytes", () => {
  const index = indexOf("a", "b/c");
  index.apply([change("a", 10), change("b/c", null)], 2);
  expect(index.check([change("b/c", 1, null), change("b", 0)], ROOM)).toEqual({
    reason: "folder",
    path: "b",
  });
  expect(index.check([change("b/c", 1, 1)], ROOM)).toEqual({ reason: "changed", path: "b/c" });
  expect(index.check([change("b", 10, null)], ROOM)).toBeNull();
  expect(index.check([change("b", 10), change("n", 1)], ROOM)).toEqual({ reason: "full" });
  expect(index.check([change("a", 10, 2), change("b", 10)], ROOM)).toBeNull();
});

test("the next version is larger than that of every file there is, in whatever order they are read", () => {
  const heads = [5, 3].map((version) => ({ path: `${version}`, bytes: 1, version }));
  expect(new WorkspaceIndex(heads).nextVersion(0)).toBe(6);
  expect(new WorkspaceIndex().nextVersion(0)).toBe(1);
});

test("no version occurs twice, also when its file is gone and the clock stands still", () => {
  const index = indexOf();
  const versions = [100, 100, 50, 200].map((nowMs) => {
    const version = index.nextVersion(nowMs);
    index.apply([change("a", 1)], version);
    index.apply([change("a", null)], version);
    return version;
  });
  expect(versions).toEqual([100, 101, 102, 200]);
});

test("after any changes it is as if it were made of the files that are left", () => {
  const path = fc.constantFrom("a", "a/b", "a/b/c", "d", "d/e", "f");
  const changes = fc.uniqueArray(
    fc.record({ path, bytes: fc.option(fc.nat(8)) }).map(({ path, bytes }) => change(path, bytes)),
    { selector: (one) => one.path, maxLength: 4 },
  );
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 12 }), changes, (sets, last) => {
      const index = indexOf();
      const files = new Map<string, number>();
      for (const set of sets) {
        if (index.check(set, ROOM) !== null) continue;
        index.apply(set, index.nextVersion(0));
        for (const { path, content } of set) {
          if (content === null) files.delete(path);
          else files.set(path, content.length);
        }
      }
      expect([...files.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(ROOM.bytes);
      for (const folder of files.keys())
        expect([...files.keys()].some((one) => one.startsWith(`${folder}/`))).toBe(false);
      const fresh = new WorkspaceIndex(Array.from(files, ([path, bytes]) => ({ path, bytes, version: 1 })));
      expect(index.check(last, ROOM)).toEqual(fresh.check(last, ROOM));
    }),
  );
});
