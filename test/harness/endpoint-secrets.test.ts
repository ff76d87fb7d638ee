import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Webhook } from "standardwebhooks";
import { afterAll, expect, test } from "vitest";

import { makeVaultKey } from "../../scripts/vault.ts";
import { eventually } from "../support/eventually.ts";
import { HostileUpstream, type SeenRequest } from "../support/hostile-upstream.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const upstream = await HostileUpstream.start();
const folders: string[] = [];
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});
upstream.script("/hook", (_, response) => void response.writeHead(204).end());

async function makeStorage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "volley-secrets-"));
  folders.push(folder);
  return folder;
}

/** A deployment without connectors, which needs no key. */
const start = (storageDir: string, vaultKey: string) =>
  startRawSandbox({
    storageDir,
    vars: { PROBE_ORIGIN: upstream.url, VOLLEY_CONNECTORS: "", VOLLEY_VAULT_KEY: vaultKey },
  });

interface Sent {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(
  url: string,
  request: string,
  { body, key = "sandbox-admin-key" }: { readonly body?: object; readonly key?: string } = {},
): Promise<Sent> {
  const [method = "", path = ""] = request.split(" ");
  const asked = { method, path, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const { status, text } = await new TestCaller(url, key).send(asked);
  return { status, body: JSON.parse(text) as Sent["body"] };
}

const makeEndpoint = async (url: string): Promise<string> => {
  const body = { url: `${upstream.url}/hook`, events: ["*"] };
  const made = await send(url, "PUT /v1/endpoints/hook", { body });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body["secret"] as string;
};

/** Publish an event, and wait until it has come. */
async function publish(url: string): Promise<SeenRequest> {
  const published = await send(url, "POST /v1/events", { body: { type: "order.paid", data: {} } });
  expect(published).toMatchObject({ status: 202, body: { endpoints: 1 } });
  return eventually("the delivery", () =>
    upstream.requestsTo("/hook").find(({ headers }) => headers["webhook-id"] === published.body["event_id"]),
  );
}

const expectSigned = ({ body, headers }: SeenRequest, secret: string): void =>
  void new Webhook(secret).verify(body, headers as Record<string, string>);

const reseal = (url: string): Promise<Sent> =>
  send(url, "POST /v1/endpoints/reseal", { key: "sandbox-operator-key" });

test("Endpoints of a deployment that had no key go on signing with the same secrets under a first key, a second one, and that one alone", async () => {
  const [first, second] = [makeVaultKey(), makeVaultKey()];
  const storageDir = await makeStorage();
  let volley = await start(storageDir, "");
  const secret = await makeEndpoint(volley.url);
  const again = async (vaultKey: string): Promise<void> => {
    await volley.kill("SIGKILL");
    volley = await start(storageDir, vaultKey);
    expectSigned(await publish(volley.url), secret);
  };
  await again(first);
  expect(await reseal(volley.url)).toEqual({ status: 200, body: { sealed: 1, unreadable: 0, done: true } });
  await again(`${second},${first}`);
  expect((await reseal(volley.url)).body).toEqual({ sealed: 1, unreadable: 0, done: true });
  await again(second);
  await volley[Symbol.asyncDispose]();
});

test("No file of a deployment with a key has the secret of an endpoint", async () => {
  const storageDir = await makeStorage();
  const volley = await start(storageDir, makeVaultKey());
  const secret = await makeEndpoint(volley.url);
  expectSigned(await publish(volley.url), secret);
  await volley.kill("SIGKILL");
  const files = await readdir(storageDir, { recursive: true, withFileTypes: true });
  const kept = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name))),
  );
  const all = Buffer.concat(kept).toString("latin1");
  // The endpoint itself is there.
  expect(all).toContain(`${upstream.url}/hook`);
  expect(all).not.toContain(secret.slice("whsec_".length, -4));
  expect(all).not.toContain("whsec_");
});
