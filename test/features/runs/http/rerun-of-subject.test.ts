import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { API, openConnections } from "../../connections/http/connection-world.ts";
import { base, mailbox, plain } from "../../connections/http/mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const posts = defineTool({
  ...base,
  name: "posts",
  isWrite: true,
  actions: ["create"],
  orchestration: { mode: "sequential-only" },
  connection: "acme",
  run: async (_, ctx) => (await ctx.connection("acme").fetch(`${API}/posts`, { method: "POST" })).json(),
});

const purge = defineTool({
  ...base,
  name: "purge",
  isWrite: true,
  actions: ["delete"],
  orchestration: { mode: "sequential-only" },
  connection: "acme",
  run: async (_, ctx) => (await ctx.connection("acme").fetch(`${API}/posts`, { method: "POST" })).json(),
});

/** A Volley where ada has an account of her own and one at work, and grace has one. */
async function open() {
  const lost = { times: 0, refused: 0 };
  const world: Awaited<ReturnType<typeof openConnections>> = await openConnections({
    tools: [mailbox, plain, posts, purge],
    key: { flags: ["approve", "manage_connections", "manage_keys", "manage_tools"] },
    features: [addedTools(), runs()],
    routes: {
      [`POST ${API}/posts`]: ({ headers }) => {
        if ((lost.times -= 1) >= 0) throw new Error("the connection broke");
        if ((lost.refused -= 1) >= 0) return new Response("{}", { status: 400 });
        return { as: world.provider.accounts.get((headers["authorization"] ?? "").slice(7)) };
      },
    },
  });
  const { volley, connect, send } = world;
  const home = await connect("ada", "ada@home.dev");
  const work = await connect("ada", "ada@work.dev", { name: "work" });
  await connect("grace", "grace@acme.dev");
  const run = async (tool: string, more: object = {}): Promise<string> => {
    const { status, body } = await send("POST", "/v1/execute_actions", {
      actions: [{ id: "it", tool }],
      ...more,
    });
    expect(status).toBe(200);
    await volley.advance(3_000);
    return body.batch_id as string;
  };
  const rerun = async (id: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await send("POST", `/v1/runs/${id}/rerun`, {}, headers);
    await volley.advance(3_000);
    return answer;
  };
  /** Make a key that acts for one subject. */
  const keyOf = async (subject: string): Promise<{ readonly authorization: string }> => {
    const { body } = await send("POST", "/v1/keys", {
      name: `of-${subject}`,
      tools: ["mailbox", "plain"],
      flags: ["approve"],
      subject,
    });
    return { authorization: `Bearer ${body.key as string}` };
  };
  return { ...world, lost, home, work, run, rerun, keyOf };
}

describe("T52 A rerun of a run with a subject", () => {
  trial(
    "uses the account that the run used, however often it is run again; its name is kept, and never a token",
    async () => {
      const { run, rerun, send } = await open();
      const atHome = await run("mailbox", { subject: "ada" });
      const atWork = await run("mailbox", { subject: "ada", connections: { acme: "work" } });
      const again = await rerun(atWork);
      expect(again.body).toMatchObject({
        parent: atWork,
        results: [{ status: "success", data: { mailbox: "ada@work.dev" } }],
      });
      const third = await rerun(again.body.batch_id as string);
      expect(third.body.results[0].data).toEqual({ mailbox: "ada@work.dev" });
      expect((await rerun(atHome)).body.results[0].data).toEqual({ mailbox: "ada@home.dev" });
      const { body } = await send("GET", "/v1/runs?subject=ada");
      expect(body.runs.map(({ connections }: { connections: object }) => connections)).toEqual([
        {},
        { acme: "work" },
        { acme: "work" },
        { acme: "work" },
        {},
      ]);
      const { body: exported } = await send("GET", `/v1/runs/${atWork}`);
      expect(JSON.stringify([body, exported])).not.toMatch(/access-|refresh-/);
    },
  );

  test("asks the subject to connect the account where that is gone, as a new batch does", async () => {
    const { run, rerun, send, work } = await open();
    const id = await run("mailbox", { subject: "ada", connections: { acme: "work" } });
    expect((await send("DELETE", `/v1/connections/${work}`)).status).toBe(204);
    const { status, body } = await rerun(id);
    expect(status).toBe(200);
    expect(body.results[0]).toMatchObject({
      status: "error",
      error: { code: "CONNECTION_REQUIRED", connect_url: expect.any(String) },
    });
  });

  trial(
    "is for keys that may act for the subject: another's key knows no such run, another's header gets 403, and nothing runs",
    async () => {
      const { run, rerun, keyOf, volley } = await open();
      const grace = await keyOf("grace");
      const ada = await keyOf("ada");
      const ofAda = await run("mailbox", { subject: "ada" });
      const ofNone = await run("plain");
      const before = volley.requests.length;
      const asked = [
        await rerun(ofAda, grace),
        await rerun(ofAda, { "volley-subject": "grace" }),
        // It would run with an account where the deployment's own was meant.
        await rerun(ofNone, grace),
        await rerun(ofNone, { "volley-subject": "grace" }),
      ];
      expect(asked.map(({ status, body }) => [status, body.code as string])).toEqual(
        asked.map((_, at) => (at % 2 === 0 ? [404, "NOT_FOUND"] : [403, "FORBIDDEN"])),
      );
      expect(volley.requests).toHaveLength(before);
      for (const headers of [ada, { "volley-subject": "ada" }])
        expect((await rerun(ofAda, headers)).body).toMatchObject({
          results: [{ data: { mailbox: "ada@home.dev" } }],
        });
      expect((await rerun(ofNone)).status).toBe(200);
    },
  );

  test("of a write that may have happened asks first, and a yes uses the same account", async () => {
    const { run, rerun, send, lost } = await open();
    lost.times = 1;
    const id = await run("posts", { subject: "ada", connections: { acme: "work" } });
    const { body } = await rerun(id);
    expect(body.results[0]).toMatchObject({ status: "pending_confirmation" });
    const question = `/v1/confirmations/${body.results[0].confirmation.id as string}`;
    expect((await send("GET", question)).body.actions[0].reach).toContain("ada@work.dev");
    const decided = await send("POST", question, { decision: "approve" });
    expect(decided.body.results[0]).toMatchObject({ status: "success", data: { as: "ada@work.dev" } });
  });
});

trial(
  "T52 Runs of several subjects are run again at once, each with its own account, by a key of one only that one's",
  async () => {
    const { run, send, keyOf, volley } = await open();
    const grace = await keyOf("grace");
    const batch = { tags: ["all"] };
    await run("mailbox", { ...batch, subject: "ada", connections: { acme: "work" } });
    await run("mailbox", { ...batch, subject: "grace" });
    await run("plain", batch);
    const again = async (headers = {}) => {
      const { body } = await send("POST", "/v1/runs/rerun", { tag: "all" }, headers);
      await volley.advance(3_000);
      return body;
    };
    expect(await again(grace)).toEqual({ runs: 1 });
    const mailboxes = async () => {
      const { body } = await send("GET", "/v1/runs?tag=all&tool=mailbox");
      const found = await Promise.all(
        body.runs.map(async ({ run_id: id }: { run_id: string }) => send("GET", `/v1/runs/${id}`)),
      );
      return found.map((one) => one.body.actions[0].data.mailbox as string);
    };
    expect(await mailboxes()).toEqual(["grace@acme.dev", "grace@acme.dev", "ada@work.dev"]);
    // That of grace, those of ada and of none, which were not run again before.
    expect(await again()).toEqual({ runs: 3 });
    expect((await mailboxes()).toSorted()).toEqual([
      "ada@work.dev",
      "ada@work.dev",
      "grace@acme.dev",
      "grace@acme.dev",
      "grace@acme.dev",
    ]);
  },
);

describe("T57 An account that was connected anew under the same name", () => {
  const anew = async ({ connect }: Awaited<ReturnType<typeof open>>) => connect("ada", "other@home.dev");

  trial("is not used by a rerun: that action is CONNECTION_REQUIRED, and sends nothing", async () => {
    const world = await open();
    const id = await world.run("mailbox", { subject: "ada" });
    const ofWork = await world.run("mailbox", { subject: "ada", connections: { acme: "work" } });
    await anew(world);
    const before = world.volley.requests.length;
    const again = await world.rerun(id);
    expect(again.body.results).toMatchObject([{ status: "error", error: { code: "CONNECTION_REQUIRED" } }]);
    expect(world.volley.requests).toHaveLength(before);
    expect((await world.rerun(ofWork)).body.results).toMatchObject([{ data: { mailbox: "ada@work.dev" } }]);
    const { body } = await world.send("GET", `/v1/runs/${id}`);
    expect(body.actions[0]).not.toHaveProperty("accounts");
  });

  trial.each(["by its id", "in bulk"])("is not used by a rerun of that rerun either, %s", async (way) => {
    const world = await open();
    world.lost.refused = 1;
    const id = await world.run("posts", { subject: "ada" });
    await anew(world);
    const { body } = await world.rerun(id);
    const before = world.volley.requests.length;
    if (way === "in bulk") await world.send("POST", "/v1/runs/rerun", { tool: "posts", only: "failed" });
    else expect((await world.rerun(body.batch_id)).body.results[0].error?.code).toBe("CONNECTION_REQUIRED");
    expect(world.volley.requests).toHaveLength(before);
  });

  trial.each(["a rerun", "a batch"])(
    "is not used by a yes to the question of %s: 409, and the question is over",
    async (asker) => {
      const world = await open();
      const { send, lost, run, rerun, volley } = world;
      lost.times = 1;
      const actions = [{ id: "it", tool: "purge" }];
      const { body } =
        asker === "a batch"
          ? await send("POST", "/v1/execute_actions", { actions, subject: "ada" })
          : await rerun(await run("posts", { subject: "ada" }));
      const question = `/v1/confirmations/${body.results[0].confirmation.id as string}`;
      await anew(world);
      const before = volley.requests.length;
      const decided = await send("POST", question, { decision: "approve" });
      expect(decided).toMatchObject({ status: 409, body: { code: "CONFIRMATION_INVALID" } });
      expect((await send("GET", question)).body.status).toBe("expired");
      expect(volley.requests).toHaveLength(before);
    },
  );
});
