import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Webhook } from "standardwebhooks";
import { afterAll, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const port = await freePort();
const { upstream, volley } = await setUpSandbox({ VOLLEY_DEV_ORIGINS: `http://127.0.0.1:${port}` });
const admin = new TestCaller(volley.url, "sandbox-admin-key");
const page = await readFile(join(ROOT, "docs/endpoints.md"), "utf8");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, text]) => text!);
const folder = await mkdtemp(join(tmpdir(), "volley-endpoints-page-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function send(method: string, path: string, body?: unknown) {
  const sent = await admin.send({ method, path, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { status: sent.status, body: JSON.parse(sent.text) as Record<string, unknown> };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  server.close();
  return port;
}

test("the receiver of ten lines and the three commands at the top of docs/endpoints.md do what the page says", async () => {
  const [source] = blocks("js");
  expect(source!.trim().split("\n")).toHaveLength(10);
  const file = join(folder, "receiver.mjs");
  await writeFile(file, source!.replace("3000", String(port)));
  const receiver = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
  using _ = { [Symbol.dispose]: () => receiver.kill() };
  let printed = "";
  receiver.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  await eventually("the receiver to listen", () => fetch(`http://127.0.0.1:${port}`).catch(() => undefined));
  await eventually("what it says of a forged event", () =>
    printed.startsWith("401 ") ? printed : undefined,
  );
  const commands = blocks("bash").find((text) => text.includes("/v1/deliveries"))!;
  expect(commands.match(/^curl /gm)).toHaveLength(3);
  const here = commands.replaceAll("http://127.0.0.1:8787", volley.url).replaceAll("3000", String(port));
  const last = here.slice(here.lastIndexOf("curl "));
  await promisify(execFile)("bash", ["-c", here]);
  await eventually("the event", () => (printed.includes('204 {"type":"order.paid"') ? printed : undefined));
  const { deliveries } = await eventually("the delivery's end", async () => {
    const { stdout } = await promisify(execFile)("bash", ["-c", last]);
    const seen = JSON.parse(stdout) as { deliveries: readonly { readonly status: string }[] };
    return seen.deliveries[0]?.status === "pending" ? undefined : seen;
  });
  expect(deliveries).toMatchObject([{ endpoint: "mine", status: "delivered" }]);
});

test("the endpoint and the event of docs/endpoints.md are kept, published once and delivered as the page says", async () => {
  const [endpoint, event] = blocks("json").map((text) => JSON.parse(text) as Record<string, unknown>);
  upstream.script("/hooks", (_, response) => void response.writeHead(204).end());
  const settings = { ...endpoint, url: `${upstream.url}/hooks` };
  const made = await send("PUT", "/v1/endpoints/shop", settings);
  expect(made).toMatchObject({ status: 201, body: { ...settings, state: "active" } });
  // The page's own address is one that is taken.
  expect((await send("PUT", "/v1/endpoints/elsewhere", endpoint)).status).toBe(201);
  await send("DELETE", "/v1/endpoints/elsewhere").catch(() => null);
  const published = await send("POST", "/v1/events", event);
  expect(published).toMatchObject({ status: 202, body: { event_id: event!["id"], endpoints: 1 } });
  expect(await send("POST", "/v1/events", event)).toEqual(published);
  const [sent] = await eventually("the delivery", () => {
    const seen = upstream.requestsTo("/hooks");
    return seen.length > 0 ? seen : undefined;
  });
  expect(sent!.headers).toMatchObject({ "x-env": "prod", "webhook-id": event!["id"] });
  const { secret } = made.body as { secret: string };
  expect(new Webhook(secret).verify(sent!.body, sent!.headers as Record<string, string>)).toEqual({
    type: event!["type"],
    timestamp: expect.any(String),
    data: event!["data"],
  });
  const few = { ...event, id: "few", data: { ...(event!["data"] as object), total: 99 } };
  expect((await send("POST", "/v1/events", few)).body).toMatchObject({ endpoints: 0 });
});

test("each path in the tables of docs/endpoints.md is one that there is", async () => {
  const { text } = await admin.get("/openapi.json");
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> };
  // Those of a link are for its page, and in no document.
  const named = [...page.matchAll(/`(GET|PUT|POST|PATCH|DELETE) (\/v1\/(?!portal\b)[a-z_/{}]+)/g)];
  expect(named.length).toBeGreaterThan(15);
  const missing = named
    .map(([, method, path]) => ({
      method: method!.toLowerCase(),
      path: path!.replace(/\{[a-z_]+\}|shop$/g, "{id}"),
    }))
    .filter(({ method, path }) => paths[path]?.[method] === undefined);
  expect(missing).toEqual([]);
});

test("the import of docs/endpoints.md says what each endpoint becomes, and keeps its secret", async () => {
  const secret = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
  const url = `${upstream.url}/moved`;
  upstream.script("/moved", (_, response) => void response.writeHead(204).end());
  const file = [{ id: "ep_1", url, filterTypes: ["moved"], app: { uid: "c_7" }, secret: { key: secret } }];
  await writeFile(join(folder, "endpoints.json"), JSON.stringify(file));
  const [command] = blocks("bash").filter((text) => text.includes("endpoints.json"));
  const script = join(ROOT, "scripts/volley.ts");
  const args = command!.trim().replace("npx volley ", "").split(" ");
  const env = { ...process.env, VOLLEY_URL: volley.url, VOLLEY_KEY: "sandbox-admin-key" };
  const run = async (more: readonly string[]) =>
    (await promisify(execFile)(process.execPath, [script, ...more], { cwd: folder, env })).stdout;
  expect(await run(args)).toBe("ep_1 would be kept\n1 of 1 endpoints can move.\n");
  expect((await send("GET", "/v1/endpoints/ep_1")).status).toBe(404);
  const moving = args.filter((arg) => arg !== "--dry-run");
  expect(await run(moving)).toBe("ep_1 is new\n1 of 1 endpoints moved.\n");
  expect(await run(moving)).toBe(
    "ep_1 is replaced\n    It was here already: it keeps the secret that it signs with.\n1 of 1 endpoints moved.\n",
  );
  await send("POST", "/v1/events", { type: "moved", data: {}, customer: "c_7" });
  const [sent] = await eventually("the delivery", () => {
    const seen = upstream.requestsTo("/moved");
    return seen.length > 0 ? seen : undefined;
  });
  new Webhook(secret).verify(sent!.body, sent!.headers as Record<string, string>);
});
