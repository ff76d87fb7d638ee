import { expect } from "vitest";

import { VirtualClock } from "../../src/package/testing/virtual-clock.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { HOOK_SECRETS, signDelivery } from "./model/hooks.ts";
import { type Asked, KILLED, KillableVolley } from "./model/killable-volley.ts";
import { INNER, TOOLS } from "./model/tools.ts";

const LEASE_OVER_MS = 120_000;
const SHOP = { kind: "key", as: { header: "x-api-key" }, hosts: ["store.example.com"] };
const FLAGS = ["approve", "manage_connections", "manage_tools"];

/** Open a Volley whose process can be killed. Its service never answers the first request for something `slow`, which it does all the same. */
export async function openKillable(limit = 60) {
  const clock = new VirtualClock();
  const heard: string[] = [];
  const list: string[] = [];
  /** The fate of calls of objects, and of statements. */
  const objects: {
    onCall?: (method: string, args: readonly unknown[]) => unknown;
    isFull?: (sql: string) => boolean;
  } = {};
  const volley = new KillableVolley(
    {
      tools: [...TOOLS, ...INNER],
      clock,
      send: (url, { headers }) => {
        const of = [new URL(url).pathname, new Headers(headers).get("x-api-key") ?? []].flat().join(" ");
        heard.push(of);
        if (of.includes("/list")) return Promise.resolve(Response.json({ ofs: list }));
        const isFirst = heard.filter((one) => one === of).length === 1;
        return of.includes("slow") && isFirst ? new Promise(() => {}) : Promise.resolve(Response.json({}));
      },
      onCall: (...call) => objects.onCall?.(...call),
      isFull: (sql) => objects.isFull?.(sql) === true,
    },
    {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "test", tenant: "t0", quota: { limit, window_s: 86_400 }, flags: FLAGS },
      }),
      VOLLEY_WEBHOOK_SECRET: `whsec_${btoa("a secret of its own, of 32 bytes")}`,
      VOLLEY_VAULT_KEY: btoa("0123456789abcdef0123456789abcdef"),
      VOLLEY_CONNECTORS: JSON.stringify({ shop: SHOP }),
      ...HOOK_SECRETS,
    },
  );
  await KillableVolley.load();
  const ask = (method: string, path: string, more: Partial<Asked> = {}) =>
    volley.ask(signDelivery({ method, path, key: "test-key", ...more }, clock.now()));
  const send = async (method: string, path: string, more: Partial<Asked> = {}) => {
    const answer = await clock.runUntil(ask(method, path, more));
    if (answer === KILLED) throw new Error(`Cannot answer ${path}: killed`);
    return { status: answer.status, body: JSON.parse(answer.text || "{}") };
  };
  /** Send a request under a key, the same unless said. */
  const post = async (path: string, body: unknown, key = "again") =>
    (await send("POST", path, { body, headers: { "idempotency-key": key } })).body;
  return {
    clock,
    volley,
    heard,
    list,
    objects,
    ask,
    send,
    post,
    /** Send what is killed before it is answered; then so long nothing comes that it is taken for lost. */
    postKilled: async (path: string, body: unknown) => {
      const asked = ask("POST", path, { body, headers: { "idempotency-key": "again" } });
      await clock.advance(2_000);
      volley.kill();
      expect(await asked).toBe(KILLED);
      await clock.advance(LEASE_OVER_MS);
    },
  };
}
