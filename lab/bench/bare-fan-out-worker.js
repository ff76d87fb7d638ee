import { DurableObject } from "cloudflare:workers";

// A baseline for endpoints: webhooks as one writes them by hand, in one object. A delivery is a row, as a message of a queue is: written
// before the 202, deleted when a 2xx came, due again later when none did. Calls begin at once and an alarm stands behind them.
// Signed as Standard Webhooks. It has no history, no order, no filters, no limits, and receivers that hang take places from the others.

const AT_ONCE = 96;
const TIMEOUT_MS = 15_000;
const AGAIN_MS = 5_000;
const PAGE = 200;

const utf8 = new TextEncoder();

export class Outbox extends DurableObject {
  #endpoints = new Map();
  #inFlight = new Set();
  #page = [];
  #last = 0;

  constructor(ctx, env) {
    super(ctx, env);
    ctx.storage.sql.exec(
      `CREATE TABLE IF NOT EXISTS endpoints (id TEXT PRIMARY KEY, url TEXT, secret TEXT);
       CREATE TABLE IF NOT EXISTS queue (id INTEGER PRIMARY KEY, endpoint TEXT, event TEXT, body TEXT, due_at INTEGER, tries INTEGER)`,
    );
    for (const row of ctx.storage.sql.exec("SELECT * FROM endpoints")) this.#endpoints.set(row.id, row);
  }

  put(id, url) {
    const secret = crypto.randomUUID();
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO endpoints VALUES (?, ?, ?)", id, url, secret);
    this.#endpoints.set(id, { id, url, secret });
  }

  async publish({ type, data }) {
    const event = crypto.randomUUID();
    const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data });
    for (const id of this.#endpoints.keys())
      this.ctx.storage.sql.exec(
        "INSERT INTO queue (endpoint, event, body, due_at, tries) VALUES (?, ?, ?, ?, 0)",
        id,
        event,
        body,
        Date.now(),
      );
    await this.#wakeLater();
    this.#begin();
    return { id: event, endpoints: this.#endpoints.size };
  }

  /** Begin anew, with those that are due again or were cut off. */
  async alarm() {
    this.#last = 0;
    this.#page = [];
    this.#begin();
    const { left } = this.ctx.storage.sql.exec("SELECT count(*) AS left FROM queue").one();
    if (left > 0) await this.#wakeLater();
  }

  async #wakeLater() {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + AGAIN_MS);
  }

  #begin() {
    while (this.#inFlight.size < AT_ONCE) {
      const row = this.#next();
      if (row === undefined) return;
      if (this.#inFlight.has(row.id)) continue;
      this.#inFlight.add(row.id);
      this.ctx.waitUntil(
        this.#deliver(row).then(() => {
          this.#inFlight.delete(row.id);
          this.#begin();
        }),
      );
    }
  }

  #next() {
    if (this.#page.length === 0)
      this.#page = this.ctx.storage.sql
        .exec(
          "SELECT * FROM queue WHERE id > ? AND due_at <= ? ORDER BY id LIMIT ?",
          this.#last,
          Date.now(),
          PAGE,
        )
        .toArray()
        .reverse();
    const row = this.#page.pop();
    if (row !== undefined) this.#last = row.id;
    return row;
  }

  async #deliver({ id, endpoint, event, body, tries }) {
    const { url, secret } = this.#endpoints.get(endpoint);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "webhook-id": event,
          "webhook-timestamp": timestamp,
          "webhook-signature": `v1,${await sign(secret, `${event}.${timestamp}.${body}`)}`,
        },
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      if (response.ok) return void this.ctx.storage.sql.exec("DELETE FROM queue WHERE id = ?", id);
    } catch {
      // Due again, as after any answer but a 2xx.
    }
    const dueAt = Date.now() + AGAIN_MS * 2 ** tries;
    this.ctx.storage.sql.exec("UPDATE queue SET due_at = ?, tries = tries + 1 WHERE id = ?", dueAt, id);
  }
}

async function sign(secret, text) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", utf8.encode(secret), algorithm, false, ["sign"]);
  const signature = await crypto.subtle.sign("HMAC", key, utf8.encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}

export default {
  async fetch(request, env) {
    const outbox = env.OUTBOX.getByName("tenant");
    const { pathname } = new URL(request.url);
    if (request.method === "PUT") {
      await outbox.put(pathname, (await request.json()).url);
      return Response.json({}, { status: 201 });
    }
    return Response.json(await outbox.publish(await request.json()), { status: 202 });
  },
};
