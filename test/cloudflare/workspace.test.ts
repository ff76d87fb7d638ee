import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { FilesRead } from "../../src/core/contract/gate/workspace.ts";
import { countRows } from "./count-rows.ts";
import { trial } from "../support/trial.ts";

let tenants = 0;
const openWorkspace = (namespace = env.WORKSPACES) => namespace.getByName(`tenant-${(tenants += 1)}`);
const file = (path: string, text: string) => ({ path, content: new TextEncoder().encode(text) });
const ALL = 1_000_000;
const filesOf = async (read: Promise<FilesRead>) => {
  const found = await read;
  if (!("files" in found)) throw new Error(`Cannot read: ${JSON.stringify(found)}`);
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

trial("A file costs one row written, and what is refused none", async () => {
  const workspace = openWorkspace();
  const rows = await countRows(workspace);
  await workspace.change([file("a", "1"), file("b", "2")]);
  await workspace.change([file("a/b", "1")]);
  expect(await rows()).toBe(2);
});

const contentOf = async (workspace: ReturnType<typeof openWorkspace>, path: string) => {
  const [found] = await filesOf(workspace.read(path, ALL));
  return found && textOf(found.content);
};
const write = async (
  workspace: ReturnType<typeof openWorkspace>,
  { path, text, key }: Readonly<Record<"path" | "text" | "key", string>>,
) => {
  const written = await workspace.write({ ...file(path, text), key });
  if (!("version" in written)) throw new Error(`Cannot write: ${JSON.stringify(written)}`);
  return written.version;
};

trial(
  "A file is put back to what it was before each write, also when its object was gone in between",
  async () => {
    const workspace = openWorkspace();
    await workspace.change([file("a", "one")]);
    const [head] = await workspace.heads("a");
    const second = await write(workspace, { path: "a", text: "two", key: "k2" });
    const third = await write(workspace, { path: "a", text: "three", key: "k3" });
    const created = await write(workspace, { path: "b", text: "new", key: "k4" });
    await evictDurableObject(workspace);
    expect(await workspace.restore("a", second)).toEqual({ reason: "changed", path: "a" });
    expect(await workspace.restore("a", third)).toBeNull();
    expect(await contentOf(workspace, "a")).toBe("two");
    expect(await workspace.restore("a", second)).toBeNull();
    expect(await workspace.restore("b", created)).toBeNull();
    expect(await workspace.heads("")).toEqual([head]);
    expect(await contentOf(workspace, "a")).toBe("one");
  },
);

trial("A file is put back once: asked again, nothing happens to what stands there then", async () => {
  const workspace = openWorkspace();
  const version = await write(workspace, { path: "a", text: "one", key: "k" });
  expect(await workspace.restore("a", version)).toBeNull();
  await workspace.change([file("a", "another")]);
  expect(await workspace.restore("a", version)).toBeNull();
  expect(await contentOf(workspace, "a")).toBe("another");
});

trial(
  "A write that is sent again is one write: what was there before the first stays the one to put back",
  async () => {
    const workspace = openWorkspace();
    await workspace.change([file("a", "one")]);
    const version = await write(workspace, { path: "a", text: "two", key: "k" });
    expect(await write(workspace, { path: "a", text: "two", key: "k" })).toBe(version);
    expect(await write(workspace, { path: "a", text: "two", key: "other" })).toBeGreaterThan(version);
    await workspace.change([file("a", "one")]);
    const anew = await write(workspace, { path: "a", text: "two", key: "k" });
    expect(anew).toBeGreaterThan(version);
    expect(await workspace.restore("a", anew)).toBeNull();
    expect(await contentOf(workspace, "a")).toBe("one");
  },
);

trial(
  "A file that cannot be put back stays as it is: others have changed it, or there is no room",
  async () => {
    const workspace = openWorkspace(env.SMALL_WORKSPACES);
    const version = await write(workspace, { path: "a", text: "x".repeat(9), key: "k1" });
    const shorter = await write(workspace, { path: "a", text: "x", key: "k2" });
    await workspace.change([file("b", "x".repeat(10))]);
    await workspace.change([file("c", "x".repeat(9))]);
    expect(await workspace.restore("a", shorter)).toEqual({ reason: "full" });
    expect(await contentOf(workspace, "a")).toBe("x");
    expect(await workspace.restore("a", 7)).toEqual({ reason: "forgotten" });
    await workspace.change([{ path: "a", content: null }]);
    expect(await workspace.restore("a", version)).toEqual({ reason: "changed", path: "a" });
  },
);

trial(
  "What a file was before is forgotten after a week, by alarm, and at once where the tenant is deleted",
  async () => {
    const workspace = openWorkspace();
    await workspace.change([file("a", "old")]);
    const version = await write(workspace, { path: "a", text: "new", key: "k" });
    const left = () =>
      runInDurableObject(workspace, (_, { storage }) =>
        storage.sql
          .exec("SELECT version FROM earlier")
          .toArray()
          .map((row) => row["version"]),
      );
    expect(await runInDurableObject(workspace, (_, { storage }) => storage.getAlarm())).toBe(
      version + 7 * 86_400_000,
    );
    await runInDurableObject(workspace, (_, { storage }) =>
      storage.sql.exec("UPDATE earlier SET version = version - ?", 8 * 86_400_000),
    );
    const later = await write(workspace, { path: "b", text: "new", key: "k" });
    expect(await left()).toHaveLength(2);
    expect(await runDurableObjectAlarm(workspace)).toBe(true);
    expect(await left()).toEqual([later]);
    await workspace.erase();
    expect(await left()).toEqual([]);
  },
);

/** Write in a turn of one's own, as the tools do; null where none came. */
const writeInTurn = async (
  workspace: ReturnType<typeof openWorkspace>,
  changes: readonly { readonly path: string; readonly content: Uint8Array; readonly base?: number | null }[],
) => {
  const turn = await workspace.enter(changes.reduce((sum, { content }) => sum + content.length, 0));
  return turn === null ? "busy" : workspace.change(changes, turn);
};
const MB = 1024 * 1024;

trial(
  "Twelve of the largest writes and reads at once wait for each other; each is whole, and none is lost",
  async () => {
    const workspace = openWorkspace();
    const written = Array.from({ length: 12 }, (_, n) =>
      writeInTurn(
        workspace,
        Array.from({ length: 9 }, (__, at) => ({ path: `f${at}`, content: new Uint8Array(MB).fill(n + 1) })),
      ),
    );
    const read = Array.from({ length: 12 }, async () => {
      const found = await workspace.read("", 20 * MB);
      if (!("files" in found)) return found;
      await workspace.leave(found.turn!);
      return new Set(found.files.flatMap(({ content }) => [content[0], content.at(-1), content.length]));
    });
    const ends = await Promise.all(written);
    expect(ends.filter((end) => end !== null && end !== "busy")).toEqual([]);
    expect(ends).toContain(null);
    // Each read saw one writer's files only.
    for (const seen of await Promise.all(read))
      if (seen instanceof Set && seen.size > 0) expect(seen.size).toBe(2);
    const heads = await workspace.heads("");
    expect(new Set(heads.map(({ version, bytes }) => `${version} ${bytes}`)).size).toBe(1);
  },
  60_000,
);

trial("Writers that add to one file at once lose nothing and add nothing twice", async () => {
  const workspace = openWorkspace(env.NARROW_WORKSPACES);
  const SIZE = 70_000;
  await writeInTurn(workspace, [{ path: "sum", content: new Uint8Array(SIZE) }]);
  let added = 0;
  const add = async (): Promise<void> => {
    for (let run = 0; run < 100; run += 1) {
      const found = await workspace.read("sum", MB);
      if (!("files" in found)) continue;
      const [file] = found.files;
      if (found.turn !== undefined) await workspace.leave(found.turn);
      const content = Uint8Array.from(file!.content);
      content[0]! += 1;
      const end = await writeInTurn(workspace, [{ path: "sum", content, base: file!.version }]);
      if (end !== null) continue;
      added += 1;
      return;
    }
  };
  await Promise.all(Array.from({ length: 12 }, add));
  const [file] = await filesOf(workspace.read("sum", MB));
  expect(added).toBeGreaterThan(0);
  expect(file!.content[0]).toBe(added);
});

trial(
  "Turns to send much come in the order of asking, small changes go at once, and who waits too long sends nothing",
  async () => {
    const workspace = openWorkspace(env.NARROW_WORKSPACES);
    const begun: string[] = [];
    const enter = async (name: string, bytes: number) => {
      const turn = await workspace.enter(bytes);
      begun.push(turn === null ? `${name} refused` : name);
      return turn;
    };
    const first = await enter("first", 80_000);
    const rest = [enter("second", 80_000), enter("third", 10_000)];
    expect(await workspace.change([file("small", "1")])).toBeNull();
    expect(begun).toEqual(["first"]);
    expect(await workspace.change([{ path: "a", content: new Uint8Array(80_000) }], first!)).toBeNull();
    const [second] = await Promise.all(rest);
    expect(begun).toEqual(["first", "second", "third"]);
    expect(await workspace.read("a", MB)).toEqual({ busy: true });
    await workspace.leave(second!);
    expect(await filesOf(workspace.read("a", MB))).toHaveLength(1);
  },
);

trial("A file of the largest size gets through where there is less room than it takes", async () => {
  const workspace = openWorkspace(env.NARROW_WORKSPACES);
  expect(await writeInTurn(workspace, [{ path: "a", content: new Uint8Array(MB) }])).toBeNull();
  const [whole] = await filesOf(workspace.read("a", 2 * MB));
  expect(whole!.content).toHaveLength(MB);
});
