import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test, vi } from "vitest";

import { runCommand } from "../../scripts/command/run-command.ts";
import { parseKeyRing } from "../../src/cloudflare/http/key-ring.ts";

const folder = await mkdtemp(join(tmpdir(), "volley-command-"));
afterAll(() => rm(folder, { recursive: true }));

/** Run a command line in a folder without a project; its end, and the lines of both outputs. */
async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: string[][] = [[], []];
  const cwd = vi.spyOn(process, "cwd").mockReturnValue(folder);
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void out!.push(line));
  const error = vi.spyOn(console, "error").mockImplementation((line: string) => void err!.push(line));
  const code = await runCommand(words, {});
  for (const spy of [cwd, log, error]) spy.mockRestore();
  return { code, out: out!.join("\n"), err: err!.join("\n") };
}

describe("volley", () => {
  test("answers --help of itself, of a group and of a command with 0, and nothing at all with its commands and 2", async () => {
    expect(await run("--help")).toMatchObject({ code: 0, out: expect.stringContaining("tools list") });
    expect(await run("flows", "--help")).toMatchObject({ code: 0, out: expect.stringMatching(/flows pull/) });
    expect(await run("key", "--help")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Usage: volley key/),
    });
    expect(await run("help", "flows")).toEqual(await run("flows", "--help"));
    expect(await run("help", "flows", "diff")).toEqual(await run("flows", "diff", "--help"));
    expect(await run()).toMatchObject({ code: 2, out: expect.stringContaining("Usage: volley COMMAND") });
  });

  test.each([
    [["flosw"], "volley has no command 'flosw'. Did you mean 'volley flows'?"],
    [["flows"], "volley flows takes one of pull, diff, push:"],
    [["flows", "psuh"], "and 'psuh' is none"],
    [["--prune", "flows", "push"], "options come behind the command: volley flows push --prune."],
    [["key", "--nmae", "x"], "volley key has no option --nmae. Did you mean --name?"],
    [["key", "--name", "--tools", "x"], "--name needs a value: --name NAME."],
    [["key", "--name"], "--name needs a value"],
    [["key", "--approve=yes"], "--approve takes no value."],
    [["key", "--name", "x"], "--tools NAME[,NAME] is missing: volley key"],
    [["key", "--name", "x", "--tools", "*", "--limit", "-1"], "--limit needs a value"],
    [["key", "--name", "x", "--tools", "*", "--limit=-1"], "--limit must be a positive whole number"],
    [["key", "--name", "a b", "--tools", "*"], "Cannot read VOLLEY_KEYS: /0/name must be"],
    [["restore"], "FILE is missing: volley restore FILE [options]."],
    [["restore", "a.json", "b.json"], "volley restore does not take 'b.json'."],
    [["restore", "none.json"], "Cannot read none.json: there is no such file."],
    [["dev", "--port", "many"], "There is no wrangler.toml in"],
    [["tools", "list"], "or make one: npm create volley."],
    [["doctor", "volley.example.com"], "'volley.example.com' is no address"],
  ])("says in a sentence, with 2 as its end, what is wrong with: %j", async (words, said) => {
    const { code, out, err } = await run(...words);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(said);
    expect(err).not.toMatch(/^ +at /m);
  });

  test.each(["--version", "-v"])("answers %s with the version of the package", async (word) => {
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    expect(await run(word)).toEqual({ code: 0, out: version, err: "" });
  });

  test("answers with one JSON value where --json is given, its refusals too", async () => {
    const { code, out, err } = await run("restore", "none.json", "--json");
    expect([code, err]).toEqual([2, ""]);
    expect(JSON.parse(out)).toEqual({ ok: false, error: expect.stringContaining("no such file") as string });
  });
});

test("volley key makes a key whose entry VOLLEY_KEYS takes, with the flags that were asked for", async () => {
  const words =
    "key --name ci --tools web,email --tenant acme --limit 60 --approve --manage-tools --jurisdiction eu --json";
  const { code, out } = await run(...words.split(" "));
  expect(code).toBe(0);
  const { key, entry } = JSON.parse(out) as { key: string; entry: object };
  const ring = parseKeyRing(JSON.stringify([entry]));
  expect(await ring.identify(key)).toMatchObject({
    name: "ci",
    tenant: "acme",
    tools: ["web", "email"],
    quota: { limit: 60, windowS: 60 },
    flags: ["approve", "manage_tools"],
    jurisdiction: "eu",
  });
  expect(entry).not.toHaveProperty("flags", expect.arrayContaining(["skip_approval"]));
});
