import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { afterAll, beforeEach, expect, vi } from "vitest";

import { runCommand } from "../../scripts/command/run-command.ts";
import { trial } from "../support/trial.ts";

/* A project whose Wrangler is scripted: it writes down what it is asked, and answers as a test says. */
await mkdir("dist", { recursive: true });
const folder = resolve(await mkdtemp(join("dist", "command-deploy-")));
afterAll(() => rm(folder, { recursive: true }));

const TOML = `name = "fixture"
main = "worker.ts"
compatibility_date = "2026-10-23"
compatibility_flags = ["enable_request_signal", "global_fetch_strictly_public"]

[[durable_objects.bindings]]
name = "TENANT_GATE"
class_name = "TenantGate"

[[durable_objects.bindings]]
name = "TOOL_GATE"
class_name = "ToolGate"

[[migrations]]
tag = "v1"
new_sqlite_classes = ["TenantGate", "ToolGate"]
`;
const WORKER = `
import { createVolley } from "../../src/package/index.ts";
const volley = createVolley({ tools: [] });
export default volley.app;
export const { TenantGate, ToolGate } = volley;
`;
const WRANGLER = `
const fs = require("node:fs");
const args = process.argv.slice(2);
fs.appendFileSync("asked.txt", args[0] + "\\n");
const isList = args[0] === "secret";
process.stdout.write(isList ? process.env.LIST : "");
process.exitCode = Number(isList ? process.env.LIST_CODE : process.env.DEPLOY_CODE);
`;
await mkdir(join(folder, "node_modules/wrangler/bin"), { recursive: true });
const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
await Promise.all([
  write("package.json", "{}"),
  write("worker.ts", WORKER),
  write("node_modules/wrangler/package.json", '{"name":"wrangler","version":"4.0.0"}'),
  write("node_modules/wrangler/bin/wrangler.js", WRANGLER),
]);
beforeEach(async () => {
  await Promise.all([write("wrangler.toml", TOML), write("asked.txt", "")]);
});

const KNOWN = '[{"name":"VOLLEY_KEYS","type":"secret_text"}]';
const NO_WORKER = "This Worker does not exist on your account. [code: 10007]";

interface Scripted {
  readonly list?: string;
  readonly listCode?: number;
  readonly deployCode?: number;
}

/** Run `volley deploy`: its exit code, what it printed, and what Wrangler was asked. */
async function deploy(options: string, { list = KNOWN, listCode = 0, deployCode = 0 }: Scripted = {}) {
  const printed: string[] = [];
  const spies = (["log", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((line: string) => void printed.push(line)),
  );
  const code = await runCommand(["deploy", ...options.split(" ").filter(Boolean)], {
    PATH: process.env["PATH"],
    npm_lifecycle_event: "deploy",
    INIT_CWD: folder,
    LIST: list,
    LIST_CODE: String(listCode),
    DEPLOY_CODE: String(deployCode),
  });
  for (const spy of spies) spy.mockRestore();
  const asked = (await readFile(join(folder, "asked.txt"), "utf8")).trim().split("\n");
  return { code, printed: printed.join("\n"), asked };
}

trial("volley deploy looks first, asks which secrets are set, and deploys", async () => {
  const { code, asked } = await deploy("");
  expect([code, asked]).toEqual([0, ["secret", "deploy"]]);
});

trial("a warning stops a deploy that is strict, and no other", async () => {
  const missing = { list: "[]" };
  const strict = await deploy("--strict", missing);
  expect([strict.code, strict.asked]).toEqual([1, ["secret"]]);
  expect(strict.printed).toContain("VOLLEY_KEYS is not set");
  expect(strict.printed).toContain("Nothing was deployed.");
  await write("asked.txt", "");
  const plain = await deploy("", missing);
  expect([plain.code, plain.asked]).toEqual([0, ["secret", "deploy"]]);
});

trial(
  "a list of secrets that fails is no list without secrets: none is called missing, and that is said",
  async () => {
    const failing = { list: "Authentication error [code: 10000]", listCode: 1 };
    const plain = await deploy("", failing);
    expect([plain.code, plain.asked]).toEqual([0, ["secret", "deploy"]]);
    expect(plain.printed).toContain("could not say which secrets are set");
    expect(plain.printed).not.toContain("VOLLEY_KEYS is not set");
    await write("asked.txt", "");
    const strict = await deploy("--strict", failing);
    expect([strict.code, strict.asked]).toEqual([1, ["secret"]]);
  },
);

trial("a Worker that was never deployed has no secrets: they are missing", async () => {
  const { printed } = await deploy("--strict", { list: NO_WORKER, listCode: 1 });
  expect(printed).toContain("VOLLEY_KEYS is not set");
  expect(printed).not.toContain("could not say");
});

trial("an error stops every deploy, before Wrangler is asked to", async () => {
  await write("wrangler.toml", TOML.replace(', "ToolGate"]', "]"));
  const { code, asked, printed } = await deploy("");
  expect([code, asked]).toEqual([1, ["secret"]]);
  expect(printed).toContain("ToolGate");
});

trial("a deploy that Wrangler fails at has failed, and a dry run asks nothing of the network", async () => {
  const failed = await deploy("", { deployCode: 1 });
  expect(failed.code).toBe(1);
  expect(failed.printed).toContain("Wrangler did not deploy it");
  await write("asked.txt", "");
  const dry = await deploy("--dry-run");
  expect([dry.code, dry.asked]).toEqual([0, ["deploy"]]);
});
