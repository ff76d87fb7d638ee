import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, afterEach, describe, expect, test, vi } from "vitest";

import { runCommand } from "../../scripts/command/run-command.ts";
import { makeVaultKey } from "../../scripts/vault.ts";
import { eventually } from "../support/eventually.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { OauthBrowser } from "../support/oauth-browser.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import type { Workerd } from "../support/workerd.ts";

const provider = await FakeProvider.start();
const storageDir = await mkdtemp(join(tmpdir(), "volley-connections-"));
let volley: Workerd | undefined;
afterEach(() => {
  provider.expiresInS = 3_600;
});
afterAll(async () => {
  await volley?.[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await rm(storageDir, { recursive: true, force: true });
});

/** Begin with the same storage as before, where the runtime was killed at once. */
const startAgain = async (vars: Readonly<Record<string, string>> = {}): Promise<void> => {
  await volley?.[Symbol.asyncDispose]();
  volley = await startRawSandbox({
    storageDir,
    vars: { ...provider.vars, CONFIRM_CONNECTIONS: "on", ...vars },
  });
};

const send = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(new URL(path, volley!.url), {
    method,
    headers: { authorization: "Bearer sandbox-admin-key", "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
};

/** Go a subject's whole way up to where its application says who came. */
const bring = async (subject: string): Promise<{ id: string; code: string }> => {
  const wish = { connector: "acme", subject, return_to: "http://localhost:3000/done" };
  const { body } = await send("POST", "/v1/connections", wish);
  const browser = new OauthBrowser(volley!.url);
  const gone = await browser.submit(await browser.open(body.connect_url as string), {});
  const back = await browser.open(provider.signIn(gone.location!, `${subject}@acme`));
  return { id: body.connection_id as string, code: back.location!.searchParams.get("code")! };
};
const confirm = (id: string, code: string, subject: string) =>
  send("POST", `/v1/connections/${id}/confirm`, { code, subject });
const ask = async (subject: string, more: object = {}) =>
  (await send("POST", "/v1/execute_actions", { subject, actions: [{ tool: "whose_account" }], ...more })).body
    .results[0];

describe("A runtime that is killed", () => {
  test("between a connection that becomes active and what waits for it: that runs after the restart", async () => {
    await startAgain();
    expect((await send("PUT", "/v1/tools/whose_account", provider.tool)).status).toBe(201);
    const waits = await ask("ada", { on_connection: "park" });
    expect(waits.status).toBe("pending_confirmation");
    // The waiting action needs a token first, which has to be refreshed, and the provider keeps the refresh waiting.
    provider.expiresInS = 0.001;
    const { id, code } = await bring("ada");
    provider.expiresInS = 3_600;
    const letGo = provider.upstream.hold("/oauth/token");
    expect((await confirm(id, code, "ada")).body.state).toBe("active");
    await eventually("what waited to begin", () =>
      provider.upstream.requestsTo("/oauth/token").length > 1 ? true : undefined,
    );
    await volley!.kill();
    letGo();
    await startAgain();
    const question = await eventually("what waited to run", async () => {
      const { body } = await send("GET", `/v1/confirmations/${waits.confirmation.id}`);
      return body.status === "done" ? body : undefined;
    });
    expect(question.results).toMatchObject([{ status: "success", data: { account: "ada@acme" } }]);
  });
});

describe("The key of the vault", () => {
  test("is changed by two keys, a rotation and a restart without the old one: accounts are usable all the way", async () => {
    const [old, next] = [makeVaultKey(), makeVaultKey()];
    await startAgain({ VOLLEY_VAULT_KEY: old });
    await send("PUT", "/v1/tools/whose_account", provider.tool);
    for (const subject of ["vera", "val"]) {
      const { id, code } = await bring(subject);
      await confirm(id, code, subject);
    }
    const waiting = await bring("vic");
    await startAgain({ VOLLEY_VAULT_KEY: `${next},${old}` });
    expect(await ask("vera")).toMatchObject({ status: "success", data: { account: "vera@acme" } });
    const said = vi.spyOn(console, "log").mockReturnValue();
    const env = { VOLLEY_URL: volley!.url, VOLLEY_KEY: "sandbox-operator-key" };
    expect(await runCommand(["vault", "rotate"], env)).toBe(0);
    expect(said.mock.calls.flat().join()).toMatch(/^Sealed anew: \d+\. That no key opens: \d+\.$/);
    said.mockRestore();
    await startAgain({ VOLLEY_VAULT_KEY: next });
    for (const subject of ["vera", "val"])
      expect(await ask(subject)).toMatchObject({ status: "success", data: { account: `${subject}@acme` } });
    // An account that was not confirmed yet is usable too.
    expect((await confirm(waiting.id, waiting.code, "vic")).status).toBe(200);
    expect(await ask("vic")).toMatchObject({ status: "success", data: { account: "vic@acme" } });
  });
});
