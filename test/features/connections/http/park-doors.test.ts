import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import * as CONNECTIONS_LIMITS from "../../../../src/features/connections/limits.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { agent } from "../../../../src/features/agent/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { shardOfSubject } from "../../../../src/core/contract/gate/caller.ts";
import { API, CONNECTORS, ACME, openConnections, type WorldOptions } from "./connection-world.ts";
import { base, deletes, mailbox, plain, relays, says } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const both = defineTool({
  ...base,
  name: "both",
  hosts: ["api.acme.dev", "api.beta.dev"],
  connection: { acme: [], beta: [] },
  run: async (_, ctx) => ({
    acme: ((await ctx.connection("acme").fetch(`${API}/mailbox`)).json() as { mailbox: string }).mailbox,
    beta: ctx.connection("beta").account,
  }),
});
const quick = defineTool({
  ...base,
  name: "quick",
  connection: "acme",
  run: async (_, ctx) => ({ account: ctx.connection("acme").account }),
});

/** Two subjects whose connections one object keeps. */
function subjectsOfOneShard(): [string, string] {
  const known = new Map<number, string>();
  for (let n = 0; ; n += 1) {
    const other = known.get(shardOfSubject(`s${n}`));
    if (other !== undefined) return [other, `s${n}`];
    known.set(shardOfSubject(`s${n}`), `s${n}`);
  }
}

const MODEL = "https://llm.test/v1";
const flow = (actions: readonly object[], answer: unknown) => ({
  summary: "Read the mailbox",
  input_schema: { type: "object", properties: {} },
  actions,
  answer,
});

/** Open a Volley with every door and no account. */
const open = async (options: WorldOptions = {}) => {
  const world = await openConnections({
    tools: [mailbox, plain, says, relays, both, deletes, quick],
    features: [addedTools(), flows(), background(), agent(), runs()],
    ...options,
    key: { flags: ["approve", "manage_connections", "manage_tools"], ...options.key },
    env: {
      LLM_BASE_URL: MODEL,
      LLM_API_KEY: "k",
      LLM_MODEL: "m",
      VOLLEY_CONNECTORS: JSON.stringify({ ...CONNECTORS, beta: { ...ACME, hosts: ["api.beta.dev"] } }),
    },
  });
  const connectAda = async (wish: object = {}) => {
    const id = await world.connect("ada", "ada@acme.dev", wish);
    await world.volley.advance(1_000);
    return id;
  };
  const batch = async (actions: readonly object[], more: object = {}) =>
    (
      await world.send("POST", "/v1/execute_actions", {
        subject: "ada",
        on_connection: "park",
        actions,
        ...more,
      })
    ).body;
  const question = async (id: string) => (await world.send("GET", `/v1/confirmations/${id}`)).body;
  const endOf = async (jobId: string) => {
    for (let looks = 0; looks < 20; looks += 1) {
      const { body } = await world.send("GET", `/v1/jobs/${jobId}`);
      if (!["running", "retrying"].includes(body.status as string)) return body;
      await world.volley.advance(1_000);
    }
    throw new Error(`Cannot wait for the job ${jobId} any longer`);
  };
  return { ...world, connectAda, batch, question, endOf };
};

const ACTIONS = [
  { id: "n", tool: "plain" },
  { id: "mail", tool: "mailbox" },
  { id: "tell", tool: "says", args: { text: { $template: "{{n#/n}} {{mail#/mailbox}}" } } },
];

describe("on_connection park in a batch in the background", () => {
  test("has what misses an account wait, and runs it from stored results once the account is connected", async () => {
    const { batch, endOf, send, question, connectAda, volley } = await open();
    const { job_id: job } = await batch(ACTIONS, { background: true });
    expect((await endOf(job as string)).status).toBe("succeeded");
    const { results } = (await send("GET", `/v1/jobs/${job}/results`)).body;
    expect(results.map(({ status }: { status: string }) => status)).toEqual([
      "success",
      "pending_confirmation",
      "pending_confirmation",
    ]);
    expect(results[1].connect_url).toMatch(/^https:\/\/volley\.test\/connect\/test\/cn_/);
    await connectAda();
    const ids = new Set<string>(
      results.slice(1).map((one: { confirmation: { id: string } }) => one.confirmation.id),
    );
    expect(ids.size).toBe(1);
    expect(await question([...ids][0]!)).toMatchObject({
      status: "done",
      decided_by: { name: "ada" },
      results: [
        { id: "mail", status: "success", data: { mailbox: "ada@acme.dev" } },
        { id: "tell", status: "success", data: { said: "7 ada@acme.dev" } },
      ],
    });
    await volley.advance(2_000);
    const { runs: approved } = (await send("GET", "/v1/runs?source=approval")).body;
    expect(approved).toMatchObject([{ status: "success", subject: "ada", actions: 2 }]);
  });

  test("makes one question of a loop that a person's batch could have, and none of a longer one: its elements fail", async () => {
    const { batch, endOf, send } = await open();
    const loop = (count: number) => ({
      tool: "relays",
      for_each: Array.from({ length: count }, (_, at) => at),
      args: { of: { $ref: "item#" } },
    });
    const { job_id: job } = await batch([loop(3), loop(LIMITS.loopElements + 1)], { background: true });
    await endOf(job as string);
    const { results } = (await send("GET", `/v1/jobs/${job}/results`)).body;
    expect(results[0]).toMatchObject({ status: "pending_confirmation" });
    expect(results[1]).toMatchObject({
      status: "error",
      error: { code: "CONNECTION_REQUIRED", connect_url: expect.any(String) },
    });
  });
});

describe("on_connection park in a flow", () => {
  const FLOW = flow(ACTIONS, { $ref: "tell#/said" });

  trial("that is run by itself has its actions wait, and what needs them; the others run", async () => {
    const { send, question, connectAda } = await open();
    await send("PUT", "/v1/flows/mail_flow", FLOW);
    const run = { subject: "ada", on_connection: "park" };
    const { body } = await send("POST", "/v1/flows/mail_flow/run", run);
    expect(body.results.map(({ status }: { status: string }) => status)).toEqual([
      "success",
      "pending_confirmation",
      "pending_confirmation",
    ]);
    expect(body.results[1].connect_url).toContain("/connect/test/cn_");
    await connectAda();
    expect(await question(body.results[1].confirmation.id as string)).toMatchObject({
      status: "done",
      results: [
        { id: "mail", data: { mailbox: "ada@acme.dev" } },
        { id: "tell", data: { said: "7 ada@acme.dev" } },
      ],
    });
  });

  trial(
    "that is an action of a batch waits whole, and gives its answer once the account is connected",
    async () => {
      const { send, batch, question, connectAda } = await open();
      await send("PUT", "/v1/flows/mail_flow", FLOW);
      const { results } = await batch([
        { id: "flow", tool: "mail_flow" },
        { id: "after", tool: "says", args: { text: { $ref: "flow#" } } },
        { id: "free", tool: "plain" },
      ]);
      expect(results.map(({ status }: { status: string }) => status)).toEqual([
        "pending_confirmation",
        "pending_confirmation",
        "success",
      ]);
      expect(results[0].connect_url).toContain("/connect/test/cn_");
      await connectAda();
      expect(await question(results[0].confirmation.id as string)).toMatchObject({
        status: "done",
        results: [
          { id: "flow", status: "success", data: "7 ada@acme.dev" },
          { id: "after", status: "success", data: { said: "7 ada@acme.dev" } },
        ],
      });
    },
  );

  trial("that asks a person still does: connecting the account is no yes", async () => {
    const { send, batch, question, connectAda } = await open();
    const kept = await send(
      "PUT",
      "/v1/flows/deleting",
      flow([{ id: "d", tool: "deletes", args: {} }], { $ref: "d#" }),
    );
    expect(kept.status).toBe(201);
    const { results } = await batch([{ tool: "deleting" }]);
    await connectAda();
    expect((await question(results[0].confirmation.id as string)).status).toBe("pending");
  });
});

describe("on_connection park elsewhere", () => {
  trial("holds for a tool that is called through invoke_tool", async () => {
    const { batch, question, connectAda } = await open();
    const { results } = await batch([
      { tool: "invoke_tool", args: { tool_name: "mailbox", parameters: {} } },
    ]);
    expect(results[0]).toMatchObject({ status: "pending_confirmation", connect_url: expect.any(String) });
    await connectAda();
    expect((await question(results[0].confirmation.id as string)).results[0].data).toEqual({
      mailbox: "ada@acme.dev",
    });
  });

  trial("holds for the calls of a model at an agent door, where `volley` says it", async () => {
    const { send, connectAda } = await open({
      routes: {
        [`POST ${MODEL}/chat/completions`]: (sent) => {
          const { messages } = sent.json() as { messages: { role: string; content: string }[] };
          const found = messages.find(({ role }) => role === "tool");
          const call = { id: "c1", type: "function", function: { name: "mailbox", arguments: "{}" } };
          const message =
            found === undefined
              ? { role: "assistant", content: null, tool_calls: [call] }
              : { role: "assistant", content: found.content };
          const finish = found === undefined ? "tool_calls" : "stop";
          const choice = { index: 0, message, finish_reason: finish };
          return { id: "x", object: "chat.completion", created: 1, model: "m", choices: [choice] };
        },
      },
    });
    const volley = { subject: "ada", on_connection: "park", surface: "flat" };
    const asked = [{ role: "user", content: "Whose mailbox?" }];
    const ask = async (messages: readonly object[]) =>
      (await send("POST", "/v1/chat/completions", { messages, volley })).body.choices[0].message;
    const waits = await ask(asked);
    expect(waits.content).toMatch(
      /waits for a person to connect an account, and has not been done.*: https:\/\/volley\.test\/connect\/test\/cn_/s,
    );
    await connectAda();
    const told = await ask([...asked, waits, { role: "user", content: "Go on." }]);
    expect(told.content).toContain("ada@acme.dev");
  });

  trial("waits for every account that a tool uses, whichever is connected first", async () => {
    for (const order of [
      ["acme", "beta"],
      ["beta", "acme"],
    ]) {
      const { batch, question, connectAda } = await open();
      const { results } = await batch([{ tool: "both" }]);
      const { id, message } = results[0].confirmation;
      expect(message).toContain("acme and beta");
      await connectAda({ connector: order[0] });
      expect((await question(id as string)).status).toBe("pending");
      await connectAda({ connector: order[1] });
      expect((await question(id as string)).results[0].data).toEqual({
        acme: "ada@acme.dev",
        beta: "ada@acme.dev",
      });
    }
  });

  trial("leaves what waits for another account of the subject, by its name, alone", async () => {
    const { batch, question, connectAda } = await open();
    const { results } = await batch([{ tool: "mailbox" }], { connections: { acme: "work" } });
    await connectAda();
    const id = results[0].confirmation.id as string;
    expect((await question(id)).status).toBe("pending");
    await connectAda({ name: "work" });
    expect((await question(id)).status).toBe("done");
  });

  trial(
    "tries again what could not be admitted when the account was connected: the quota was used up",
    async () => {
      const { batch, question, connectAda, volley } = await open({
        key: { quota: { limit: 1, window_s: 60 } },
      });
      const ids: string[] = [];
      for (let asked = 0; asked < 2; asked += 1) {
        const { results } = await batch([{ tool: "mailbox" }]);
        ids.push(results[0].confirmation.id as string);
        await volley.advance(60_000);
      }
      const statuses = async () =>
        (await Promise.all(ids.map(question))).map(({ status }) => status as string);
      await connectAda();
      expect((await statuses()).sort()).toEqual(["done", "pending"]);
      await volley.advance(CONNECTIONS_LIMITS.awaitedAgainMs);
      expect(await statuses()).toEqual(["done", "done"]);
    },
  );

  trial("keeps nobody waiting for what another subject's account has begun to run", async () => {
    const [first, second] = subjectsOfOneShard();
    const held = Promise.withResolvers<object>();
    const world = await open({ routes: { [`GET ${API}/mailbox`]: () => held.promise } });
    const ask = async (subject: string, tool: string) =>
      (await world.batch([{ tool }], { subject })).results[0].confirmation.id as string;
    const [slow, quick] = [await ask(first, "mailbox"), await ask(second, "quick")];
    await world.connect(first, "a@acme.dev");
    await world.connect(second, "b@acme.dev");
    await world.volley.advance(1_000);
    expect((await world.question(slow)).status).toBe("running");
    expect((await world.question(quick)).status).toBe("done");
    held.resolve({ mailbox: "a@acme.dev" });
    await world.volley.advance(1_000);
    expect((await world.question(slow)).status).toBe("done");
  });

  trial(
    "runs what was recorded after the account was connected: the batch took longer than the person",
    async () => {
      const world = await open({
        routes: {
          [`GET ${API}/slow`]: async () => {
            await world.connect("ada", "ada@acme.dev");
            return { text: "slow" };
          },
        },
        tools: [
          mailbox,
          defineTool({
            ...base,
            name: "slow",
            run: async (_, ctx) => (await ctx.fetch(`${API}/slow`)).json(),
          }),
        ],
      });
      const { results } = await world.batch([{ tool: "slow" }, { tool: "mailbox" }]);
      expect(results[1].status).toBe("pending_confirmation");
      await world.volley.advance(1_000);
      expect(await world.question(results[1].confirmation.id as string)).toMatchObject({
        status: "done",
        results: [{ data: { mailbox: "ada@acme.dev" } }],
      });
    },
  );
});
