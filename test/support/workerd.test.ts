import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect } from "vitest";
import { trial } from "./trial.ts";
import { startWorkerd } from "./workerd.ts";

const counter = `
import { DurableObject } from "cloudflare:workers";

export class Counter extends DurableObject {
  add() {
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS hits (at INTEGER)");
    this.ctx.storage.sql.exec("INSERT INTO hits VALUES (1)");
    return this.ctx.storage.sql.exec("SELECT count(*) AS n FROM hits").one().n;
  }
}
export default {
  async fetch(request, env) {
    return Response.json({ n: await env.COUNTER.getByName("one").add(), word: env.WORD });
  },
};`;

describe("startWorkerd()", () => {
  let directory = "";
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "volley-test-"));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function script(code: string): Promise<string> {
    const path = join(directory, "worker.js");
    await writeFile(path, code);
    return path;
  }

  trial("keeps what an object wrote through a kill and a restart on the same port", async () => {
    const options = {
      script: await script(counter),
      vars: { WORD: 'quoted " \\ \u0001 é' },
      durableObjects: { COUNTER: "Counter" },
      storageDir: join(directory, "storage"),
    };
    const first = await startWorkerd(options);
    await using _ = first;
    expect(await (await fetch(first.url)).json()).toEqual({ n: 1, word: options.vars.WORD });
    await first.kill();

    await using second = await startWorkerd({ ...options, port: first.port });
    expect(second.url).toBe(first.url);
    expect(await (await fetch(second.url)).json()).toMatchObject({ n: 2 });
  });

  trial("says what workerd printed when the script does not compile", async () => {
    await expect(startWorkerd({ script: await script("export default {") })).rejects.toThrow(/SyntaxError/);
  });
});
