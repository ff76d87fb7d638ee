import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startRawSandbox } from "../support/sandbox.ts";
import type { Workerd } from "../support/workerd.ts";

let sandbox: Workerd;
beforeAll(async () => {
  sandbox = await startRawSandbox();
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const send = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(new URL(path, sandbox.url), {
    method,
    redirect: "manual",
    headers: {
      authorization: "Bearer sandbox-admin-key",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
};

/** Go the way of a person with a link, as somebody, to the page or the address at its end. */
const signIn = async (connectUrl: string, person: string): Promise<Response> => {
  const page = await (await fetch(connectUrl)).text();
  const [, token = ""] = /name="form" value="([^"]*)"/.exec(page) ?? [];
  const gone = await fetch(connectUrl, {
    method: "POST",
    body: new URLSearchParams({ form: token }),
    redirect: "manual",
  });
  expect(gone.status, page).toBe(303);
  const provider = new URL(gone.headers.get("location")!, sandbox.url);
  expect(await (await fetch(provider)).text()).toContain("sign in as");
  provider.searchParams.set("as", person);
  const back = await fetch(provider, { redirect: "manual" });
  expect(back.status, await back.clone().text()).toBe(302);
  return fetch(back.headers.get("location")!, { redirect: "manual" });
};

describe("The sandbox", () => {
  test.each([
    ["google", "ada@gmail.sandbox.test", 1],
    ["microsoft", "ada@outlook.sandbox.test", 1],
    ["github", "ada", 1],
    ["slack", "UADA", 1],
    ["notion", "ada@notion.sandbox.test", 0],
    ["probe", "ada@probe.sandbox.test", 1],
  ])("connects an account at %s by its stand-in, and takes it back", async (connector, account, scopes) => {
    const started = await send("POST", "/v1/connections", { connector, subject: "ada" });
    expect(started.status).toBe(201);
    const done = await signIn(started.body.connect_url as string, "ada");
    expect(await done.text()).toContain(account);
    const id = started.body.connection_id as string;
    const shown = (await send("GET", `/v1/connections/${id}`)).body;
    expect(shown).toMatchObject({ state: "active", account });
    expect(shown.scopes.length).toBeGreaterThanOrEqual(scopes);
    expect((await send("DELETE", `/v1/connections/${id}`)).status).toBe(204);
  });

  test("connects nobody where the person says no", async () => {
    const started = await send("POST", "/v1/connections", { connector: "google", subject: "grace" });
    const done = await signIn(started.body.connect_url as string, "nobody");
    expect(await done.text()).toContain("Not connected");
    expect((await send("GET", `/v1/connections/${started.body.connection_id}`)).status).toBe(404);
  });
});
