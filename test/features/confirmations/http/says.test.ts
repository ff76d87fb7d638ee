import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { imports } from "../../../../src/features/imports/index.ts";
import { document } from "../../../../src/features/document/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { createCatalog } from "../../../support/create-catalog.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { documentedFetch } from "../../../support/documented-fetch.ts";
import { trial } from "../../../support/trial.ts";

const SAYS = "Refund {{args#/amount}} to {{args#/customer}}";

const refund = defineTool({
  name: "refund",
  summary: "Refund a customer",
  description: "Refund a customer.",
  category: "shop",
  actions: ["pay"],
  isWrite: true,
  execution: "sync",
  input: z.strictObject({
    amount: z.number().default(5),
    customer: z.string().optional(),
    note: z.string().optional(),
  }),
  hosts: [],
  orchestration: { mode: "sequential-only", confirm: { says: SAYS } },
  run: async () => ({ to: "Bob" }),
});

async function deploy() {
  const volley = await createTestVolley({
    tools: [refund],
    features: [discovery(), confirmations(), addedTools(), imports(), document()],
    routes: { "POST https://told.example.com/*": () => new Response(null, { status: 204 }) },
    env: {
      VOLLEY_EVENTS_URL: "https://told.example.com/events",
      VOLLEY_WEBHOOK_SECRET: `whsec_${btoa("a secret of the test, 32 bytes..")}`,
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "test", tenant: "acme", flags: ["approve", "manage_tools"] },
      }),
    },
  });
  const fetch = await documentedFetch(volley);
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(path, {
      method,
      headers: { authorization: "Bearer test-key", "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as never };
  };
  const ask = async (actions: readonly object[]): Promise<string> => {
    const { results } = await volley.run({ actions });
    return (results[0] as unknown as { confirmation: { id: string } }).confirmation.id;
  };
  /** The sentences of a question as a key reads them, in the list and alone; and the page of a link. */
  const read = async (...actions: readonly object[]) => {
    const id = await ask(actions);
    const one = (await send("GET", `/v1/confirmations/${id}`)).body as { actions: { says?: string }[] };
    const list = (await send("GET", "/v1/confirmations")).body as {
      confirmations: { id: string; asks: { says?: string }[] }[];
    };
    const listed = list.confirmations.find((each) => each.id === id)!;
    const said = one.actions.map(({ says }) => says);
    expect(listed.asks.map(({ says }) => says)).toEqual(said);
    const link = (await send("POST", `/v1/confirmations/${id}/link`, { name: "Ada" })).body as {
      url: string;
    };
    const page = await (await volley.fetch(new URL(link.url).pathname)).text();
    return { id, said, page };
  };
  return { volley, send, read };
}

describe("The sentence of a tool", () => {
  trial(
    "is shown wherever somebody decides: alone, in the list, on the page of a link, and in the event",
    async () => {
      const { volley, read } = await deploy();
      const { said, page } = await read({ tool: "refund", args: { amount: 12.5, customer: "Ada" } });
      expect(said).toEqual(["Refund 12.5 to Ada"]);
      expect(page).toContain("<strong><bdi>Refund 12.5 to Ada</bdi></strong>");
      await volley.advance(1_000);
      const events = volley.requests.map(
        ({ body }) => JSON.parse(body ?? "{}") as { data: { says?: string[] } },
      );
      expect(events.map(({ data }) => data.says)).toEqual([["Refund 12.5 to Ada"]]);
    },
  );

  trial("shows a default as the tool will get it, and a missing value as ?", async () => {
    const { read } = await deploy();
    expect((await read({ tool: "refund" })).said).toEqual(["Refund 5 to ?"]);
  });

  trial("shows what is not known yet as ?, and each element of a loop", async () => {
    const { read } = await deploy();
    const { said } = await read(
      { id: "a", tool: "refund", args: { amount: 1, customer: "Ada" } },
      { id: "b", tool: "refund", args: { amount: 2, customer: { $ref: "a#/to" } } },
    );
    expect(said).toEqual(["Refund 1 to Ada", "Refund 2 to ?"]);
    const each = { amount: { $ref: "item#" }, customer: "Bob" };
    const loop = await read({ tool: "refund", args: each, for_each: [1, 2, 3, 4, 5] });
    expect(loop.said).toEqual(["Refund 1 to Bob; Refund 2 to Bob; Refund 3 to Bob; and 2 more"]);
  });

  trial("cuts a value to 200 characters", async () => {
    const { read } = await deploy();
    const { said } = await read({ tool: "refund", args: { amount: 1, customer: "x".repeat(201) } });
    expect(said).toEqual([`Refund 1 to ${"x".repeat(200)}…`]);
  });

  trial("is text: markup stays text on the page, and what cannot be seen is written out", async () => {
    const { read } = await deploy();
    const { said, page } = await read({
      tool: "refund",
      args: { amount: 1, customer: "</bdi><b>x</b>\u202e\nBcc: eve {{args#/amount}}" },
    });
    expect(said).toEqual(["Refund 1 to </bdi><b>x</b>\\u{202e}\\u{a}Bcc: eve {{args#/amount}}"]);
    expect(page).toContain("Refund 1 to &lt;/bdi&gt;&lt;b&gt;x&lt;/b&gt;\\u{202e}");
  });

  trial("alone asks about every call, as 'always' does", async () => {
    const { volley } = await deploy();
    const { results } = await volley.run({ actions: [{ tool: "refund" }] });
    expect(results.map(({ status }) => status)).toEqual(["pending_confirmation"]);
  });

  test.each([
    ["Refund {{args#/amout}}", /shows an argument 'amout', and there is none/],
    ["Refund {{other#/amount}}", /confirm/],
    ["Refund {{args#/amount}", /confirm/],
    ["Refund {{args#amount}}", /confirm/],
    [" ", /confirm/],
    ["x".repeat(301), /confirm/],
    ["{{args#/amount}}".repeat(11), /confirm/],
  ])("that cannot be read fails at the start, and names its tool: %s", (says, expected) => {
    const input = z.strictObject({ amount: z.number().optional() });
    const start = () =>
      createCatalog([
        contractOf("wrong", { input, orchestration: { mode: "parallel-safe", confirm: { says } } }),
      ]);
    expect(start).toThrow(expected);
    expect(start).toThrow(/'wrong'/);
  });

  trial("is checked where a tool is registered and where one is imported, at its path", async () => {
    const { send, read } = await deploy();
    const declare = (says: string) => ({
      summary: "Ban somebody",
      description: "Ban somebody.",
      category: "shop",
      actions: ["ban"],
      is_write: true,
      input_schema: { type: "object", properties: { who: { type: "string" } } },
      http: { method: "POST", url: "https://api.example.com/ban" },
      orchestration: { mode: "sequential-only", confirm: { says } },
    });
    for (const [says, received] of [
      ["Ban {{args#/whom}}", "whom"],
      ["Ban {{who}}", "Ban"],
    ]) {
      const { status, body } = await send("PUT", "/v1/tools/ban", declare(says!));
      expect([status, (body as { issues: { path: string }[] }).issues[0]!.path]).toEqual([
        422,
        "/orchestration/confirm/says",
      ]);
      expect(JSON.stringify(body)).toContain(received);
    }
    expect((await send("PUT", "/v1/tools/ban", declare("Ban {{args#/who}}"))).status).toBe(201);
    expect((await read({ tool: "ban", args: { who: "Eve" } })).said).toEqual(["Ban Eve"]);

    const openapi = {
      openapi: "3.1.0",
      info: { title: "Bans", version: "1" },
      servers: [{ url: "https://api.example.com" }],
      paths: {
        "/ban": {
          post: {
            operationId: "ban",
            parameters: [{ name: "who", in: "query", schema: { type: "string" } }],
            responses: {},
          },
        },
      },
    };
    const importBans = (says: string) =>
      send("POST", "/v1/tools/import", {
        prefix: "x",
        openapi,
        overrides: { ban: { orchestration: { mode: "sequential-only", confirm: { says } } } },
      });
    const wrong = await importBans("Ban {{args#/whom}}");
    expect([wrong.status, JSON.stringify(wrong.body).includes("confirm/says")]).toEqual([422, true]);
    expect((await importBans("Ban {{args#/who}}")).status).toBe(200);
  });
});
