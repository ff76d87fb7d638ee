import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { afterAll, expect } from "vitest";
import { trial } from "../support/trial.ts";

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "volley-clone-"));
afterAll(() => rm(folder, { recursive: true }));

trial(
  "a clone's bin folder has the command after an install, so that `npx volley` works there as in a project",
  async () => {
    const { scripts } = (await import("../../package.json", { with: { type: "json" } })).default;
    expect(scripts.prepare).toBe("node scripts/link-command.ts");
    for (const part of ["scripts", "src"]) await symlink(resolve(part), join(folder, part));
    await run(process.execPath, ["scripts/link-command.ts", "--clone", folder]);
    const { stdout } = await run(join(folder, "node_modules/.bin/volley"), ["key", "--help"]);
    expect(stdout).toContain("Usage: volley key");
  },
);
