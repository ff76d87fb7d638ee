import { renameSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { sayLacking } from "../../scripts/project/check-objects.ts";
import { buildAhead } from "../../scripts/project/build-ahead.ts";
import { choosePort } from "../../scripts/project/choose-port.ts";
import { findKey, hasKeys, makeDevelopmentKey } from "../../scripts/project/development-key.ts";
import { findWrangler } from "../../scripts/project/find-wrangler.ts";
import { loadOnceReadable } from "../../scripts/project/load-once-readable.ts";
import { readProject } from "../../scripts/project/read-project.ts";
import { writeDevelopmentEntry } from "../../scripts/project/write-development-entry.ts";
import { digestKey, parseKeyRing, toHash } from "../../src/cloudflare/http/key-ring.ts";
import { trial } from "../support/trial.ts";

await mkdir("dist", { recursive: true });
const folder = resolve(await mkdtemp(join("dist", "command-dev-")));
afterAll(() => rm(folder, { recursive: true }));
const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const TOML = `main = "worker.ts"
[[durable_objects.bindings]]
name = "TENANT_GATE"
class_name = "TenantGate"
[[durable_objects.bindings]]
name = "MINE"
class_name = "Mine"
[[durable_objects.bindings]]
name = "ELSEWHERE"
class_name = "Other"
script_name = "another-worker"
`;

describe("volley dev", () => {
  test("writes an entry with each class that is this Worker's own", async () => {
    await write("wrangler.toml", TOML);
    const entry = writeDevelopmentEntry(await readProject(folder));
    expect(entry).toContain('import("../../worker.ts")');
    expect(entry.match(/^export const (\w+)/gm)).toEqual(["export const TenantGate", "export const Mine"]);
  });

  test("says which objects of a listed feature are missing, and what to add", async () => {
    await write("wrangler.toml", TOML);
    const runs = { name: "runs", objects: { RunLog: { binding: "RUN_LOG", summary: "" } } };
    const worker = { tools: [], features: [runs], exported: ["TenantGate", "ToolGate", "Mine"] };
    const lines = sayLacking(await readProject(folder), { worker });
    expect(lines.join("\n")).toContain("does not export RunLog, which the feature 'runs' needs.");
    expect(lines.join("\n")).toContain("export const RunLog = volley.RunLog;");
    expect(sayLacking(await readProject(folder), { problem: "", isBundled: true })).toEqual([]);
  });

  test("makes a key up where there is none, with the flags that the features know, but never the one that skips questions", async () => {
    const { key, entries } = await makeDevelopmentKey([
      {
        name: "confirmations",
        flags: { approve: "", skip_approval: "" },
      },
      { name: "endpoints", flags: { manage_endpoints: "" } },
    ]);
    const caller = await parseKeyRing(entries).identify(key);
    expect(caller).toMatchObject({ flags: ["approve", "manage_endpoints"] });
  });

  trial("prints the key of its variables where that gets in, and makes none up beside keys", async () => {
    const hash = toHash(await digestKey("mine"));
    await write("wrangler.toml", TOML);
    const look = async (vars: string) => {
      await write(".dev.vars", vars);
      const project = await readProject(folder);
      return [hasKeys(project), await findKey(project)];
    };
    const keys = `VOLLEY_KEYS='[{"name":"a","hash":"${hash}","tools":[]}]'\n`;
    expect(await look("")).toEqual([false, null]);
    expect(await look("VOLLEY_KEYS='[]'\nVOLLEY_KEY=mine")).toEqual([false, null]);
    expect(await look(`${keys}VOLLEY_KEY=mine`)).toEqual([true, "mine"]);
    expect(await look(`${keys}VOLLEY_KEY=other`)).toEqual([true, null]);
    // The server says itself what it cannot read.
    expect(await look("VOLLEY_KEYS='['")).toEqual([true, null]);
  });

  test("refuses a port that is in use where it was asked for, and a text that is none", async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    await expect(choosePort(String(port))).rejects.toThrow(`Port ${port} is in use. Another one: --port`);
    await new Promise((done) => server.close(done));
    await expect(choosePort(String(port))).resolves.toBe(port);
    await expect(choosePort("many")).rejects.toThrow("--port must be a number");
    await expect(choosePort(undefined)).resolves.toBeGreaterThanOrEqual(8787);
  });

  trial(
    "gives Wrangler code to serve where a file has a slip: it answers 503 with the slip, and keeps the objects",
    async () => {
      const [entry, out] = [join(folder, "slip.ts"), join(folder, "out", "served.js")];
      const notes: string[] = [];
      const build = async (text: string): Promise<string> => {
        await write("slip.ts", text);
        const bundler = await findWrangler(folder).loadBundler();
        const note = (line: string): void => void notes.push(line);
        await using _ = await buildAhead(bundler, { entry, out, folder, classes: ["TenantGate"], note });
        return readFile(out, "utf8");
      };
      const served = await build(
        'import text from "./page.txt"; import { x } from "volley";\nexport default [text, x];',
      );
      // Packages and data are Wrangler's to find, from where the module stands.
      expect(served).toContain('from "./../page.txt"');
      expect(served).toContain('from "volley"');
      expect(notes).toEqual([]);
      const standIn = await build("export default { name: 1 other: 2 };");
      expect(standIn).toMatch(/"code":"UNAVAILABLE","detail":"[^"]* slip\.ts:1:26 Expected /);
      expect(standIn).toContain("export class TenantGate extends");
      expect(notes).toEqual([expect.stringContaining("slip.ts:1:26 Expected")]);
    },
  );

  trial("says which file is no code, and goes on once it is saved mended", async () => {
    await write("wrangler.toml", TOML);
    await write("worker.ts", "const = 1;");
    await write("mended", "export default { options: { tools: [] } };");
    const said = new Set<string>();
    const loaded = await loadOnceReadable(await readProject(folder), findWrangler(folder), (line) => {
      // The save of the file that is no code may be heard of late, and then it is said once more. The mended one is there in one piece.
      if (said.size === 0) renameSync(join(folder, "mended"), join(folder, "worker.ts"));
      said.add(line);
    });
    expect([...said]).toEqual([
      expect.stringMatching(/^worker\.ts:1:7 .*\nIt is served once the mended file is saved\.$/),
    ]);
    expect(loaded).toMatchObject({ worker: { tools: [] } });
  });
});
