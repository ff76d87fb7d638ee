import { beforeEach, describe, expect, test } from "vitest";

import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import {
  fetchGoogle,
  forgetGoogleTokens,
  GOOGLE_OAUTH_HOST,
  GOOGLE_SECRETS,
} from "../../../src/tools/kit/google-access.ts";
import { addCalendarEvent } from "../../../src/tools/calendar/add-calendar-event.ts";
import { listCalendarEvents } from "../../../src/tools/calendar/list-calendar-events.ts";
import {
  answerGoogleOauth,
  countTokenRequests,
  resetGoogleOauth,
  revokeGoogleTokens,
} from "../../sandbox/upstreams/google-oauth.ts";
import { resetGoogleCalendar } from "../../sandbox/upstreams/google-calendar.ts";
import { routeUpstream } from "../../sandbox/upstreams/route-upstream.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { INSTANT_PORTS } from "../../support/instant-ports.ts";
import { runTool } from "../../support/run-tool.ts";

const SECRETS = {
  GOOGLE_CLIENT_ID: "client",
  GOOGLE_CLIENT_SECRET: "secret",
  GOOGLE_REFRESH_TOKEN: "refresh",
};
const API = "https://www.googleapis.com/calendar/v3/calendars/primary/events";
const CREDENTIALED = { hosts: ["www.googleapis.com", GOOGLE_OAUTH_HOST], secrets: GOOGLE_SECRETS };

beforeEach(() => {
  forgetGoogleTokens();
  resetGoogleOauth();
  resetGoogleCalendar();
});

const list = (options: Parameters<typeof runTool>[2] = {}): Promise<unknown> =>
  runTool(listCalendarEvents, {}, { secrets: SECRETS, ...options }).output;

describe("fetchGoogle()", () => {
  test("fetches one token for all calls of a cold batch", async () => {
    const request = {};
    await Promise.all(Array.from({ length: 25 }, () => list({ request })));
    expect(countTokenRequests()).toBe(1);
  });

  test("shares no promise between requests, and what came of one with those after it", async () => {
    await Promise.all([list(), list()]);
    expect(countTokenRequests()).toBe(2);
    await list();
    expect(countTokenRequests()).toBe(2);
  });

  test("keeps a token until a minute before its end", async () => {
    await list();
    const start = INSTANT_PORTS.now();
    await list({ now: () => start + 3_538_000 });
    expect(countTokenRequests()).toBe(1);
    await list({ now: () => start + 3_540_000 });
    expect(countTokenRequests()).toBe(2);
  });

  test("drops a token that is refused, and asks once more with another", async () => {
    await list();
    revokeGoogleTokens();
    const request = {};
    await Promise.all(Array.from({ length: 10 }, () => list({ request })));
    expect(countTokenRequests()).toBe(2);
  });

  test("asks no third time where another token is refused as well", async () => {
    let sent = 0;
    const answer = async (request: Request): Promise<Response> => {
      if (request.url.includes("/token")) return answerGoogleOauth(request, INSTANT_PORTS);
      sent += 1;
      return new Response(null, { status: 401 });
    };
    await expect(list({ answer })).rejects.toMatchObject({
      failure: { code: "UPSTREAM_ERROR", upstreamStatus: 401 },
    });
    expect([sent, countTokenRequests()]).toEqual([2, 2]);
  });

  test.each(GOOGLE_SECRETS)("gives no caller another's token: %s makes the account", async (name) => {
    await list();
    await list({ secrets: { ...SECRETS, [name]: "another" } });
    expect(countTokenRequests()).toBe(2);
    await expect(list({ secrets: { ...SECRETS, [name]: "invalid" } })).rejects.toMatchObject({
      failure: { code: "MISCONFIGURED" },
    });
  });

  test.each([
    ["GOOGLE_REFRESH_TOKEN", "connect it again"],
    ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_ID"],
  ])("says what to do where Google refuses %s", async (name, next) => {
    await expect(list({ secrets: { ...SECRETS, [name]: "invalid" } })).rejects.toMatchObject({
      failure: { code: "MISCONFIGURED", retryable: false, hint: expect.stringContaining(next) },
    });
  });

  test("asks for nothing while a secret is not set", async () => {
    const { GOOGLE_REFRESH_TOKEN: _, ...rest } = SECRETS;
    const { output, requests } = runTool(listCalendarEvents, {}, { secrets: rest });
    await expect(output).rejects.toMatchObject({
      failure: { code: "MISCONFIGURED", hint: expect.stringContaining("GOOGLE_REFRESH_TOKEN") },
    });
    expect(requests).toEqual([]);
  });

  test.each([
    {},
    { access_token: "", expires_in: 1 },
    { access_token: "x".repeat(5_000), expires_in: 1 },
    { access_token: "x", expires_in: "1" },
  ])("takes %j for no token", async (token) => {
    await expect(list({ answer: () => Response.json(token) })).rejects.toMatchObject({
      failure: { code: "BAD_UPSTREAM_RESPONSE" },
    });
  });

  test("asks for a new one when a token lasts no minute", async () => {
    const answer = (request: Request): Response =>
      Response.json(
        request.url.includes("/token") ? { access_token: "short-lived", expires_in: 30 } : { items: [] },
      );
    await list({ answer });
    expect(await list({ answer })).toEqual({ events: [] });
  });
});

/** A world whose tools are connected to the stand-ins. */
function connectedWorld(): TestWorld {
  const world = new TestWorld();
  world.clock.jump(INSTANT_PORTS.now());
  for (const [name, value] of Object.entries(SECRETS)) world.secrets.set(name, value);
  world.fetch = (url, init) => routeUpstream(new Request(url, init), INSTANT_PORTS)!;
  return world;
}

describe("In a batch", () => {
  test("25 calls on a cold isolate fetch one token, and a later batch none", async () => {
    const world = connectedWorld();
    const actions = Array.from({ length: 25 }, (_, n) => ({
      tool: "list_calendar_events",
      args: { limit: n + 1 },
    }));
    const { summary } = await world.run([listCalendarEvents], { actions });
    expect(summary).toMatchObject({ ok: 25 });
    await world.run([listCalendarEvents], { actions: actions.slice(0, 3) });
    expect(countTokenRequests()).toBe(1);
  });

  test("the one that asks for all may be ended by its own time: another asks then", async () => {
    const world = connectedWorld();
    let asked = 0;
    const through = world.fetch;
    world.fetch = (url, init) => {
      // The first answer never comes.
      if (url.includes("/token") && (asked += 1) === 1) return new Promise(() => {});
      return through(url, init);
    };
    const { results } = await world.run([listCalendarEvents], {
      actions: [
        { tool: "list_calendar_events", args: { limit: 1 }, timeout_ms: 100 },
        { tool: "list_calendar_events", args: { limit: 2 } },
        { tool: "list_calendar_events", args: { limit: 3 } },
      ],
    });
    expect(results.map(({ status }) => status)).toEqual(["error", "success", "success"]);
    expect(asked).toBe(2);
  });

  test("a write whose token could not be fetched was not done", async () => {
    const world = connectedWorld();
    world.fetch = () => Promise.reject(new TypeError("connection reset"));
    const action = { tool: "add_calendar_event", args: { title: "x", start_time: "2027-03-05" } };
    const { results } = await world.run([addCalendarEvent], { actions: [action] });
    expect(results).toMatchObject([{ status: "error", error: { code: "UPSTREAM_ERROR" } }]);
  });

  test("a write whose answer is lost is unknown, and safe to send again under its key", async () => {
    const world = connectedWorld();
    const through = world.fetch;
    world.fetch = async (url, init) => {
      const response = await through(url, init);
      if (url.includes("/events")) throw new TypeError("connection reset");
      return response;
    };
    const action = { tool: "add_calendar_event", args: { title: "x", start_time: "2027-03-05" } };
    const { results } = await world.run([addCalendarEvent], { actions: [action] });
    expect(results).toMatchObject([{ status: "unknown", meta: { attempts: 2 } }]);
  });

  test("the token is in no answer and no log, whatever the upstream does with it", async () => {
    const world = connectedWorld();
    const through = world.fetch;
    let token = "";
    world.fetch = (url, init) => {
      if (url.includes("/token")) return through(url, init);
      token = new Headers(init.headers).get("authorization")!.slice(7);
      return Promise.resolve(
        Response.json({ echo: token, hex: Buffer.from(token).toString("hex"), basic: btoa(`u:${token}`) }),
      );
    };
    const echo: Tool = contractOf("echo", {
      ...CREDENTIALED,
      run: async (_, ctx) => {
        const answer = (await fetchGoogle(ctx, API)).json();
        ctx.log("answered", { answer });
        return answer;
      },
    });
    const { results } = await world.run([echo], { actions: [{ tool: "echo" }] });
    expect(token).toMatch(/^ya29\./);
    expect(results[0]!.data).toEqual({
      echo: "[redacted]",
      hex: "[redacted]",
      basic: expect.stringContaining("[redacted]"),
    });
    const told = JSON.stringify([results, world.logged]);
    for (const form of [token, Buffer.from(token).toString("hex"), btoa(token).slice(0, -4)])
      expect(told).not.toContain(form);
  });
});
