import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";

/* Addresses that a caller writes, by every way in which one can be written: no request may go where they lead. */

const { volley, caller } = await setUpSandbox();
const admin = new TestCaller(volley.url, "sandbox-admin-key");

/** A connection here was sent to this machine. */
let connections = 0;
const trap = createServer((socket) => {
  connections += 1;
  socket.destroy();
}).listen(0, "127.0.0.1");
await once(trap, "listening");
afterAll(() => void trap.close());
const { port } = trap.address() as AddressInfo;

const HOSTS = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "0",
  "0.0.0.0",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[64:ff9b::7f00:1]",
  "１２７.０.０.１",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "localhost",
  "LOCALHOST.",
  "app.localhost",
  "loc%61lhost",
  "127.0.0.1.nip.io",
  "db.internal",
  "metadata.google.internal",
  "169.254.169.254",
  "[fd00:ec2::254]",
  "10.0.0.1",
  "100.64.0.1",
];
const ADDRESSES = [
  ...HOSTS.flatMap((host) => [`https://${host}:${port}/`, `https://${host}/`, `http://${host}:${port}/`]),
  `https://user:pass@127.0.0.1:${port}/`,
  `https://www.wikipedia.org@127.0.0.1:${port}/`,
  "https://www.wikipedia.org:22/",
  "http://www.wikipedia.org/",
  "https://user@www.wikipedia.org/",
  "data:text/plain,hello",
  "file:///etc/passwd",
  `ftp://127.0.0.1:${port}/`,
  "https://",
];
/** The codes for an address that is not valid, or has another scheme. */
const REFUSED = new Set(["EGRESS_DENIED", "INVALID_ARGS"]);

describe("An address that leads inside is refused before any connection", () => {
  test("T09 in an argument of web_fetch", async () => {
    for (const urls of inFifties(ADDRESSES)) {
      const { results } = await caller.execute(urls.map((url) => ({ tool: "web_fetch", args: { url } })));
      const passed = results.flatMap(({ error }, at) => (REFUSED.has(error?.code ?? "") ? [] : [urls[at]]));
      expect(passed).toEqual([]);
    }
    const { results } = await caller.execute([
      { tool: "web_fetch", args: { url: `https://127.0.0.1:${port}/?token=geheim` } },
    ]);
    expect(results[0]!.error?.code).toBe("EGRESS_DENIED");
    expect(JSON.stringify(results)).not.toContain("geheim");
  });

  test("T09 among the receivers of an event", async () => {
    for (const urls of inFifties(ADDRESSES, 25)) {
      const args = { event: "order.paid", data: {}, urls };
      const { results } = await caller.execute([{ tool: "dispatch_event", args }]);
      expect(results[0]!.status, JSON.stringify(results[0])).toBe("error");
      expect(REFUSED).toContain(results[0]!.error?.code);
    }
  });

  test("T09 as the callback of a job", async () => {
    for (const urls of inFifties(ADDRESSES)) {
      const jobs = urls.map((callback_url, n) => ({ tool: "probe-background", args: { n }, callback_url }));
      const { results } = await caller.execute(jobs);
      expect(results.flatMap(({ status }, at) => (status === "error" ? [] : [urls[at]]))).toEqual([]);
    }
  });

  test("T09 T36 in a tool that is declared while running, and as a server that tools are imported from", async () => {
    // Which port of a public host is theirs to call is for those to say who may declare tools.
    const inside = ADDRESSES.filter((url) => !url.endsWith(".org:22/"));
    for (const [at, url] of inside.entries()) {
      const declaration = {
        summary: "Read something",
        description: "Reads something.",
        category: "inside",
        actions: ["read"],
        is_write: false,
        input_schema: { type: "object", properties: {} },
        http: { method: "GET", url },
      };
      const body = JSON.stringify(declaration);
      const put = await admin.send({ method: "PUT", path: `/v1/tools/inside-${at}`, body });
      expect([put.status, problemOf(put).code], url).toEqual([422, "INVALID_TOOL"]);
      const server = JSON.stringify({ prefix: `inside${at}`, mcp: { url } });
      const imported = await admin.send({ path: "/v1/tools/import", body: server });
      expect([imported.status, problemOf(imported).code], url).toEqual([422, "INVALID_TOOL"]);
    }
  });

  test("T09 no connection was made", () => {
    expect(connections).toBe(0);
  });
});

function inFifties(urls: readonly string[], size = 50): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(urls.length / size) }, (_, at) =>
    urls.slice(at * size, (at + 1) * size),
  );
}
