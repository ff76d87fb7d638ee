import { describe, expect, test } from "vitest";

import { openConnections, type WorldOptions } from "./connection-world.ts";
import { trial } from "../../../support/trial.ts";

/** Two tabs of one browser with the same link, both at the provider. */
const openTabs = async (options: WorldOptions = {}, wish: object = {}) => {
  const world = await openConnections(options);
  const { connect_url: url, connection_id: id } = (await world.start(wish)).body;
  const first = await world.goOn(url as string);
  const cookie = first.headers.get("set-cookie")!.split(";")[0]!;
  const second = await world.goOn(url as string, { cookie });
  const comeBack = async (gone: typeof first, account = "ada@acme.dev") => {
    const { pathname, search } = new URL(world.provider.signIn(gone.headers.get("location")!, account));
    return world.send("GET", pathname + search, undefined, { cookie });
  };
  const path = new URL(url as string).pathname;
  const confirm = (back: typeof first, subject = "ada") => {
    const code = new URL(back.headers.get("location")!).searchParams.get("code");
    return world.send("POST", `/v1/connections/${id}/confirm`, { code, subject });
  };
  return { ...world, id: id as string, path, first, second, comeBack, confirm };
};

describe("The form of a link", () => {
  test("that is sent twice by a double click goes on in the browser that has the page", async () => {
    const { start, send, provider } = await openConnections();
    const { connect_url: url } = (await start()).body;
    const path = new URL(url as string).pathname;
    const page = await send("GET", path);
    const cookie = page.headers.get("set-cookie")!.split(";")[0]!;
    const [, token = ""] = /name="form" value="([^"]*)"/.exec(String(page.body)) ?? [];
    const headers = { cookie, "content-type": "application/x-www-form-urlencoded" };
    const click = () => send("POST", path, `form=${token}`, headers);
    const [first, second] = await Promise.all([click(), click()]);
    expect([first.status, second.status]).toEqual([303, 303]);
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    const { pathname, search } = new URL(provider.signIn(second.headers.get("location")!, "ada@acme.dev"));
    const back = await send("GET", pathname + search, undefined, { cookie });
    expect(new URL(back.headers.get("location")!).searchParams.has("code")).toBe(true);
  });

  test("leaves a browser the text that it keeps already", async () => {
    const { start, send } = await openConnections();
    const path = new URL((await start()).body.connect_url as string).pathname;
    const cookie = `volley_connect=${"A".repeat(43)}`;
    expect((await send("GET", path, undefined, { cookie })).headers.get("set-cookie")).toBeNull();
  });
});

describe("Two tabs with the same link", () => {
  trial.each(["first", "second"] as const)("connect the account by the %s that comes back", async (which) => {
    const tabs = await openTabs();
    expect((await tabs.confirm(await tabs.comeBack(tabs[which]))).status).toBe(200);
  });

  trial.each(["first", "second"] as const)(
    "say in the other one that the account is connected, when the %s has connected it",
    async (which) => {
      const tabs = await openTabs();
      const back = await tabs.comeBack(tabs[which]);
      const other = which === "first" ? tabs.second : tabs.first;
      const waiting = await tabs.comeBack(other);
      expect(waiting).toMatchObject({ status: 410, body: expect.stringContaining("This link was used") });
      expect(waiting.body).toContain("another tab");
      await tabs.confirm(back);
      for (const page of [await tabs.comeBack(other), await tabs.send("GET", tabs.path)]) {
        expect(page).toMatchObject({
          status: 410,
          body: expect.stringContaining("acme is connected already"),
        });
        expect(page.body).toContain("You can close this page");
        expect(page.body).not.toContain("ada");
      }
      expect(tabs.provider.seen.exchanges).toBe(1);
    },
  );

  test("say so in a sandbox too, where nobody confirms", async () => {
    const tabs = await openTabs({ confirmsItself: true }, { return_to: undefined });
    expect((await tabs.comeBack(tabs.first)).status).toBe(200);
    expect((await tabs.comeBack(tabs.second)).body).toContain("acme is connected already");
    expect((await tabs.send("GET", tabs.path)).body).toContain("acme is connected already");
  });

  trial("say in the other one what to do, when another subject came by the first", async () => {
    const tabs = await openTabs();
    await tabs.confirm(await tabs.comeBack(tabs.first), "mallory");
    const page = await tabs.comeBack(tabs.second);
    expect(page).toMatchObject({ status: 404, body: expect.stringContaining("This link is over") });
    expect(page.body).toContain("Ask the application for a new one");
    expect(page.body).not.toContain("connected already");
  });

  trial("do not say that an account is connected which has been ended since", async () => {
    const tabs = await openTabs();
    await tabs.confirm(await tabs.comeBack(tabs.first));
    await tabs.send("DELETE", `/v1/connections/${tabs.id}`);
    expect((await tabs.comeBack(tabs.second)).body).toContain("This link is over");
  });
});
