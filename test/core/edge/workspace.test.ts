import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { FilesRead } from "../../../src/core/contract/gate/workspace.ts";
import { countRows } from "./count-rows.ts";

let tenants = 0;
const openWorkspace = (namespace = env.WORKSPACES) => namespace.getByName(`tenant-${(tenants += 1)}`);
const file = (path: string, text: string) => ({ path, content: new TextEncoder().encode(text) });
const ALL = 1_000_000;
const filesOf = async (read: Promise<FilesRead>) => {
  const found = await read;
  if ("bytes" in found) throw new Error(`Cannot read ${found.bytes} bytes`);
  return found.files;
};
const textOf = (content: Uint8Array): string => new TextDecoder().decode(content);

test("A workspace keeps what was written, also when its object was gone in between", async () => {
  const workspace = openWorkspace();
  expect(await workspace.change([file("a/b.txt", "one"), file("c.bin", "\u0000")])).toBeNull();
  await evictDurableObject(workspace);
  const files = await filesOf(workspace.read("", ALL));
  expect(files.map(({ path, content }) => [path, textOf(content)])).toEqual([
    ["a/b.txt", "one"],
    ["c.bin", "\u0000"],
  ]);
  expect(await workspace.heads("")).toEqual(
    files.map(({ path, version, content }) => ({ path, version, bytes: content.length })),
  );
});

test("A folder holds what lies under it, and nothing whose name only begins like it", async () => {
  const workspace = openWorkspace();
  await workspace.change(["a/x", "a/y/z", "a.b", "a-b", "a0", "ab/c", "%"].map((path) => file(path, "")));
  const pathsUnder = async (path: string) => (await workspace.heads(path)).map((head) => head.path);
  expect(await pathsUnder("a")).toEqual(["a/x", "a/y/z"]);
  expect(await pathsUnder("a/y")).toEqual(["a/y/z"]);
  expect(await pathsUnder("a.b")).toEqual(["a.b"]);
  expect(await pathsUnder("%")).toEqual(["%"]);
  expect(await pathsUnder("nothing")).toEqual([]);
  expect(await pathsUnder("")).toHaveLength(7);
  expect(await workspace.heads("", 2)).toHaveLength(2);
});

test("A workspace reads no more than it was asked for, and says how much there is", async () => {
  const workspace = openWorkspace();
  await workspace.change([file("a/b", "xxx"), file("a/c", "xx"), file("ab", "xxxx")]);
  expect(await workspace.read("a", 10)).toEqual({ bytes: 11 });
  expect(await filesOf(workspace.read("a", 11))).toHaveLength(2);
  expect(await workspace.read("", 16)).toEqual({ bytes: 17 });
  expect(await filesOf(workspace.read("a/b", 6))).toHaveLength(1);
  expect(await filesOf(workspace.read("nothing", 0))).toEqual([]);
});

test("A set of changes is made as a whole or not at all", async () => {
  const workspace = openWorkspace();
  await workspace.change([file("a", "1"), file("b", "2")]);
  const [a] = await filesOf(workspace.read("a", ALL));
  expect(
    await workspace.change([
      { ...file("a", "3"), base: a!.version },
      { path: "b", content: null, base: 7 },
    ]),
  ).toEqual({ reason: "changed", path: "b" });
  expect((await filesOf(workspace.read("", ALL))).map(({ content }) => textOf(content))).toEqual(["1", "2"]);
  expect(
    await workspace.change([
      { ...file("a", "3"), base: a!.version },
      { path: "b", content: null },
    ]),
  ).toBeNull();
  expect((await filesOf(workspace.read("", ALL))).map(({ content }) => textOf(content))).toEqual(["3"]);
});

test("A version never comes back, also when its file was gone", async () => {
  const workspace = openWorkspace();
  await workspace.change([file("a", "1")]);
  const [before] = await workspace.heads("a");
  await workspace.change([{ path: "a", content: null }]);
  await workspace.change([file("a", "1")]);
  expect((await workspace.heads("a"))[0]!.version).toBeGreaterThan(before!.version);
});

test("Its limits hold across an eviction", async () => {
  const workspace = openWorkspace(env.SMALL_WORKSPACES);
  await workspace.change([file("a", "x".repeat(10)), file("b", "x".repeat(9))]);
  await evictDurableObject(workspace);
  expect(await workspace.change([file("c", "xx")])).toEqual({ reason: "full" });
  expect(await workspace.change([file("c", "x")])).toBeNull();
  expect(await workspace.change([file("d", "")])).toEqual({ reason: "full" });
  expect(await workspace.change([file("a", "x".repeat(11))])).toEqual({ reason: "large-file", path: "a" });
});

test("A file costs one row written, and what is refused none", async () => {
  const workspace = openWorkspace();
  const rows = await countRows(workspace);
  await workspace.change([file("a", "1"), file("b", "2")]);
  await workspace.change([file("a/b", "1")]);
  expect(await rows()).toBe(2);
});
