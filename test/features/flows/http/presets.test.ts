import { createHash, createHmac } from "node:crypto";

import { describe, expect, test } from "vitest";

import { PRESETS } from "../../../../src/features/flows/hooks/presets.ts";
import { hookSenders, PUBLIC_KEY, type SendingTime } from "../../../support/hook-senders.ts";
import { type HookWorld, openHookWorld } from "./hook-world.ts";
import { trial } from "../../../support/trial.ts";

/* A delivery of each sender, signed here a second time from what its documentation says. */

const SECRET = "a-secret-of-a-sender";
const URL = "https://volley.example/hooks/acme/taken";
const WHSEC = `whsec_${Buffer.alloc(32, "presets").toString("base64")}`;
const ROWS = hookSenders({ url: URL, secret: SECRET, whsec: WHSEC });

const mac = (text: string, code: "hex" | "base64" = "hex", algorithm = "sha256") =>
  createHmac(algorithm, SECRET).update(text).digest(code);
const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

function nowOf(world: HookWorld): SendingTime {
  const ms = world.volley.now();
  // As Twitch writes it, to the nanosecond.
  const iso = new Date(ms).toISOString().replace(/\.\d+Z/, ".123456789Z");
  return { s: String(Math.floor(ms / 1_000)), ms: String(ms), iso };
}

async function open(
  verify: string,
  changes: object = {},
  secret = ROWS[verify]!.secret ?? SECRET,
): Promise<HookWorld> {
  const world = await openHookWorld(secret, {
    tools: [],
    env: {
      VOLLEY_URL: "https://volley.example",
      VOLLEY_TOOL_SECRETS: JSON.stringify({
        HOOK: { tenants: ["acme"], hosts: [] },
        ASKED: { tenants: ["acme"], hosts: [] },
      }),
      ASKED: "a-token-of-ours",
    },
  });
  const kept = await world.keep({
    verify,
    ...(verify === "meta" && { verify_token: "ASKED" }),
    ...changes,
  });
  expect(kept.status).toBe(201);
  return world;
}

/** A secret of the same form. */
function otherSecret(secret: string): string {
  if (secret === PUBLIC_KEY) return secret.replaceAll(/\d/g, (digit) => String((Number(digit) + 1) % 10));
  return secret === WHSEC ? `whsec_${Buffer.alloc(32, "another").toString("base64")}` : `${secret}-not`;
}

test("there is a row for every sender that is known by name", () => {
  expect(Object.keys(ROWS)).toEqual(Object.keys(PRESETS).toSorted(byRow));
  expect(Object.keys(PRESETS).length).toBe(30);
});
const byRow = (a: string, b: string) => Object.keys(ROWS).indexOf(a) - Object.keys(ROWS).indexOf(b);

describe.each(Object.keys(ROWS))("a delivery of %s", (verify) => {
  const row = ROWS[verify]!;
  const bodyAt = (now: SendingTime) => (typeof row.body === "string" ? row.body : row.body(now));

  trial("runs the flow once, with its event and id, and has the answer that the sender wants", async () => {
    const world = await open(verify);
    const now = nowOf(world);
    const body = bodyAt(now);
    const headers = { "content-type": "application/json", ...row.headers(body, now) };
    const taken = await world.deliver(body, headers);
    expect([taken.status, taken.status === 204 ? taken.text : ""]).toEqual([row.status ?? 202, ""]);
    const jobId = taken.headers.get("volley-job-id");
    expect(jobId).not.toBeNull();
    const again = await world.deliver(body, headers);
    const isKnown = row.id !== null;
    expect(again.headers.get("volley-job-id") === jobId).toBe(isKnown);
    expect(await world.jobs()).toHaveLength(isKnown ? 1 : 2);
    const id = typeof row.id === "function" ? digestOf(row.id(body, now)) : row.id;
    expect(await world.jobOf(taken)).toMatchObject({
      status: "succeeded",
      data: { hook: { event: row.event, id, sender: verify } },
    });
  });

  trial("is refused with another body, another secret, no header, or too late", async () => {
    const world = await open(verify);
    const another = await open(verify, {}, otherSecret(row.secret ?? SECRET));
    const now = nowOf(world);
    const body = bodyAt(now);
    const headers = { "content-type": "application/json", ...row.headers(body, now) };
    // A token says nothing of the body.
    const isToken = verify === "gitlab";
    const other = body.includes("{") ? `${body} ` : `${body}&more=1`;
    if (!isToken) expect((await world.deliver(other, headers)).status).toBe(401);
    expect((await another.deliver(body, headers)).status).toBe(401);
    expect((await world.deliver(body, { "content-type": "application/json" })).status).toBe(401);
    if (row.tolerance !== undefined) {
      await world.volley.advance((row.tolerance - 1) * 1_000);
      expect((await world.deliver(body, headers)).status).toBe(row.status ?? 202);
      await world.volley.advance(2_000);
      expect((await world.deliver(body, headers)).status).toBe(401);
    }
  });
});

describe("T65 what senders ask", () => {
  const FORM = { "content-type": "application/x-www-form-urlencoded" };
  const JSON_TYPE = { "content-type": "application/json" };

  trial("Zoom's and Twitch's signed questions are answered, and start nothing", async () => {
    const zoom = await open("zoom");
    const asked = '{"event":"endpoint.url_validation","payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"}}';
    const answer = await zoom.deliver(asked, ROWS["zoom"]!.headers(asked, nowOf(zoom)));
    expect([answer.status, answer.body]).toEqual([
      200,
      { plainToken: "qgg8vlvZRS6UYooatFL8Aw", encryptedToken: mac("qgg8vlvZRS6UYooatFL8Aw") },
    ]);
    const twitch = await open("twitch");
    const challenge =
      '{"challenge":"pogchamp-kappa-360noscope-vohiyo","subscription":{"type":"channel.follow"}}';
    const told = await twitch.deliver(challenge, {
      ...ROWS["twitch"]!.headers(challenge, nowOf(twitch)),
      "twitch-eventsub-message-type": "webhook_callback_verification",
    });
    expect([told.status, told.text, told.headers.get("content-type")]).toEqual([
      200,
      "pogchamp-kappa-360noscope-vohiyo",
      "text/plain; charset=utf-8",
    ]);
    expect([await zoom.jobs(), await twitch.jobs()]).toEqual([[], []]);
  });

  test("Twitch's end of a subscription is an event of its own name", async () => {
    const world = await open("twitch", { events: ["channel.*"] });
    const body = '{"subscription":{"type":"channel.follow","status":"authorization_revoked"}}';
    const headers = {
      ...ROWS["twitch"]!.headers(body, nowOf(world)),
      "twitch-eventsub-message-type": "revocation",
    };
    expect((await world.deliver(body, headers)).body).toEqual({
      accepted: false,
      reason: "the event 'revocation' is not among 'events'",
    });
  });

  test("Discord's two kinds have their own pings, answers and ids", async () => {
    const world = await open("discord");
    const deliver = (body: string) => world.deliver(body, ROWS["discord"]!.headers(body, nowOf(world)));
    const ping = await deliver('{"id":"1","application_id":"8","type":1,"token":"t","version":1}');
    expect([ping.status, ping.body]).toEqual([200, { type: 1 }]);
    const of = await deliver('{"version":1,"application_id":"8","type":0}');
    expect([of.status, of.text, of.headers.get("content-type")]).toEqual([204, "", "application/json"]);
    expect(await world.jobs()).toEqual([]);
    const event = '{"version":1,"application_id":"8","type":1,"event":{"type":"APPLICATION_AUTHORIZED"}}';
    const taken = await deliver(event);
    expect([taken.status, taken.text]).toEqual([204, ""]);
    expect((await world.jobOf(taken))["data"]).toMatchObject({ hook: { event: "APPLICATION_AUTHORIZED" } });
    const told = await deliver('{"id":"2","type":2,"token":"t","data":{"name":"deploy"}}');
    expect([told.status, told.body]).toEqual([200, { type: 5 }]);
  });

  trial(
    "Dropbox's and Meta's GET and Intercom's HEAD are answered, and every other method is 405",
    async () => {
      const dropbox = await open("dropbox");
      const echoed = await dropbox.ask("/hooks/acme/taken?challenge=a%20%3Cb%3E");
      expect([echoed.status, echoed.text]).toEqual([200, "a <b>"]);
      expect(echoed.headers.get("content-type")).toMatch(/^text\/plain/);
      expect(echoed.headers.get("x-content-type-options")).toBe("nosniff");
      const meta = await open("meta");
      const ask = (token: string) =>
        meta.ask(`/hooks/acme/taken?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=77`);
      const right = await ask("a-token-of-ours");
      expect([right.status, right.text]).toEqual([200, "77"]);
      expect([(await ask("another")).status, (await ask("")).status]).toEqual([401, 401]);
      const intercom = await open("intercom");
      expect((await intercom.ask("/hooks/acme/taken", { method: "HEAD" })).status).toBe(200);
      for (const [world, method] of [
        [dropbox, "HEAD"],
        [intercom, "GET"],
        [meta, "PUT"],
      ] as const) {
        expect((await world.ask("/hooks/acme/taken", { method })).status).toBe(405);
        expect((await world.ask("/hooks/acme/none", { method })).status).toBe(405);
      }
      expect(
        (
          await intercom.deliver('{"topic":"ping","id":"n"}', {
            "x-hub-signature": `sha1=${mac('{"topic":"ping","id":"n"}', "hex", "sha1")}`,
          })
        ).body,
      ).toEqual({ accepted: false, reason: "it is a ping" });
    },
  );

  test("WooCommerce's first POST is 200 and starts nothing", async () => {
    const world = await open("woocommerce");
    expect((await world.deliver("webhook_id=7", FORM)).status).toBe(200);
    expect((await world.deliver("webhook_id=7&more=1", FORM)).status).toBe(401);
    expect(await world.jobs()).toEqual([]);
  });

  trial("questions are answered while the flow is paused, and deliveries are 503", async () => {
    const world = await open("dropbox");
    await world.keep(
      { verify: "dropbox" },
      { triggers: { paused: true, webhook: { verify: "dropbox", secret: "HOOK" } } },
    );
    expect((await world.ask("/hooks/acme/taken?challenge=a")).text).toBe("a");
    const body = "{}";
    const taken = await world.deliver(body, ROWS["dropbox"]!.headers(body, nowOf(world)));
    expect([taken.status, taken.headers.get("retry-after")]).toEqual([503, "600"]);
  });

  test("HubSpot's address may be signed with its escapes decoded, and one wanted event of a list is enough", async () => {
    const world = await open("hubspot", { events: ["contact.deletion"] });
    const { ms } = nowOf(world);
    const { body } = ROWS["hubspot"] as { readonly body: string };
    const send = (signed: string) =>
      world.deliver(
        body,
        {
          "x-hubspot-request-timestamp": ms,
          "x-hubspot-signature-v3": mac(`POST${signed}${body}${ms}`, "base64"),
        },
        "/hooks/acme/taken?to=a%40b%3Ac",
      );
    expect((await send(`${URL}?to=a@b:c`)).status).toBe(202);
    expect((await send(`${URL}?to=a%40b%3Ac`)).status).toBe(202);
    expect((await send(`${URL}?to=other`)).status).toBe(401);
    const unwanted = '[{"subscriptionType":"contact.creation"}]';
    expect((await world.deliver(unwanted, ROWS["hubspot"]!.headers(unwanted, nowOf(world)))).body).toEqual({
      accepted: false,
      reason: "the event 'contact.creation' is not among 'events'",
    });
  });

  trial("Notion's first POST brings the secret, which a person reads for ten minutes", async () => {
    const world = await open("notion");
    const bring = (token: string) => world.deliver(JSON.stringify({ verification_token: token }), JSON_TYPE);
    const show = async () => (await world.ask("/v1/flows/taken")).body!["hook"];
    expect(await show()).toBeUndefined();
    const receivedAt = new Date(world.volley.now()).toISOString();
    expect((await bring("secret_one")).status).toBe(200);
    expect((await bring("secret_one")).status).toBe(200);
    expect((await bring("secret_two")).status).toBe(401);
    expect(await show()).toEqual({ verification_token: "secret_one", received_at: receivedAt, others: 1 });
    await world.volley.advance(600_000);
    expect(await show()).toBeUndefined();
    expect((await bring("secret_two")).status).toBe(200);
    expect(await show()).toMatchObject({ verification_token: "secret_two", others: 0 });
    const { body } = ROWS["notion"] as { readonly body: string };
    expect((await world.deliver(body, ROWS["notion"]!.headers(body, nowOf(world)))).status).toBe(202);
    expect(await show()).toBeUndefined();
    await world.volley.advance(600_000);
    expect((await bring("secret_three")).status).toBe(401);
    expect(await world.jobs()).toHaveLength(1);
    // The flow can be kept as it was shown, and knows its sender still.
    const shown = (await world.ask("/v1/flows/taken")).body!;
    const put = await world.ask("/v1/flows/taken", {
      method: "PUT",
      headers: JSON_TYPE,
      body: JSON.stringify(shown),
    });
    expect([put.status, (await bring("secret_three")).status]).toEqual([200, 401]);
  });
});

trial.each([
  [{ verify: "meta" }, "/flow/triggers/webhook/verify_token"],
  [{ verify: "github", verify_token: "ASKED" }, "/flow/triggers/webhook/verify_token"],
  [{ verify: "dropbox", events: ["a"] }, "/flow/triggers/webhook/events"],
  [{ verify: "meta", verify_token: "ASKED", events: ["a"] }, "/flow/triggers/webhook/events"],
  [{ verify: "zoom", header: "x-mine" }, "/flow/triggers/webhook"],
])("what contradicts a preset is refused when the flow is kept: %j", async (webhook, path) => {
  const world = await openHookWorld(SECRET);
  const kept = await world.keep(webhook);
  expect([kept.status, kept.body!["code"] ?? (kept.body!["error"] as { code: string }).code]).toEqual([
    422,
    "INVALID_FLOW",
  ]);
  expect(JSON.stringify(kept.body)).toContain(path.replace("/flow", ""));
});
