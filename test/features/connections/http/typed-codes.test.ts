import { describe, expect, test } from "vitest";

import { confirmConnection } from "../../../../src/tools/connections/confirm-connection.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { APP, openConnections, PROVIDER, type WorldOptions } from "./connection-world.ts";
import { mailbox } from "./mailbox-tool.ts";
import { trial } from "../../../support/trial.ts";

const CODE = /<output class="code">([BCDFGHJKLMNPQRSTVWXZ]{8})<\/output>/;

const open = async (options: WorldOptions = {}) => {
  const world = await openConnections({ tools: [mailbox, confirmConnection], ...options });
  const { send, start, signIn } = world;
  /** Open a link that leads nowhere back, sign in, and read the code. */
  const shown = async (wish: object = {}, account = "ada@acme.dev") => {
    const { connection_id: id, connect_url: url } = (await start({ return_to: undefined, ...wish })).body;
    const page = await signIn(url as string, account);
    expect(page.status).toBe(200);
    return { id: id as string, url: url as string, page: String(page.body), code: CODE.exec(page.body)![1]! };
  };
  const say = (code: string, subject = "ada", id?: string) =>
    send("POST", id === undefined ? "/v1/connections/confirm" : `/v1/connections/${id}/confirm`, {
      code,
      subject,
    });
  const stateOf = async (id: string) => (await send("GET", `/v1/connections/${id}`)).body.state;
  const tool = async (code: string, subject?: string) =>
    (
      await send("POST", "/v1/execute_actions", {
        actions: [{ id: "c", tool: "confirm_connection", args: { code } }],
        ...(subject !== undefined && { subject }),
      })
    ).body.results[0];
  return { ...world, shown, say, stateOf, tool };
};

/** Another code than that, of the same form. */
const wrongOf = (code: string): string => (code === "BBBBBBBB" ? "CCCCCCCC" : "BBBBBBBB");

describe("A link that leads back to no application, where nobody signs in", () => {
  test("ends with a code of eight letters on its page, which says to give it only to the application in which one asked", async () => {
    const { shown, stateOf } = await open();
    const { id, page } = await shown();
    expect(page).toContain("Give this code to the application in which you asked");
    expect(page).toContain("Give it to nobody else");
    expect(page).not.toContain("<form");
    expect(await stateOf(id)).toBe("pending");
  });

  test("says before it goes on that a code comes, and goes on", async () => {
    const { start, send, goOn } = await open();
    const { connect_url: url } = (await start({ return_to: undefined })).body;
    expect((await send("GET", new URL(url as string).pathname)).body).toContain("shows a code");
    expect((await goOn(url as string)).status).toBe(303);
  });

  trial.each([
    ["without the id", false],
    ["with the id", true],
  ])("T52 is confirmed by the code %s, once", async (_, hasId) => {
    const { shown, say, stateOf } = await open();
    const { id, code } = await shown();
    const confirmed = await say(code, "ada", hasId ? id : undefined);
    expect(confirmed).toMatchObject({
      status: 200,
      body: { connection_id: id, state: "active", account: "ada@acme.dev", connector: "acme" },
    });
    const again = await say(code, "ada", hasId ? id : undefined);
    expect(again).toMatchObject({ status: 409, body: { code: "CONFIRMATION_INVALID" } });
    expect(await stateOf(id)).toBe("active");
  });

  trial("takes a code in small letters, with blanks and a dash", async () => {
    const { shown, say } = await open();
    const { code } = await shown();
    expect((await say(` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `)).status).toBe(200);
  });

  trial.each([
    ["without the id", false],
    ["with the id", true],
  ])(
    "T52 answers a wrong code 409 %s, and ends with the fifth: the right one is wrong then",
    async (_, hasId) => {
      const { shown, say, stateOf, provider, volley } = await open();
      const { id, code } = await shown();
      const of = hasId ? id : undefined;
      for (let at = 0; at < 5; at += 1)
        expect(await say(wrongOf(code), "ada", of)).toMatchObject({
          status: 409,
          body: { code: "CONFIRMATION_INVALID" },
        });
      expect((await say(code, "ada", of)).status).toBe(409);
      expect(await stateOf(id)).toBe("pending");
      await volley.advance(1_000);
      expect(provider.seen.revoked).toEqual([...provider.refreshes.keys()]);
      const anew = await shown();
      expect((await say(anew.code)).status).toBe(200);
    },
  );

  trial("bears four wrong codes, and those of another subject cost nothing", async () => {
    const { shown, say } = await open();
    const { code } = await shown();
    for (let at = 0; at < 4; at += 1) await say(wrongOf(code));
    for (let at = 0; at < 9; at += 1) await say(wrongOf(code), "grace");
    expect((await say(code)).status).toBe(200);
  });

  trial("T52 is ended where another subject says its code, by each way", async () => {
    const { shown, say, send } = await open();
    for (const hasId of [false, true]) {
      const { id, code } = await shown();
      expect(await say(code, "mallory", hasId ? id : undefined)).toMatchObject({
        status: 403,
        body: { code: "FORBIDDEN" },
      });
      expect((await send("GET", `/v1/connections/${id}`)).status).toBe(404);
    }
  });

  trial("is not ended by a key of another subject, which finds only its own", async () => {
    const flags = ["manage_connections"];
    const VOLLEY_KEYS = await configureKeys({
      "test-key": { name: "test", tenant: "test", flags },
      "grace-key": { name: "grace", tenant: "test", flags, subject: "grace" },
    });
    const { shown, say, send, stateOf } = await open({ env: { VOLLEY_KEYS } });
    const { id, code } = await shown();
    const authorization = "Bearer grace-key";
    const body = { code, subject: "grace" };
    expect((await send("POST", "/v1/connections/confirm", body, { authorization })).status).toBe(409);
    const other = { code, subject: "ada" };
    expect((await send("POST", "/v1/connections/confirm", other, { authorization })).status).toBe(403);
    expect(await stateOf(id)).toBe("pending");
    expect((await say(code)).status).toBe(200);
  });

  trial("has its code for ten minutes", async () => {
    const { shown, say, volley, provider } = await open();
    const { code } = await shown();
    await volley.advance(600_001);
    expect((await say(code)).status).toBe(409);
    expect(provider.seen.revoked).toEqual([...provider.refreshes.keys()]);
  });

  trial("two that wait at once have a code each, and each confirms its own", async () => {
    const { shown, say } = await open();
    const work = await shown({ name: "work" }, "ada@work.dev");
    const home = await shown({ name: "home" }, "ada@home.dev");
    expect((await say(home.code)).body).toMatchObject({ name: "home", account: "ada@home.dev" });
    expect((await say(work.code)).body).toMatchObject({ name: "work", account: "ada@work.dev" });
  });

  trial("shows the same code again to the browser that was shown it, and to no other", async () => {
    const { start, goOn, send, provider, say } = await open();
    const { connect_url: url } = (await start({ return_to: undefined })).body;
    const gone = await goOn(url as string);
    const cookie = gone.headers.get("set-cookie")!.split(";")[0]!;
    const back = new URL(provider.signIn(gone.headers.get("location")!, "ada@acme.dev"));
    const comeBack = (headers: Record<string, string>) =>
      send("GET", back.pathname + back.search, undefined, headers);
    const first = CODE.exec((await comeBack({ cookie })).body)![1]!;
    expect(CODE.exec((await comeBack({ cookie })).body)![1]).toBe(first);
    // A page that was closed: the link shows the code, and leads nowhere.
    const openAgain = (headers: Record<string, string>) =>
      send("GET", new URL(url as string).pathname, undefined, headers);
    expect(CODE.exec((await openAgain({ cookie })).body)![1]).toBe(first);
    expect((await openAgain({})).status).toBe(410);
    expect((await openAgain({ cookie: cookie.slice(0, -2) })).status).toBe(410);
    expect((await comeBack({})).status).toBe(410);
    expect((await comeBack({ cookie: cookie.slice(0, -2) })).status).toBe(410);
    expect(provider.seen.exchanges).toBe(1);
    expect((await say(first)).status).toBe(200);
    expect((await comeBack({ cookie })).body).toContain("is connected already");
  });

  trial("what was parked runs after each way of confirming", async () => {
    const { send, signIn, say, tool, volley } = await open();
    for (const subject of ["ada", "grace", "joan"]) {
      const body = { subject, on_connection: "park", actions: [{ id: "m", tool: "mailbox" }] };
      const [parked] = (await send("POST", "/v1/execute_actions", body)).body.results;
      const [, , , id = ""] = new URL(parked.connect_url as string).pathname.split("/");
      const page = await signIn(parked.connect_url as string, `${subject}@acme.dev`);
      const code = CODE.exec(page.body)![1]!;
      if (subject === "ada") expect((await say(code, subject, id)).status).toBe(200);
      if (subject === "grace") expect((await say(code, subject)).status).toBe(200);
      if (subject === "joan") expect((await tool(code, subject)).status).toBe("success");
      await volley.advance(1_000);
      const question = (await send("GET", `/v1/confirmations/${parked.confirmation.id}`)).body;
      expect(question.results).toMatchObject([{ data: { mailbox: `${subject}@acme.dev` } }]);
    }
  });
});

describe("confirm_connection", () => {
  test("confirms by the code, and gives the connection, its connector and its account", async () => {
    const { shown, tool, stateOf } = await open();
    const { id, code } = await shown();
    expect(await tool(code, "ada")).toMatchObject({
      status: "success",
      data: { connection_id: id, connector: "acme", account: "ada@acme.dev" },
    });
    expect(await stateOf(id)).toBe("active");
  });

  trial(
    "is CONNECTION_REQUIRED without a subject, and NOT_FOUND for a code that is wrong or was used",
    async () => {
      const { shown, tool } = await open();
      const { code } = await shown();
      expect((await tool(code)).error.code).toBe("CONNECTION_REQUIRED");
      expect((await tool(wrongOf(code), "ada")).error.code).toBe("NOT_FOUND");
      expect((await tool(code, "ada")).status).toBe("success");
      expect((await tool(code, "ada")).error.code).toBe("NOT_FOUND");
    },
  );

  trial("T52 looks among its subject's connections only, and five wrong codes end theirs", async () => {
    const { shown, tool, stateOf } = await open();
    const { id, code } = await shown();
    for (let at = 0; at < 6; at += 1) expect((await tool(code, "mallory")).error.code).toBe("NOT_FOUND");
    expect(await stateOf(id)).toBe("pending");
    for (let at = 0; at < 5; at += 1) await tool(wrongOf(code), "ada");
    expect((await tool(code, "ada")).error.code).toBe("NOT_FOUND");
  });
});

describe("return_to on a batch", () => {
  const ask = async (world: Awaited<ReturnType<typeof open>>, more: object) =>
    world.send("POST", "/v1/execute_actions", {
      subject: "ada",
      actions: [{ id: "m", tool: "mailbox" }],
      ...more,
    });

  trial(
    "is where the links lead that CONNECTION_REQUIRED gives, with the connection's id and a code",
    async () => {
      const world = await open();
      const [{ error }] = (await ask(world, { return_to: `${APP}/back?chat=7` })).body.results;
      expect(error.code).toBe("CONNECTION_REQUIRED");
      expect(error.hint).not.toContain("code");
      const back = await world.signIn(error.connect_url as string, "ada@acme.dev");
      const location = new URL(back.headers.get("location")!);
      expect(location.origin + location.pathname).toBe(`${APP}/back`);
      expect(location.searchParams.get("chat")).toBe("7");
      const id = location.searchParams.get("connection_id")!;
      const code = location.searchParams.get("code")!;
      expect((await world.say(code, "ada", id)).status).toBe(200);
      expect((await ask(world, {})).body.results[0].status).toBe("success");
    },
  );

  trial("turns a link that is there, until somebody came back by it", async () => {
    const world = await open();
    const [{ error }] = (await ask(world, {})).body.results;
    expect(error.hint).toContain("confirm_connection");
    const [again] = (await ask(world, { return_to: `${APP}/later` })).body.results;
    expect(again.error.connect_url).toBe(error.connect_url);
    const back = await world.signIn(error.connect_url as string, "ada@acme.dev");
    expect(back.headers.get("location")).toMatch(/^https:\/\/app\.acme\.dev\/later\?/);
  });

  test("is refused where its origin is none of VOLLEY_RETURN_ORIGINS, before anything runs", async () => {
    const world = await open();
    for (const returnTo of [PROVIDER, "https://app.acme.dev.evil.dev/", "https://a@app.acme.dev/", "x", 7])
      expect(await ask(world, { return_to: returnTo }), String(returnTo)).toMatchObject({
        status: 422,
        body: { code: "INVALID_BATCH", path: "/return_to" },
      });
  });

  trial("means nothing inside arguments or an action", async () => {
    const world = await open();
    const actions = [{ id: "m", tool: "mailbox", args: { return_to: `${APP}/x` } }];
    const [result] = (await ask(world, { actions })).body.results;
    expect(result.error.code).toBe("INVALID_ARGS");
  });
});
