import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { checkNames } from "../../scripts/release/check-names.ts";

/* The real npm asks a registry of this machine, which has three packages. */
const OURS = { address: "https://github.com/acme/volley", version: "0.2.0" };
const PACKAGES: Readonly<Record<string, object>> = {
  ours: { url: "git+https://github.com/acme/volley.git" },
  theirs: { url: "git+https://github.com/other/volley.git" },
  unsaid: {},
};

let server: Server;
beforeAll(async () => {
  server = createServer(({ url = "/" }, response) => {
    const name = url.slice(1);
    if (name === "broken") return void response.writeHead(500).end();
    const repository = PACKAGES[name];
    if (repository === undefined) return void response.writeHead(404).end("{}");
    const versions = Object.fromEntries(
      ["0.1.0", "0.1.1"].map((version) => [version, { name, version, repository, dist: {} }]),
    );
    response.end(JSON.stringify({ name, "dist-tags": { latest: "0.1.1" }, versions, repository }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  vi.stubEnv("npm_config_registry", `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
});

describe("A release asks the registry for its names, and", () => {
  test("takes those that are free, and those that this repository has published", async () => {
    expect(await checkNames(["nobodys", "ours"], OURS)).toEqual([]);
  });

  test("refuses a name of another repository, or of none, and says what to write instead", async () => {
    expect(await checkNames(["theirs", "unsaid"], OURS)).toEqual([
      "The name 'theirs' is taken in the registry, by https://github.com/other/volley: give 'name' of its package.json a scope, such as @acme/theirs.",
      "The name 'unsaid' is taken in the registry, by a package that names no repository: give 'name' of its package.json a scope, such as @acme/unsaid.",
    ]);
  });

  test("refuses a version that is published already", async () => {
    expect(await checkNames(["ours"], { ...OURS, version: "0.1.1" })).toEqual([
      "ours 0.1.1 is published already.",
    ]);
  });

  test("refuses where the registry does not answer", async () => {
    expect(await checkNames(["broken"], OURS)).toEqual([
      "The registry does not say whether the name 'broken' is free: 'npm view broken' says why.",
    ]);
  });
});
