import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { exportTenant } from "../../scripts/command/export.ts";
import { restore } from "../../scripts/command/restore.ts";
import type { Terminal } from "../../scripts/command/terminal.ts";

/** It has a number with more digits than JavaScript keeps. */
const FIRST =
  '{"volley_export":1,"keys":[],"endpoints":{"endpoints":[{"id":"a","n":12345678901234567890}]},"next_cursor":"a/b="}';
const SECOND = '{"volley_export":1,"cursor":"a/b=","endpoints":{"endpoints":[{"id":"b"}],"events":[]}}';

const put: string[] = [];
let refusals = 0;

/** A deployment of two pages, which is busy at first when it is asked for the second. */
function answer({ url = "", method }: IncomingMessage, response: ServerResponse): void {
  if (method === "PUT") {
    put.push(url);
    return void response.end("{}");
  }
  if (url === "/v1/export") return void response.end(FIRST);
  const isSecond = url === "/v1/export?cursor=a%2Fb%3D";
  if (isSecond && (refusals += 1) > 1) return void response.end(SECOND);
  const code = isSecond ? 503 : 422;
  response
    .writeHead(code, { "retry-after": "0" })
    .end(JSON.stringify({ code: "UNAVAILABLE", detail: "Later." }));
}

const server = createServer(answer);
let url = "";
const folder = await mkdtemp(join(tmpdir(), "volley-export-"));
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(command: typeof restore, positionals: readonly string[] = [], isJson = false) {
  const lines: string[] = [];
  const terminal: Terminal = {
    isJson,
    width: 80,
    print: (line) => void (isJson || lines.push(line)),
    note: () => {},
    give: (value) => void (isJson && lines.push(JSON.stringify(value))),
    paint: (_, text) => text,
  };
  const env = { VOLLEY_URL: url, VOLLEY_KEY: "key" };
  const code = await command.run({ values: {}, positionals, terminal, env, folder });
  return { code, lines };
}

test("volley export writes each page as it came, waits where it is told to, and volley restore puts all pages back", async () => {
  const { code, lines } = await run(exportTenant);
  expect([code, lines, refusals]).toEqual([0, [FIRST, SECOND], 2]);
  await writeFile(join(folder, "backup.json"), `${lines.join("\n")}\n`);
  expect((await run(restore, ["backup.json"])).code).toBe(0);
  expect(put).toEqual(["/v1/endpoints/b", "/v1/endpoints/a"]);
  const json = await run(exportTenant, [], true);
  expect(json.lines).toEqual([
    '{"volley_export":1,"keys":[],"endpoints":{"endpoints":[{"id":"a","n":12345678901234567890},{"id":"b"}],"events":[]}}',
  ]);
});

test("volley restore puts nothing back of an export that lacks a page", async () => {
  put.length = 0;
  await writeFile(join(folder, "cut.json"), FIRST);
  await expect(run(restore, ["cut.json"])).rejects.toThrow("the rest is missing");
  await writeFile(join(folder, "cut.json"), SECOND);
  await expect(run(restore, ["cut.json"])).rejects.toThrow("Page 1 is not the one that follows");
  await writeFile(join(folder, "cut.json"), `${FIRST}\n${SECOND.slice(0, -9)}`);
  await expect(run(restore, ["cut.json"])).rejects.toThrow("is not what volley export writes");
  expect(put).toEqual([]);
});
