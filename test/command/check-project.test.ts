import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { afterAll, beforeEach, describe, expect, test } from "vitest";

import { checkProject, knownDeployed, knownInDevelopment } from "../../scripts/project/check-project.ts";
import { findWrangler } from "../../scripts/project/find-wrangler.ts";
import type { Finding } from "../../scripts/project/finding.ts";
import { KNOWN_OBJECTS } from "../../scripts/project/known-objects.ts";
import { loadWorker } from "../../scripts/project/load-worker.ts";
import { readProject } from "../../scripts/project/read-project.ts";
import { trial } from "../support/trial.ts";

/* A project whose Worker is made of this repository's sources: the command is run in its folder. */
await mkdir("dist", { recursive: true });
const folder = resolve(await mkdtemp(join("dist", "command-project-")));
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

[[durable_objects.bindings]]
name = "KEYS"
class_name = "KeyShard"

[[kv_namespaces]]
binding = "STORE"

[[migrations]]
tag = "v1"
new_sqlite_classes = ["TenantGate", "ToolGate", "KeyShard"]

[env.staging]
`;
const WORKER = `
import { createVolley, defineTool } from "../../src/package/index.ts";
import { keys } from "../../src/features/keys/index.ts";
import * as z from "zod";
const keep = defineTool({
  name: "keep", summary: "Keep", description: "Keep it.", category: "test", actions: ["create"], isWrite: true,
  execution: "sync", input: z.strictObject({}), hosts: [], secrets: ["STORE_TOKEN"], bindings: ["STORE"],
  orchestration: { mode: "parallel-safe" }, run: async () => null,
});
const volley = createVolley({ tools: [keep], features: [keys()] });
export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
export const KeyShard = volley.KeyShard;
`;
const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
beforeEach(async () => {
  await Promise.all([write("wrangler.toml", TOML), write("worker.ts", WORKER), write(".dev.vars", "")]);
});

/** The findings that are no good news, as a developer's machine has them. */
async function look(env?: string): Promise<readonly Finding[]> {
  const project = await readProject(folder, { env });
  const findings = await checkProject(project, findWrangler(folder), knownInDevelopment(project, {}));
  return findings.filter(({ level }) => level !== "ok");
}
const change = async (name: string, from: string, to: string): Promise<void> => {
  const text = await readFile(join(folder, name), "utf8");
  expect(text).toContain(from);
  await write(name, text.replace(from, to));
};

describe("A project is looked at", () => {
  trial("and told what is not set, with the line that sets it", async () => {
    expect(await look()).toEqual([
      {
        level: "warning",
        about: "keys",
        message: expect.stringContaining("VOLLEY_KEYS is not set") as string,
        add: 'VOLLEY_KEYS="…"   # in .dev.vars',
      },
      {
        level: "warning",
        about: "secrets",
        message: "STORE_TOKEN is not set, so keep will answer MISCONFIGURED.",
        add: 'STORE_TOKEN="…"   # in .dev.vars',
      },
    ]);
    const project = await readProject(folder);
    const deployed = await checkProject(
      project,
      findWrangler(folder),
      knownDeployed(project, ["VOLLEY_KEYS"]),
    );
    expect(deployed.filter(({ level }) => level !== "ok")).toMatchObject([
      { add: "npx wrangler secret put STORE_TOKEN" },
    ]);
  });

  trial("and the lines of a class that is not bound, not migrated, not exported", async () => {
    await write(".dev.vars", "VOLLEY_KEYS='[]'\nSTORE_TOKEN=x\n");
    await change(
      "wrangler.toml",
      '[[durable_objects.bindings]]\nname = "KEYS"\nclass_name = "KeyShard"\n',
      "",
    );
    await change("wrangler.toml", ', "KeyShard"]', "]");
    await change("worker.ts", "export const ToolGate = volley.ToolGate;\n", "");
    expect(await look()).toMatchObject([
      { level: "error", about: "objects", add: "export const ToolGate = volley.ToolGate;" },
      {
        level: "error",
        about: "bindings",
        add: '[[durable_objects.bindings]]\nname = "KEYS"\nclass_name = "KeyShard"',
      },
      {
        level: "error",
        about: "migrations",
        add: '[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["KeyShard"]',
      },
      { level: "warning", about: "keys", message: expect.stringContaining("has no entry") as string },
    ]);
  });

  test("and a class that is bound by another name than the one by which it is read", async () => {
    await write(".dev.vars", "VOLLEY_KEYS='[]'\nSTORE_TOKEN=x\n");
    await change("wrangler.toml", 'name = "TENANT_GATE"', 'name = "TENANT_GATEX"');
    expect((await look()).filter(({ level }) => level === "error")).toEqual([
      {
        level: "error",
        about: "bindings",
        message:
          "wrangler.toml does not bind TenantGate as TENANT_GATE (it is bound as TENANT_GATEX), which every Worker needs.",
        add: '[[durable_objects.bindings]]\nname = "TENANT_GATE"\nclass_name = "TenantGate"',
      },
    ]);
  });

  trial("in an environment, which takes no bindings over", async () => {
    await write(".dev.vars", "STORE_TOKEN=x\n");
    const found = await look("staging");
    expect(found.filter(({ level }) => level === "error")).toMatchObject([
      {
        add: expect.stringContaining(
          '[[env.staging.durable_objects.bindings]]\nname = "TENANT_GATE"',
        ) as string,
      },
      { message: expect.stringContaining("ToolGate") as string },
      { message: expect.stringContaining("KeyShard") as string },
      { add: expect.stringContaining("[[env.staging.kv_namespaces]]") as string },
    ]);
    await expect(readProject(folder, { env: "production" })).rejects.toThrow(
      "wrangler.toml has no environment 'production'; it has staging.",
    );
    expect(await readProject(folder, { env: "" })).toEqual(await readProject(folder));
  });

  trial("and its date, its flags, its keys and the bindings of its tools", async () => {
    const entry = { name: "a", hash: "0".repeat(64), tools: ["*"], flags: ["approve"] };
    await write(".dev.vars", `VOLLEY_KEYS='${JSON.stringify([entry])}'\nSTORE_TOKEN=x\n`);
    await change("wrangler.toml", "2026-10-23", "2026-01-01");
    await change("wrangler.toml", '"enable_request_signal", ', "");
    await change("wrangler.toml", '[[kv_namespaces]]\nbinding = "STORE"\n', "");
    expect(await look()).toMatchObject([
      { level: "warning", about: "date", add: 'compatibility_date = "2026-10-23"' },
      {
        level: "warning",
        about: "flags",
        add: 'compatibility_flags = ["global_fetch_strictly_public", "enable_request_signal"]',
      },
      {
        level: "error",
        about: "bindings",
        message: expect.stringContaining("STORE, which keep needs") as string,
      },
      {
        level: "error",
        about: "keys",
        message: expect.stringContaining("needs the feature 'confirmations'") as string,
      },
    ]);
  });

  trial("and what a feature cannot read of its own variables", async () => {
    await change("worker.ts", "features: [keys()]", "features: [keys(), cors()]");
    await change(
      "worker.ts",
      "import * as z",
      'import { cors } from "../../src/features/cors/index.ts";\nimport * as z',
    );
    await write(".dev.vars", "STORE_TOKEN=x\nVOLLEY_ORIGINS=https://shop.example/\n");
    const found = await look();
    expect(found.filter(({ level }) => level === "error")).toMatchObject([
      { about: "settings", message: expect.stringContaining("Cannot read VOLLEY_ORIGINS") as string },
    ]);
  });

  trial.each([
    ["a declaration that cannot work", "isWrite: true", 'isWrite: "no"', "'isWrite' must be true or false"],
    [
      "a feature that is missing",
      'bindings: ["STORE"]',
      'bindings: ["OBJECTS"]',
      "needs the feature 'objects'",
    ],
    ["a file that is no code", "const keep", "const = keep", "worker.ts:5:7 "],
    ["an import that leads nowhere", "features/keys/index.ts", "features/kies/index.ts", "Could not resolve"],
    ["no Volley at all", "export default volley.app;", "", "does not export a Volley"],
  ])("and does not start for %s", async (_, from, to, said) => {
    await change("worker.ts", from, to);
    expect(await look()).toMatchObject([
      { level: "error", about: "worker", message: expect.stringContaining(said) as string },
    ]);
  });

  test.each([
    ["name = ", "wrangler.toml:1:8 is no TOML: invalid value."],
    [null, "There is no wrangler.toml in"],
  ])("and refused where its wrangler.toml is %j", async (text, said) => {
    if (text === null) await rm(join(folder, "wrangler.toml"));
    else await write("wrangler.toml", text);
    await expect(readProject(folder)).rejects.toThrow(said);
  });
});

trial(
  "every class of objects that a feature brings is known, with the binding that this repository gives it",
  async () => {
    const project = await readProject(resolve("."));
    const loaded = await loadWorker(project, findWrangler(resolve(".")));
    if (!("worker" in loaded)) throw new Error(loaded.problem);
    const bindings = project.config.durable_objects?.bindings ?? [];
    const tagOf = (className = "") =>
      project.config.migrations?.find(({ new_sqlite_classes: made }) => made?.includes(className))?.tag;
    const said = bindings.map(({ name, class_name }) => `${class_name} as ${name} in ${tagOf(class_name)}`);
    const known = KNOWN_OBJECTS.filter(({ className }) => className !== "Workspace").map(
      ({ className, binding, tag }) => `${className} as ${binding} in ${tag}`,
    );
    expect(known.toSorted(), "scripts/project/known-objects.ts has each").toEqual(said.toSorted());
    expect(loaded.worker.exported.toSorted()).toEqual(
      bindings.map(({ class_name }) => String(class_name)).toSorted(),
    );
  },
);
