import { execFile, execFileSync } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";

/* The Python client is packed as it would be published, and its page's program is run; where there is no Python 3.11, it is not. */

const run = promisify(execFile);

function hasPython(): boolean {
  try {
    const asked = "import sys, setuptools; print(sys.version_info >= (3, 11))";
    return execFileSync("python3", ["-c", asked], { encoding: "utf8", stdio: "pipe" }).trim() === "True";
  } catch {
    return false;
  }
}

describe.skipIf(!hasPython())("The Python client", async () => {
  const { volley } = await setUpSandbox();
  const folder = await mkdtemp(join(tmpdir(), "volley-python-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  let packed: string;

  const python = async (program: string, env: Readonly<Record<string, string>>): Promise<string> => {
    const { stdout } = await run("python3", ["-c", program], {
      env: { ...process.env, PYTHONPATH: packed, ...env },
    });
    return stdout.trim();
  };

  beforeAll(async () => {
    // A copy, because packing writes beside what it packs.
    const source = join(folder, "source");
    await cp("clients/python", source, { recursive: true });
    const pack = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])";
    await run("python3", ["-W", "ignore", "-c", pack, folder], { cwd: source });
    await run("tar", ["-xzf", join(folder, "volley-client-0.1.0.tar.gz"), "-C", folder]);
    packed = join(folder, "volley-client-0.1.0");
    expect(await readdir(join(packed, "volley_client"))).toContain("py.typed");
  });

  test("does what its page says, from the packed source", async () => {
    const page = await readFile("clients/python/README.md", "utf8");
    const [, program, said] = /```python\n(.*?)```\n+```text\n(.*?)```/s.exec(page)!;
    const printed = await python(program!, { VOLLEY_URL: volley.url, VOLLEY_KEY: "sandbox-key" });
    expect(printed).toBe(said!.trim());
  });

  describe("on a connection that is cut", () => {
    const asked: string[] = [];
    let server: Server;
    beforeAll(async () => {
      server = createServer((request, response) => {
        const line = `${request.method} ${request.url} ${request.headers["idempotency-key"] ?? "-"}`;
        asked.push(line);
        if (request.url === "/v1/usage")
          return void response.writeHead(302, { location: "/elsewhere" }).end();
        if (asked.filter((other) => other === line).length === 1) return void request.socket.destroy();
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    });
    afterAll(() => new Promise((resolve) => server.close(resolve)));

    test("says of a refused connection that nothing arrived, whatever was asked", async () => {
      const program = `
import os
from volley_client import Volley, VolleyError
waits = []
volley = Volley(os.environ["VOLLEY_URL"], key="k", sleep=waits.append)
try:
    volley.batches.execute({"actions": []})
except VolleyError as error:
    print(error.code, error.arrived, "did not arrive" in error.hint, waits)
`;
      const printed = await python(program, { VOLLEY_URL: "http://127.0.0.1:1" });
      expect(printed).toBe("CONNECTION_LOST False True [0.25, 0.5]");
    });

    test("sends again a question, a PUT and what has a key, nothing else, and follows no redirect", async () => {
      const program = `
import os
from volley_client import Volley, VolleyError
volley = Volley(os.environ["VOLLEY_URL"], key="k", subject="u_1", sleep=lambda s: None)
volley.runs.list(tag="a b")
volley.flows.put("f/1", {"summary": "s", "input_schema": {}, "actions": []})
volley.batches.execute({"actions": []}, idempotency_key="once")
for call in (lambda: volley.batches.execute({"actions": []}), lambda: volley.usage.get()):
    try:
        call()
    except VolleyError as error:
        print(error.code, error.status)
`;
      const { port } = server.address() as AddressInfo;
      const printed = await python(program, { VOLLEY_URL: `http://127.0.0.1:${port}` });
      expect(printed.split("\n")).toEqual(["CONNECTION_LOST 0", "UNEXPECTED_ANSWER 302"]);
      expect(asked).toEqual([
        "GET /v1/runs?tag=a+b -",
        "GET /v1/runs?tag=a+b -",
        "PUT /v1/flows/f%2F1 -",
        "PUT /v1/flows/f%2F1 -",
        "POST /v1/execute_actions once",
        "POST /v1/execute_actions once",
        "POST /v1/execute_actions -",
        "GET /v1/usage -",
      ]);
    });
  });
});
