import { describe, expect, test } from "vitest";

import { openConnections, type WorldOptions } from "./connection-world.ts";
import { deletes, mailbox, plain, relays, says } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const open = async (options: WorldOptions = {}) => {
  const world = await openConnections({ tools: [mailbox, plain, says, relays, deletes], ...options });
  const run = async (actions: readonly object[], more: object = {}) =>
    (
      await world.send("POST", "/v1/execute_actions", {
        subject: "ada",
        on_connection: "park",
        actions,
        ...more,
      })
    ).body.results;
  const resultsOf = async (id: string) => (await world.send("GET", `/v1/confirmations/${id}`)).body;
  return { ...world, run, resultsOf };
};

const ACTIONS = [
  { id: "n", tool: "plain" },
  { id: "mail", tool: "mailbox" },
  { id: "tell", tool: "says", args: { text: { $ref: "mail#/mailbox" } } },
  { id: "count", tool: "relays", args: { of: { $ref: "n#/n" } } },
  { id: "again", tool: "relays", args: { of: { $ref: "mail#/mailbox" } } },
  { id: "free", tool: "plain" },
];

describe("A batch with on_connection park", () => {
  trial("has what misses an account wait, and what needs it; the others run", async () => {
    const { run } = await open();
    const results = await run(ACTIONS);
    expect(results.map(({ status }: { status: string }) => status)).toEqual([
      "success",
      "pending_confirmation",
      "pending_confirmation",
      "pending_confirmation",
      "pending_confirmation",
      "success",
    ]);
    for (const { connect_url: url, confirmation } of results.slice(1, 5)) {
      expect(url).toMatch(/^https:\/\/volley\.test\/connect\/test\/cn_/);
      expect(Date.parse(confirmation.expires_at as string)).toBeGreaterThan(0);
      expect(confirmation.message).toContain("ada connects an account at acme");
    }
  });

  test("runs it from stored results once the account is connected, with nobody's yes", async () => {
    const { run, resultsOf, connect, volley } = await open();
    const results = await run(ACTIONS);
    await connect("grace", "grace@acme.dev");
    await volley.advance(1_000);
    const ids = [
      ...new Set(results.slice(1, 5).map((one: { confirmation: { id: string } }) => one.confirmation.id)),
    ];
    for (const id of ids as string[]) expect((await resultsOf(id)).status).toBe("pending");
    await connect("ada", "ada@acme.dev");
    await volley.advance(1_000);
    const seen = new Map<string, unknown>();
    for (const id of ids as string[]) {
      const question = await resultsOf(id);
      expect(question).toMatchObject({ status: "done", decided_by: { name: "ada", via: "link" } });
      for (const one of question.results) seen.set(one.id as string, one.data);
    }
    expect(Object.fromEntries(seen)).toEqual({
      mail: { mailbox: "ada@acme.dev" },
      tell: { said: "ada@acme.dev" },
      count: { mailbox: "ada@acme.dev", of: 7 },
      again: { mailbox: "ada@acme.dev", of: "ada@acme.dev" },
    });
  });

  test("does so too where a sandbox asks nobody who came, by the link in the result", async () => {
    const { run, resultsOf, signIn, volley } = await open({ confirmsItself: true });
    const [result] = await run([{ tool: "mailbox" }]);
    await signIn(result.connect_url as string, "ada@acme.dev");
    await volley.advance(1_000);
    expect(await resultsOf(result.confirmation.id as string)).toMatchObject({
      status: "done",
      results: [{ status: "success", data: { mailbox: "ada@acme.dev" } }],
    });
  });

  trial("is not used up by a yes while the account is not there; a no ends it", async () => {
    const { run, resultsOf, connect, volley, send } = await open();
    const ids: string[] = [];
    for (const tool of ["mailbox", "relays"]) {
      const [result] = await run([{ tool, args: tool === "relays" ? { of: 1 } : {} }]);
      ids.push(result.confirmation.id as string);
    }
    const decide = (id: string, decision: string) => send("POST", `/v1/confirmations/${id}`, { decision });
    const early = await decide(ids[0]!, "approve");
    expect(early).toMatchObject({
      status: 409,
      body: { code: "CONFIRMATION_INVALID", detail: expect.stringContaining("account at acme") },
    });
    expect((await decide(ids[1]!, "reject")).status).toBe(200);
    await connect("ada", "ada@acme.dev");
    await volley.advance(1_000);
    expect(await resultsOf(ids[0]!)).toMatchObject({
      status: "done",
      results: [{ data: { mailbox: "ada@acme.dev" } }],
    });
    expect((await resultsOf(ids[1]!)).status).toBe("rejected");
  });

  test("makes no link by a yes that comes before the account, and none for a yes that is not needed", async () => {
    const { run, volley, send } = await open();
    const [result] = await run([{ tool: "mailbox" }]);
    // The link is over, and the question waits on.
    await volley.advance(600_001);
    const id = result.confirmation.id as string;
    expect((await send("POST", `/v1/confirmations/${id}`, { decision: "approve" })).status).toBe(409);
    expect((await send("GET", "/v1/connections?subject=ada")).body.connections).toEqual([]);
  });

  trial("still needs a person's yes where the tool does: connecting the account is none", async () => {
    const { run, resultsOf, connect, volley, send } = await open();
    const [result] = await run([{ tool: "deletes" }]);
    expect(result).toMatchObject({ status: "pending_confirmation", connect_url: expect.any(String) });
    await connect("ada", "ada@acme.dev");
    await volley.advance(1_000);
    const id = result.confirmation.id as string;
    expect((await resultsOf(id)).status).toBe("pending");
    const decided = await send("POST", `/v1/confirmations/${id}`, { decision: "approve" });
    expect(decided.body.results[0]).toMatchObject({ status: "success", data: { mailbox: "ada@acme.dev" } });
  });

  trial(
    "parks nothing where the account is there, where no subject is named, or where it is to fail",
    async () => {
      const { run, connect } = await open();
      expect((await run([{ tool: "mailbox" }], { on_connection: "error" }))[0].error.code).toBe(
        "CONNECTION_REQUIRED",
      );
      expect((await run([{ tool: "mailbox" }], { subject: null }))[0].error.code).toBe("CONNECTION_REQUIRED");
      await connect("ada", "ada@acme.dev");
      expect((await run([{ tool: "mailbox" }]))[0].status).toBe("success");
    },
  );
});
