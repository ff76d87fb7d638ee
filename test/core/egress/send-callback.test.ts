import { createHmac, randomBytes } from "node:crypto";

import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";

import type { CallbackClaim, CallbackEnd, JobRecord } from "../../../src/core/contract/gate/job.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { Semaphore } from "../../../src/core/kit/semaphore.ts";
import type { Ports } from "../../../src/core/egress/ports.ts";
import { sendCallback } from "../../../src/core/egress/send-callback.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const SECRET = `whsec_${randomBytes(32).toString("base64")}`;
const JOB: JobRecord = {
  id: "job-1",
  tool: "send_email",
  status: "succeeded",
  attempts: 1,
  tries: [],
  createdAt: 1_800_000_000_000,
  updatedAt: 1_800_000_001_000,
  nextAttemptAt: null,
  dataJson: '{"sent":"grüße"}',
  errorJson: null,
  note: null,
  callback: { status: "pending", attempts: 0, lastStatus: null, nextAttemptAt: 1_800_000_001_000 },
};
const claimOf = (url = "https://hooks.example.com/jobs?token=abc"): CallbackClaim => ({
  jobId: "job-1",
  eventId: "job-1-1",
  attempt: 1,
  target: { url, secretName: "SECRET" },
  job: JOB,
});

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

/** An endpoint that answers as told, and the moment it is told it in. */
class Endpoint {
  // The verifier compares with the machine's clock.
  readonly clock = new VirtualClock(Date.now());
  readonly slots = new Semaphore(6);
  readonly sent: Sent[] = [];
  secret: string | undefined = SECRET;
  readonly #answer: Ports["fetch"];

  constructor(answer: Ports["fetch"] = async () => new Response(null, { status: 204 })) {
    this.#answer = answer;
  }

  deliver(claim = claimOf()): Promise<CallbackEnd> {
    const fetch: Ports["fetch"] = (url, init) => {
      this.sent.push({ url, init });
      return this.#answer(url, init);
    };
    return this.clock.runUntil(
      sendCallback(claim, {
        ports: {
          clock: this.clock,
          fetch,
          secret: (name) => (name === "SECRET" ? this.secret : undefined),
          sign: async (key, text) => createHmac("sha256", key).update(text).digest("base64"),
        },
        options: { trustedOrigins: new Set() },
        slots: this.slots,
      }),
    );
  }
}

const headersOf = ({ init }: Sent): Record<string, string> => init.headers as Record<string, string>;

describe("sendCallback()", () => {
  test("T23 posts an event that the Standard Webhooks library verifies", async () => {
    const endpoint = new Endpoint();
    expect(await endpoint.deliver()).toEqual({ kind: "answered", status: 204, retryAfterMs: null });
    const [sent] = endpoint.sent;
    expect(sent).toMatchObject({
      url: "https://hooks.example.com/jobs?token=abc",
      init: { method: "POST", redirect: "manual" },
    });
    const headers = headersOf(sent!);
    expect(headers).toMatchObject({
      "webhook-id": "job-1-1",
      "content-type": "application/json",
      "volley-hop": "1",
    });
    const event = new Webhook(SECRET).verify(sent!.init.body as string, headers);
    expect(event).toEqual({
      type: "job.succeeded",
      timestamp: "2027-01-15T08:00:01.000Z",
      data: expect.objectContaining({ job_id: "job-1", status: "succeeded", data: { sent: "grüße" } }),
    });
    expect(() =>
      new Webhook(`whsec_${randomBytes(32).toString("base64")}`).verify(sent!.init.body as string, headers),
    ).toThrow("No matching signature found");
  });

  test("signs with both secrets while one replaces the other", async () => {
    const endpoint = new Endpoint();
    const next = `whsec_${randomBytes(24).toString("base64")}`;
    endpoint.secret = `${SECRET} ${next}`;
    await endpoint.deliver();
    const { init } = endpoint.sent[0]!;
    for (const secret of [SECRET, next])
      expect(new Webhook(secret).verify(init.body as string, headersOf(endpoint.sent[0]!))).toBeTruthy();
  });

  test("says what was answered, and how long it asks to wait; the body is not read", async () => {
    let cancelled = false;
    const body = new ReadableStream({ cancel: () => void (cancelled = true) });
    const endpoint = new Endpoint(
      async () => new Response(body, { status: 429, headers: { "retry-after": "120" } }),
    );
    expect(await endpoint.deliver()).toEqual({ kind: "answered", status: 429, retryAfterMs: 120_000 });
    expect(cancelled).toBe(true);
  });

  test("follows no redirect", async () => {
    const endpoint = new Endpoint(
      async () => new Response(null, { status: 302, headers: { location: "https://169.254.169.254/" } }),
    );
    expect(await endpoint.deliver()).toMatchObject({ status: 302 });
    expect(endpoint.sent).toHaveLength(1);
  });

  test("gives up on an endpoint that is silent, aborting the request", async () => {
    const endpoint = new Endpoint(() => new Promise(() => {}));
    const startedAt = endpoint.clock.now();
    expect(await endpoint.deliver()).toEqual({ kind: "unanswered" });
    expect(endpoint.clock.now() - startedAt).toBe(LIMITS.callbackTimeoutMs);
    expect(endpoint.sent[0]!.init.signal!.aborted).toBe(true);
  });

  test("takes a broken connection for no answer, and leaves no timer", async () => {
    const endpoint = new Endpoint(() => Promise.reject(new Error("reset")));
    expect(await endpoint.deliver()).toEqual({ kind: "unanswered" });
    expect(endpoint.clock.pending).toBe(0);
    expect(endpoint.slots.tryAcquire()).not.toBeNull();
  });

  test.each(["https://10.0.0.1/x", "http://hooks.example.com/x", "not a url"])(
    "sends nothing to %s, whatever the job's row says",
    async (url) => {
      const endpoint = new Endpoint();
      expect(await endpoint.deliver(claimOf(url))).toEqual({ kind: "unanswered" });
      expect(endpoint.sent).toEqual([]);
    },
  );

  test("T23 sends nothing unsigned", async () => {
    const endpoint = new Endpoint();
    endpoint.secret = undefined;
    expect(await endpoint.deliver()).toEqual({ kind: "unanswered" });
    expect(endpoint.sent).toEqual([]);
  });

  test("waits for a header slot without burning its time", async () => {
    const endpoint = new Endpoint();
    const held = await Promise.all(
      Array.from({ length: 6 }, () => endpoint.slots.acquire(new AbortController().signal)),
    );
    endpoint.clock.after(2 * LIMITS.callbackTimeoutMs, () => held[0]!());
    expect(await endpoint.deliver()).toMatchObject({ status: 204 });
  });
});
