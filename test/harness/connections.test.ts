import { Webhook } from "standardwebhooks";
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

  const declaration = {
    summary: "Say whose account it is",
    description: "Say whose account it is.",
    category: "accounts",
    actions: ["read"],
    is_write: false,
    input_schema: { type: "object", properties: {} },
    http: { method: "GET", url: "https://probe.sandbox.test/account", auth: { connection: "probe" } },
  };

  test("runs a hook's flow for the subject that its verified body names", async () => {
    expect((await send("PUT", "/v1/tools/whose_account", declaration)).status).toBe(201);
    const flow = {
      summary: "Say whose account it is",
      input_schema: { type: "object", properties: { user: { type: "object" } } },
      actions: [{ id: "mine", tool: "whose_account", args: {} }],
      answer: { $ref: "mine#/account" },
      triggers: { webhook: { verify: "standard-webhooks", secret: "SANDBOX_SECRET", subject: "/user/id" } },
    };
    expect(await send("PUT", "/v1/flows/hooked_account", flow)).toMatchObject({ status: 201 });
    const snowflake = "820982911946154508";
    for (const person of ["ada", "grace", snowflake]) {
      const started = await send("POST", "/v1/connections", { connector: "probe", subject: person });
      await signIn(started.body.connect_url as string, person);
    }
    const deliver = async (id: string, text: string): Promise<Response> => {
      const at = new Date();
      const signature = new Webhook("whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=").sign(id, at, text);
      return fetch(new URL("/hooks/sandbox-admin/hooked_account", sandbox.url), {
        method: "POST",
        body: text,
        headers: {
          "content-type": "application/json",
          "webhook-id": id,
          "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
          "webhook-signature": signature,
        },
      });
    };
    const bodies = {
      ada: '{"user":{"id":"ada"}}',
      grace: '{"user":{"id":"grace"}}',
      [snowflake]: `{"user":{"id":${snowflake}}}`,
    };
    for (const [person, body] of Object.entries(bodies)) {
      const taken = await deliver(`of-${person}`, body);
      expect(taken.status).toBe(202);
      const { job_id: id } = (await taken.json()) as { job_id: string };
      const job = await send("GET", `/v1/jobs/${id}?wait_s=20`);
      expect(job.body).toMatchObject({ status: "succeeded", data: `${person}@probe.sandbox.test` });
    }
    for (const [id, body] of [
      ["of-nobody", '{"user":{}}'],
      ["of-no-word", '{"user":{"id":" a"}}'],
    ] as const) {
      const unwanted = await deliver(id, body);
      expect([unwanted.status, await unwanted.json()]).toEqual([
        200,
        { accepted: false, reason: "it names no subject at /user/id" },
      ]);
    }
  });
});
