import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeEach, describe, expect, test } from "vitest";

import { configureKeys } from "../support/configured-keys.ts";
import { github } from "../features/flows/hooks/sample-senders.ts";
import { HOOK_SECRET, triggerOf } from "../support/hook-sender.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const flags = ["manage_tools"];
const quota = { limit: 100_000, window_s: 60 };
const VOLLEY_KEYS = await configureKeys({
  admin: { name: "admin", tenant: "acme", flags, quota },
  reader: { name: "reader", tenant: "acme", quota },
  paged: { name: "paged", tenant: "page", flags, quota },
});
const VOLLEY_TOOL_SECRETS = JSON.stringify({ [HOOK_SECRET]: { tenants: ["acme"], hosts: [] } });
const { volley, upstream } = await setUpSandbox({ VOLLEY_KEYS, VOLLEY_TOOL_SECRETS });
const SCRIPT = fileURLToPath(new URL("../../scripts/volley.ts", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "volley-flows-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const path = join(folder, "volley.flows.json");

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Run a program in the folder of the file, with its address and key. */
async function start(program: string, args: readonly string[], env: object): Promise<Ended> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, VOLLEY_URL: volley.url, VOLLEY_KEY: "admin", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = { stdout: "", stderr: "" };
  child.stdout.on("data", (part) => (printed.stdout += part));
  child.stderr.on("data", (part) => (printed.stderr += part));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...printed };
}
const run = (args: string, env: object = {}): Promise<Ended> =>
  start(process.execPath, [SCRIPT, "flows", ...args.split(" ")], env);
const ended = async (args: string, env: object = {}): Promise<[number | null, ...string[]]> => {
  const { code, stdout, stderr } = await run(args, env);
  return [code, ...`${stdout}${stderr}`.trimEnd().split("\n")];
};

const admin = new TestCaller(volley.url, "admin");
const send = (method: string, name: string, body?: unknown) =>
  admin.send({
    method,
    path: `/v1/flows${name === "" ? "" : `/${name}`}`,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const declare = (changes: object = {}) => ({
  summary: "Say a number back",
  input_schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  actions: [{ id: "said", tool: "probe-echo", args: { n: { $ref: "input#/n" } } }],
  ...changes,
});
const write = (flows: object) => writeFile(path, JSON.stringify({ flows }));
const namesThere = async () =>
  (JSON.parse((await send("GET", "")).text) as { flows: { name: string }[] }).flows.map(({ name }) => name);

beforeEach(async () => {
  for (const name of await namesThere()) await send("DELETE", name);
  await rm(path, { force: true });
});

describe("volley flows", () => {
  test("pushes what the file has, and the second time nothing", async () => {
    await write({ second: declare(), first: declare({ on_error: "fail-fast", description: "Longer." }) });
    expect(await ended("diff")).toEqual([1, "+ second", "+ first", "= 0 unchanged"]);
    expect(await namesThere()).toEqual([]);
    expect(await ended("push")).toEqual([0, "+ second", "+ first", "= 0 unchanged"]);
    const there = await send("GET", "first");
    expect(await ended("push")).toEqual([0, "= 2 unchanged"]);
    expect(await ended("push --dry-run")).toEqual([0, "= 2 unchanged"]);
    expect(await send("GET", "first")).toMatchObject({ text: there.text });
  });

  test("shows what was changed elsewhere, pulls it, and then nothing differs", async () => {
    await write({ kept: declare(), changed: declare() });
    await ended("push");
    await send("PUT", "changed", declare({ summary: "Say it louder", deadline_ms: 5000 }));
    expect(await ended("diff")).toEqual([
      1,
      "~ changed",
      '    ~ /summary "Say it louder" -> "Say a number back"',
      "    - /deadline_ms 5000",
      "= 1 unchanged",
    ]);
    expect(await ended("pull")).toEqual([
      0,
      "~ changed",
      '    ~ /summary "Say a number back" -> "Say it louder"',
      "    + /deadline_ms 5000",
      "= 1 unchanged",
      "Wrote volley.flows.json.",
    ]);
    expect(await ended("diff")).toEqual([0, "= 2 unchanged"]);
    const pulled = await readFile(path, "utf8");
    expect(pulled).toBe(
      `${JSON.stringify({ flows: { changed: declare({ summary: "Say it louder", deadline_ms: 5000 }), kept: declare() } }, null, 2)}\n`,
    );
  });

  test("pulls into a file that there is not, and writes none that is equal by value", async () => {
    await send("PUT", "one", declare());
    expect(await ended("pull")).toEqual([0, "+ one", "= 0 unchanged", "Wrote volley.flows.json."]);
    const { summary, ...others } = declare();
    const reordered = JSON.stringify({ flows: { one: { ...others, summary } } });
    await writeFile(path, reordered);
    expect(await ended("pull")).toEqual([0, "= 1 unchanged", "volley.flows.json is up to date."]);
    expect(await readFile(path, "utf8")).toBe(reordered);
  });

  test("deletes what the file does not have only where it is told to, and nothing after a refusal", async () => {
    await send("PUT", "old", declare());
    await write({ renamed: declare({ actions: [{ tool: "nothing", args: {} }] }) });
    expect(await ended("diff --prune")).toEqual([1, "+ renamed", "- old", "= 0 unchanged"]);
    const refused = await run("push --prune");
    expect(refused).toMatchObject({ code: 1, stderr: "" });
    expect(refused.stdout).toContain(
      "- old (stays, because something was refused)\n= 0 unchanged\nRefused: 1 of 2.\n",
    );
    await write({ renamed: declare() });
    expect(await ended("push")).toEqual([
      0,
      "+ renamed",
      "- old (stays; only push --prune deletes it)",
      "= 0 unchanged",
    ]);
    expect(await namesThere()).toEqual(["old", "renamed"]);
    expect(await ended("push --prune")).toEqual([0, "- old", "= 1 unchanged"]);
    expect(await namesThere()).toEqual(["renamed"]);
  });

  test("says all that is refused, within 80 columns, and keeps the others", async () => {
    await write({
      broken: declare({ actions: [{ tool: "probe-ehco", args: {} }], deadline_ms: 0, trigers: {} }),
      send_email: declare(),
      "no\u202ename": declare(),
      fine: declare(),
    });
    const { code, stdout, stderr } = await run("push");
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const text = stdout.replaceAll(/\n\s+/g, " ");
    expect(text).toContain("! broken is refused: INVALID_FLOW");
    expect(text).toContain("/deadline_ms: expected a number at least 1, received the number 0");
    expect(text).toContain("There is no field 'trigers'");
    expect(text).toContain("Did you mean 'probe-echo'?");
    expect(text).toContain("! send_email is refused: NAME_TAKEN The deployment itself has 'send_email'");
    expect(text).toContain("! no\\u{202e}name is refused: INVALID_FLOW");
    expect(stdout).toContain("\n+ fine\n= 0 unchanged\nRefused: 3 of 4.\n");
    expect(await namesThere()).toEqual(["fine"]);
  });

  test("tells which flows cannot run there by now", async () => {
    const tool = {
      summary: "Say a number back",
      description: "The number that was sent. Size: about 10 tokens.",
      category: "numbers",
      actions: ["read"],
      is_write: false,
      input_schema: { type: "object", properties: { n: { type: "integer" } } },
      http: { method: "GET", url: `${upstream.url}/echo` },
    };
    const add = { method: "PUT", path: "/v1/tools/leaves", body: JSON.stringify(tool) };
    expect((await admin.send(add)).status).toBe(201);
    await write({ leaving: declare({ actions: [{ tool: "leaves", args: { n: 1 } }] }) });
    await ended("push");
    await admin.send({ method: "DELETE", path: "/v1/tools/leaves" });
    const { code, stdout } = await run("diff");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^! leaving is broken there: .*leaves[^]*\n= 1 unchanged\n$/);
  });

  test("tells what is to be said of flows that are kept, whether they differ or not", async () => {
    const hooked = declare({ triggers: { webhook: triggerOf(github) } });
    await write({ one: hooked });
    expect(await ended("push")).toEqual([0, "+ one", "= 0 unchanged"]);
    await write({ one: hooked, two: hooked });
    const { code, stdout } = await run("push");
    expect(code).toBe(0);
    const said = stdout.replaceAll(/\n +/g, " ").trimEnd().split("\n");
    const issue =
      / has an issue, warning at \/triggers\/webhook\/secret: .*name a secret of its own for each flow/;
    expect(said).toEqual(["+ two", expect.stringMatching(issue), "= 1 unchanged"]);
    expect(said[1]).toMatch(/^! two /);

    const again = await run("push");
    expect(again.stdout.match(/^! (one|two) has an issue/gm)).toHaveLength(2);
    expect((await run("diff")).stdout).toBe(again.stdout);
    expect((await run("pull")).stdout).toContain("! one has an issue");
    expect(Math.max(...again.stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  test("looks with a key that may not put, which a push says", async () => {
    await send("PUT", "one", declare());
    await write({ one: declare(), two: declare() });
    const VOLLEY_KEY = "reader";
    expect(await ended("diff", { VOLLEY_KEY })).toEqual([1, "+ two", "= 1 unchanged"]);
    expect(await ended("push", { VOLLEY_KEY })).toEqual([
      2,
      "The key may not do that: The key has no flag 'manage_tools'; ask the operator for one that has.",
    ]);
  });

  test("is found from where npm was called", async () => {
    await write({});
    const env = { npm_lifecycle_event: "flows", INIT_CWD: folder };
    const root = fileURLToPath(new URL("../..", import.meta.url));
    expect(
      await start(
        process.execPath,
        [
          "-e",
          `process.chdir(${JSON.stringify(root)}); process.argv.push("volley", "flows", "diff"); import(${JSON.stringify(SCRIPT)})`,
        ],
        env,
      ),
    ).toEqual({ code: 0, stdout: "= 0 unchanged\n", stderr: "" });
  });
});

describe("volley flows says in one sentence, with 2 as its end,", () => {
  const other = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<p>Hello"));
  afterAll(() => void other.close());
  other.listen(0, "127.0.0.1");

  test.each([
    ["frob", {}, "volley flows takes one of pull, diff, push, and 'frob' is none"],
    ["pull --prune", {}, "volley flows pull has no option --prune"],
    ["diff --frob", {}, "volley flows diff has no option --frob"],
    ["diff", { VOLLEY_URL: "" }, "Set VOLLEY_URL"],
    ["diff", { VOLLEY_KEY: "" }, "Set VOLLEY_KEY"],
    ["diff", { VOLLEY_KEY: "secret-and-wrong" }, "does not know the key in VOLLEY_KEY (401)."],
    ["diff", { VOLLEY_KEY: "secret\nand: wrong" }, "VOLLEY_KEY holds characters that no key has"],
    ["diff --file none.json", {}, "There is no none.json; 'volley flows pull' writes it"],
    ["diff --file .", {}, "Cannot read .: it is a folder."],
    ["pull --file none/none.json", {}, "Cannot write none/none.json: its folder does not exist."],
  ])("what is wrong: %s %o", async (args, env, said) => {
    await write({});
    const { code, stdout, stderr } = await run(args, env);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/secret|^ +at /m);
  });

  test("that no server is there, and that another one is", async () => {
    await write({});
    const { port } = other.address() as AddressInfo;
    const VOLLEY_URL = `http://127.0.0.1:${port}`;
    expect(await ended("diff", { VOLLEY_URL })).toEqual([
      2,
      `${VOLLEY_URL} does not answer as Volley does (200 for GET /v1/flows); is VOLLEY_URL right?`,
    ]);
    other.close();
    other.closeAllConnections();
    await once(other, "close");
    expect(await ended("diff", { VOLLEY_URL })).toEqual([
      2,
      `Cannot reach ${VOLLEY_URL}: the connection was refused, so nothing listens there.`,
    ]);
  });
});

test("the commands of docs/flows-in-git.md print what the page says, in its order", async () => {
  const page = await readFile(new URL("../../docs/flows-in-git.md", import.meta.url), "utf8");
  const blockOf = (language: string) =>
    [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, text]) => text!);
  await writeFile(path, blockOf("json")[0]!);
  const steps = blockOf("console").flatMap((block) => block.split(/^\$ /m).slice(1));
  expect(steps).toHaveLength(8);
  for (const step of steps) {
    const [command = "", ...lines] = step.split("\n");
    const real = command.replace(/^npx volley/, `'${process.execPath}' '${SCRIPT}'`);
    const { stdout, stderr } = await start("bash", ["-c", real], { VOLLEY_KEY: "paged" });
    expect(`${stdout}${stderr}`, command).toBe(lines.join("\n"));
  }
});
