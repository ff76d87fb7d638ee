import { describe, expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { endpoints } from "../../../../src/features/endpoints/index.ts";
import { type Gives, givenBy } from "../../../../src/feature/gives.ts";
import { openConnections } from "./connection-world.ts";
import { mailbox } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const HOOK = "https://shop.acme.dev/hooks";
const CALL = { subject: "ada", actions: [{ tool: "mailbox", args: {} }] };

interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A Volley with connections whose endpoint asks for what becomes of them. */
async function openWatched({
  confirmsItself = false,
  answer = () => new Response(null, { status: 204 }),
  feature = endpoints(),
} = {}) {
  const world = await openConnections({
    tools: [mailbox],
    confirmsItself,
    features: [addedTools(), feature],
    key: { flags: ["approve", "manage_connections", "manage_keys", "manage_tools", "manage_endpoints"] },
    routes: { [`POST ${HOOK}`]: answer },
  });
  const made = await world.send("PUT", "/v1/endpoints/watch", {
    url: HOOK,
    events: ["volley.connection.active", "volley.connection.broken"],
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const sent = () => world.volley.requests.filter(({ url }) => url === HOOK);
  const told = async (): Promise<readonly Told[]> => {
    await world.volley.advance(5_000);
    return sent().map((one) => one.json() as Told);
  };
  return { ...world, sent, told };
}

describe("A tenant's endpoint", () => {
  test("is told of a connection when its subject is confirmed, and not before", async () => {
    const { start, signIn, send, told, sent } = await openWatched();
    const started = await start();
    const back = await signIn(started.body.connect_url as string, "ada@acme.dev");
    expect(await told()).toEqual([]);
    const code = new URL(back.headers.get("location")!).searchParams.get("code");
    const id = started.body.connection_id as string;
    await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "ada" });
    expect(await told()).toEqual([
      {
        type: "volley.connection.active",
        timestamp: expect.any(String),
        data: { connection_id: id, connector: "acme", subject: "ada", name: "default", state: "active" },
      },
    ]);
    expect(JSON.stringify(sent())).not.toMatch(/access-ada|refresh-ada/);
  });

  test("is told of no connection that another subject came with", async () => {
    const { start, signIn, send, told } = await openWatched();
    const started = await start();
    const back = await signIn(started.body.connect_url as string, "eve@acme.dev");
    const code = new URL(back.headers.get("location")!).searchParams.get("code");
    await send("POST", `/v1/connections/${started.body.connection_id}/confirm`, { code, subject: "eve" });
    expect(await told()).toEqual([]);
  });

  trial("is told of each time that it is connected anew", async () => {
    const { connect, volley, told } = await openWatched();
    await connect("ada", "ada@old.dev");
    await volley.advance(1_000);
    await connect("ada", "ada@new.dev");
    expect(await told()).toHaveLength(2);
  });

  test("is told once of one that is used without a confirmation, whatever is confirmed afterwards", async () => {
    const { start, signIn, send, told } = await openWatched({ confirmsItself: true });
    const started = await start();
    const back = await signIn(started.body.connect_url as string, "ada@acme.dev");
    expect(await told()).toHaveLength(1);
    const code = new URL(back.headers.get("location")!).searchParams.get("code");
    const id = started.body.connection_id as string;
    await send("POST", `/v1/connections/${id}/confirm`, { code, subject: "ada" });
    expect(await told()).toHaveLength(1);
  });

  test("is told of a key that was put", async () => {
    const { send, told, sent } = await openWatched();
    await send("POST", "/v1/connections", { connector: "crm", subject: "ada", secret: "k-1234567890" });
    expect(await told()).toMatchObject([
      { type: "volley.connection.active", data: { connector: "crm", subject: "ada" } },
    ]);
    expect(JSON.stringify(sent())).not.toContain("k-1234567890");
  });

  trial("is told once of one that the provider ended, however many calls find it so", async () => {
    const { connect, volley, provider, told } = await openWatched();
    const id = await connect("ada", "ada@acme.dev");
    await told();
    provider.refreshes.clear();
    await volley.advance(3_600_000);
    await Promise.all([volley.run(CALL), volley.run(CALL)]);
    await volley.run(CALL);
    expect((await told()).slice(1)).toEqual([
      {
        type: "volley.connection.broken",
        timestamp: expect.any(String),
        data: {
          connection_id: id,
          connector: "acme",
          subject: "ada",
          name: "default",
          state: "broken",
          because: "revoked",
        },
      },
    ]);
  });

  trial("that cannot be reached delays and changes nothing about a connection", async () => {
    const { connect, send } = await openWatched({ answer: () => new Response("", { status: 503 }) });
    const id = await connect("ada", "ada@acme.dev");
    expect((await send("GET", `/v1/connections/${id}`)).body.state).toBe("active");
  });
});

describe("A connection's event", () => {
  trial(
    "is offered until the tenant's endpoints have it, once, and the connection does not wait for that",
    async () => {
      let isDown = true;
      const feature = endpoints();
      const [tell] = givenBy([feature], "tell");
      const down: typeof feature = {
        ...feature,
        gives: {
          ...feature.gives,
          tell: (...given: Parameters<Gives["tell"]>) =>
            isDown ? Promise.reject(new Error("Cannot tell: it is down")) : tell!(...given),
        },
      };
      const { connect, volley, told } = await openWatched({ feature: down });
      const id = await connect("ada", "ada@acme.dev");
      await volley.advance(10 * 60_000);
      expect(await told()).toEqual([]);
      isDown = false;
      await volley.advance(20_000);
      expect(await told()).toMatchObject([
        { type: "volley.connection.active", data: { connection_id: id, subject: "ada" } },
      ]);
      await volley.advance(10 * 60_000);
      expect(await told()).toHaveLength(1);
    },
  );
});
