import fc from "fast-check";
import { createHash, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import * as FLOWS_LIMITS from "../../../../src/features/flows/limits.ts";
import type { JsonObject } from "../../../../src/core/contract/json.ts";
import { WEB_PROOFS } from "../../../../src/features/flows/http/respond-hook.ts";
import type { Proofs } from "../../../../src/features/flows/hooks/proofs.ts";
import {
  bytesOf,
  github,
  hmac,
  hmacAlone,
  NOW_MS,
  NOW_S,
  receive,
  type Sender,
  SENDERS,
  slack,
  standard,
  stripe,
  verify,
  WHSEC,
} from "./sample-senders.ts";
import { trial } from "../../../support/trial.ts";

/** Sign a body and send it; what comes of it. */
function send(sender: Sender, body: string | Uint8Array): ReturnType<typeof receive> {
  return receive(sender, { body: typeof body === "string" ? bytesOf(body) : body });
}

function without(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));
}

/** Every header that a scheme reads, as its sender sends it. */
function headersOf(sender: Sender): Record<string, string> {
  return without(sender.sign({ body: bytesOf(sender.body) }), "x-github-event");
}

/** Counts what is computed. */
function countMacs(): { readonly proofs: Proofs; readonly count: () => number } {
  let count = 0;
  return {
    proofs: {
      ...WEB_PROOFS,
      hmac(algorithm, key, data) {
        count += 1;
        return WEB_PROOFS.hmac(algorithm, key, data);
      },
    },
    count: () => count,
  };
}

describe.each(SENDERS)("a delivery of %s", (_, sender) => {
  test("gives the body of a signed delivery, and its id", async () => {
    expect(await receive(sender)).toEqual({
      kind: "event",
      id: sender.id,
      input: JSON.parse(sender.body) as unknown,
    });
  });

  test("takes it under either of two secrets, while one replaces another", async () => {
    const [first, second, third] = ["a", "b", "c"].map(
      (letter) => `whsec_${Buffer.alloc(32, letter).toString("base64")}`,
    ) as [string, string, string];
    const body = bytesOf(sender.body);
    for (const text of [`${first} ${second}`, `${second}\n${first}\n`]) {
      const world = { nowMs: NOW_MS, secret: text };
      for (const secret of [first, second])
        expect(await receive(sender, { headers: sender.sign({ body, secret }), ...world })).toMatchObject({
          kind: "event",
          id: sender.id,
        });
      expect(await receive(sender, { headers: sender.sign({ body, secret: third }), ...world })).toBeNull();
    }
  });

  test("takes it under the one secret that is left of two, whatever stood between them", async () => {
    const secret = `whsec_${Buffer.alloc(32, "a").toString("base64")}`;
    const headers = sender.sign({ body: bytesOf(sender.body), secret });
    for (const left of [`${secret}\n`, ` ${secret}`, `\r\n${secret}`])
      expect(await receive(sender, { headers, secret: left })).toMatchObject({
        kind: "event",
        id: sender.id,
      });
  });

  test("refuses it under another secret, and where none is set", async () => {
    expect(await receive(sender, { secret: `whsec_${randomBytes(32).toString("base64")}` })).toBeNull();
    expect(await receive(sender, { secret: `${sender.secret} x` })).toBeNull();
    for (const secret of ["", undefined]) {
      const macs = countMacs();
      const headers = sender.sign({ body: bytesOf(sender.body) });
      expect(await receive(sender, { headers, secret, proofs: macs.proofs })).toBeNull();
      expect(macs.count(), "an empty key is none").toBe(0);
    }
  });

  test("refuses the signature with another body", async () => {
    const headers = sender.sign({ body: bytesOf(sender.body) });
    expect(await receive(sender, { headers, body: bytesOf(`${sender.body} `) })).toBeNull();
    const other = bytesOf(sender.body.replace(/"([^"]+)"\}/, '"else"}').replace(/\d\}/, "9}"));
    expect(await receive(sender, { headers, body: other })).toBeNull();
  });

  test("refuses it without any one of its headers, and with any one of them empty", async () => {
    const headers = headersOf(sender);
    for (const name of Object.keys(headers)) {
      const isRead = !(sender === hmacAlone && name === "x-shop-event");
      const delivery = isRead ? null : await receive(sender);
      expect(await receive(sender, { headers: without(headers, name) })).toEqual(delivery);
      expect(await receive(sender, { headers: { ...headers, [name]: "" } })).toEqual(delivery);
    }
    expect(await receive(sender, { headers: {} })).toBeNull();
  });

  test("refuses a signature that is cut, or longer than it is", async () => {
    const headers = headersOf(sender);
    const whole = headers[sender.signature]!;
    const others = [whole.slice(0, -1), whole.slice(0, -2), whole.slice(0, -32), `${whole}00`, `${whole}=`];
    for (const other of others)
      expect(await receive(sender, { headers: { ...headers, [sender.signature]: other } })).toBeNull();
  });

  test("keeps every digit of a sender's numbers", async () => {
    const body = sender.body.replace(/\}$/, ',"long":820982911946154508,"price":1.10000000000000000001}');
    const delivery = (await receive(sender, { body: bytesOf(body) })) as { input: JsonObject };
    expect(JSON.stringify(delivery.input)).toBe(body);
  });

  test("starts nothing with a body that is no JSON object and no list, however well it is signed", async () => {
    const bodies = ["", " ", "{", "null", "7", '"{}"', "a=b", '{"a":1}{"a":1}'];
    for (const body of bodies) expect(await send(sender, body)).toBeNull();
    const broken = Uint8Array.from([...bytesOf('{"id":"1","event_id":"'), 0xff, ...bytesOf('"}')]);
    expect(await send(sender, broken)).toBeNull();
  });

  test("takes a body without its keys that reach a prototype", async () => {
    const input = JSON.parse(sender.body) as object;
    const inputOf = async (body: string): Promise<object | null> => {
      const received = await send(sender, body);
      return received?.kind === "event" ? received.input : null;
    };
    for (const key of ["__proto__", "constructor", "prototype"]) {
      const top = await inputOf(sender.body.replace(/\}$/, `,"${key}":{"id":"1"}}`));
      expect(top).toEqual(input);
      const inside = await inputOf(sender.body.replace(/\}$/, `,"list":[{"${key}":1}]}`));
      expect(inside).toEqual({ ...input, list: [{}] });
    }
  });

  test("refuses a body that is too deep, and takes one that is not", async () => {
    const nested = (levels: number): string =>
      sender.body.replace(/\}$/, `,"deep":${"[".repeat(levels)}${"]".repeat(levels)}}`);
    expect(await send(sender, nested(LIMITS.nesting - 1))).toMatchObject({ kind: "event" });
    expect(await send(sender, nested(LIMITS.nesting))).toBeNull();
  });

  trial("T38 refuses it with any byte of its body, its signature or its signed headers changed", async () => {
    const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
    const places = fc.constantFrom("body", sender.signature, ...sender.signed);
    const extra = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(extra, places, fc.nat(), visible, async (more, place, at, character) => {
        const input = { ...(JSON.parse(sender.body) as object), more: JSON.stringify(more) };
        const body = bytesOf(JSON.stringify(input));
        const headers = sender.sign({ body });
        expect(await receive(sender, { headers, body })).toMatchObject({ kind: "event", input });

        if (place === "body") {
          const changed = body.slice();
          changed[at % body.length]! ^= 1 + (at % 255);
          expect(await receive(sender, { headers, body: changed })).toBeNull();
          return;
        }
        const text = headers[place]!;
        const index = at % text.length;
        const isSame = character === text[index];
        // Hex is the same in capitals.
        const isSameDigit = sender !== standard && character.toLowerCase() === text[index];
        fc.pre(!isSame && !isSameDigit);
        const other = `${text.slice(0, index)}${character}${text.slice(index + 1)}`;
        expect(await receive(sender, { headers: { ...headers, [place]: other }, body })).toBeNull();
      }),
    );
  });

  trial("never throws, whatever comes", async () => {
    const value = fc.string({
      unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
    });
    const names = Object.keys(headersOf(sender));
    const headers = fc.record(Object.fromEntries(names.map((name) => [name, value])));
    await fc.assert(
      fc.asyncProperty(headers, fc.uint8Array(), fc.string(), async (sent, body, secret) => {
        expect(await receive(sender, { headers: sent, body, secret })).toBeNull();
        // A signed body with anything in it is no exception.
        await receive(sender, { body });
      }),
    );
  });
});

describe.each(SENDERS.filter(([, { isTimed }]) => isTimed))("the signed time of %s", (_, sender) => {
  const body = bytesOf(sender.body);

  test("T38 may be five minutes away, either way, and no more", async () => {
    for (const seconds of [-300, -299, 0, 299, 300])
      expect(await receive(sender, { nowMs: NOW_MS + seconds * 1_000 })).toMatchObject({ kind: "event" });
    for (const seconds of [-301, 301]) {
      const macs = countMacs();
      const nowMs = NOW_MS + seconds * 1_000;
      const headers = sender.sign({ body });
      expect(await receive(sender, { headers, nowMs, proofs: macs.proofs })).toBeNull();
      expect(macs.count(), "nothing is computed").toBe(0);
    }
  });

  test("is refused where it is anything but whole seconds, however well it is signed", async () => {
    const times = [`+${NOW_S}`, `-${NOW_S}`, `${NOW_S}.0`, `${NOW_S}e0`, `0x${NOW_S.toString(16)}`, "NaN"];
    for (const time of [...times, "", "now", `${NOW_MS}`, "9".repeat(400), `${NOW_S}, ${NOW_S}`])
      expect(await receive(sender, { headers: sender.sign({ body, time }) })).toBeNull();
  });
});

describe.each(SENDERS.filter(([, { isTimed }]) => !isTimed))("%s, whose time is not signed,", (_, sender) => {
  test("is as good whenever it comes", async () => {
    const headers = sender.sign({ body: bytesOf(sender.body) });
    expect(await receive(sender, { headers, nowMs: NOW_MS + 1e10 })).toMatchObject({ id: sender.id });
  });

  test("may be written in capitals, and with 'sha256=' before it or not", async () => {
    const headers = headersOf(sender);
    const hex = headers[sender.signature]!.replace("sha256=", "");
    for (const signature of [hex, hex.toUpperCase(), `sha256=${hex}`, `sha256=${hex.toUpperCase()}`])
      expect(await receive(sender, { headers: { ...headers, [sender.signature]: signature } })).toMatchObject(
        {
          id: sender.id,
        },
      );
    for (const signature of [`SHA256=${hex}`, `sha1=${hex}`, `sha256=sha256=${hex}`, `sha256= ${hex}`])
      expect(await receive(sender, { headers: { ...headers, [sender.signature]: signature } })).toBeNull();
  });
});

describe("a header that comes twice", () => {
  /** The same headers, with one that came once more, before or after. */
  function twice(headers: Record<string, string>, name: string, other: string): Headers[] {
    const after = new Headers(headers);
    after.append(name, other);
    const before = new Headers({ ...headers, [name]: other });
    before.append(name, headers[name]!);
    return [after, before];
  }

  test("is refused where it can have one value only", async () => {
    for (const [, sender] of SENDERS) {
      const headers = headersOf(sender);
      for (const name of Object.keys(headers)) {
        const isList = name === "webhook-signature";
        if (isList || (sender === hmacAlone && name === "x-shop-event")) continue;
        for (const sent of twice(headers, name, headers[name]!))
          expect(await receive(sender, { headers: sent }), name).toBeNull();
      }
    }
  });

  test("adds signatures to a list of them", async () => {
    const { "webhook-signature": wrong } = standard.sign({ body: bytesOf("{}") });
    for (const headers of twice(headersOf(standard), "webhook-signature", wrong!))
      expect(await receive(standard, { headers })).toMatchObject({ kind: "event" });
    for (const headers of twice(headersOf(stripe), "stripe-signature", `v1=${"0".repeat(64)}`))
      expect(await receive(stripe, { headers })).toMatchObject({ kind: "event" });
  });

  test("cannot make a late delivery of Stripe's timely", async () => {
    const headers = stripe.sign({ body: bytesOf(stripe.body), time: String(NOW_S - 3_600) });
    for (const sent of twice(headers, "stripe-signature", `t=${NOW_S}`))
      expect(await receive(stripe, { headers: sent })).toBeNull();
  });
});

describe("several signatures", () => {
  const wrong = Array.from({ length: FLOWS_LIMITS.deliverySignatures }, (_, index) =>
    Buffer.alloc(32, index).toString("hex"),
  );
  const wrongBase64 = wrong.map((hex) => `v1,${Buffer.from(hex, "hex").toString("base64")}`);

  test("of Stripe's: any v1 may be right, and other versions are not looked at", async () => {
    const { "stripe-signature": signature = "" } = headersOf(stripe);
    const [time, right] = signature.split(",");
    const receiveSigned = (...parts: (string | undefined)[]): ReturnType<typeof receive> =>
      receive(stripe, { headers: { "stripe-signature": parts.join(",") } });
    expect(await receiveSigned(time, `v1=${wrong[0]}`, right, "v0=6ffbb59b")).toMatchObject({
      id: stripe.id,
    });
    expect(await receiveSigned(right, time)).toMatchObject({ id: stripe.id });
    expect(await receiveSigned(time, right?.replace("v1=", "v0="))).toBeNull();
    expect(await receiveSigned(time, right?.replace("v1=", "v1a="))).toBeNull();
    expect(await receiveSigned(right)).toBeNull();
  });

  test("of Standard Webhooks: any v1 may be right, and other versions are not looked at", async () => {
    const headers = headersOf(standard);
    const right = headers["webhook-signature"]!;
    const receiveSigned = (signature: string): ReturnType<typeof receive> =>
      receive(standard, { headers: { ...headers, "webhook-signature": signature } });
    const isEvent = { id: standard.id };
    expect(await receiveSigned(`${wrongBase64[0]} ${right}`)).toMatchObject(isEvent);
    expect(await receiveSigned(`v1a,${"A".repeat(86)}== ${right} v2,x`)).toMatchObject(isEvent);
    expect(await receiveSigned(right.replace("v1,", "v1a,"))).toBeNull();
    expect(await receiveSigned(right.replace("v1,", ""))).toBeNull();
    expect(await receiveSigned(`v1,${right}`)).toBeNull();
  });

  test("are tried up to a bound, each with each of so many secrets", async () => {
    const most = FLOWS_LIMITS.deliverySignatures;
    const headers = headersOf(standard);
    const right = headers["webhook-signature"]!;
    const tries = async (
      signatures: readonly string[],
      secrets: readonly string[],
    ): Promise<[number, boolean]> => {
      const macs = countMacs();
      const delivery = await receive(standard, {
        headers: { ...headers, "webhook-signature": signatures.join(" ") },
        secret: secrets.join(" "),
        proofs: macs.proofs,
      });
      return [macs.count(), delivery !== null];
    };
    const others = Array.from({ length: most }, () => `whsec_${randomBytes(32).toString("base64")}`);
    expect(await tries([...wrongBase64.slice(1), right], [WHSEC])).toEqual([1, true]);
    expect(await tries([...wrongBase64, right], [WHSEC])).toEqual([1, false]);
    expect(await tries([...wrongBase64, ...wrongBase64], [...others, WHSEC])).toEqual([most, false]);
    expect(await tries([...wrongBase64.map(() => "v1,broken"), right], [WHSEC])).toEqual([1, true]);

    const macs = countMacs();
    const parts = Array.from({ length: 1_000 }, (_, index) => `v1=${wrong[index % most]}`);
    const sent = { "stripe-signature": [`t=${NOW_S}`, ...parts].join(",") };
    expect(await receive(stripe, { headers: sent, proofs: macs.proofs })).toBeNull();
    expect(macs.count()).toBe(1);
  });
});

describe("secrets of Standard Webhooks", () => {
  test("are both good while one replaces the other", async () => {
    const next = `whsec_${randomBytes(24).toString("base64")}`;
    const body = bytesOf(standard.body);
    for (const secret of [WHSEC, next])
      expect(
        await receive(standard, { headers: standard.sign({ body, secret }), secret: `${WHSEC} ${next}` }),
      ).toMatchObject({ id: standard.id });
  });

  test("refuse every delivery where they are not written as they must be", async () => {
    for (const secret of ["whsec_", "whsec_c2hvcnQ=", `${WHSEC} other`])
      expect(await receive(standard, { secret })).toBeNull();
  });
});

describe("delivery ids", () => {
  /** A delivery that says it has this id, signed. */
  const senders: readonly (readonly [string, Sender, (id: string) => ReturnType<typeof receive>])[] = [
    ["webhook-id", standard, (id) => sendWith(standard, id)],
    ["x-github-delivery", github, (id) => sendWith(github, id)],
    ["id_header", hmac, (id) => sendWith(hmac, id)],
    ["Stripe's id", stripe, (id) => send(stripe, JSON.stringify({ id }))],
    ["Slack's event_id", slack, (id) => send(slack, JSON.stringify({ event_id: id }))],
  ];
  function sendWith(sender: Sender, id: string): ReturnType<typeof receive> {
    return receive(sender, { headers: sender.sign({ body: bytesOf(sender.body), id }) });
  }

  test.each(senders)("in %s are 1 to 255 visible characters", async (_, __, sendId) => {
    for (const id of ["1", "~!", "a".repeat(255)]) expect(await sendId(id)).toMatchObject({ id });
    for (const id of ["", "a".repeat(256), "a b", "a\tb", "é"]) expect(await sendId(id)).toBeNull();
  });

  test("in a body are texts and numbers of its own and nothing else", async () => {
    expect(await send(stripe, '{"id":820982911946154508}')).toMatchObject({ id: "820982911946154508" });
    for (const id of [null, ["1"], { id: "1" }, true]) {
      expect(await send(stripe, JSON.stringify({ id }))).toBeNull();
      expect(await send(slack, JSON.stringify({ event_id: id }))).toBeNull();
    }
    expect(await send(stripe, '{"data":{"id":"1"}}')).toBeNull();
    expect(await send(slack, '{"event":{"event_id":"1"}}')).toBeNull();
  });

  test("cannot be changed in a body that was signed with another", async () => {
    for (const sender of [stripe, slack]) {
      const headers = sender.sign({ body: bytesOf(sender.body) });
      const body = bytesOf(sender.body.replace(sender.id, "another"));
      expect(await receive(sender, { headers, body })).toBeNull();
    }
  });

  test("of Standard Webhooks cannot take in a part of what was signed", async () => {
    // The text that is signed is the same for both, and the second would be another delivery of a body that was not sent.
    const secret = WHSEC;
    const sent = standard.sign({ body: bytesOf(`{"a":"x"}.${NOW_S}.{}`), id: "msg_1", secret });
    const headers = { ...sent, "webhook-id": `msg_1.${NOW_S}.{"a":"x"}` };
    expect(await receive(standard, { headers, body: bytesOf("{}") })).toBeNull();
  });

  test("are the SHA-256 of the body where the sender has none, byte for byte", async () => {
    for (const body of ['{"order":17}', '{"order": 17}', '\ufeff{"order":17}', '{"name":"Müller 🚀"}'])
      expect(await send(hmacAlone, body)).toMatchObject({
        id: createHash("sha256").update(body).digest("hex"),
      });
  });
});

describe("Slack's url_verification", () => {
  const question = JSON.stringify({
    token: "Jhj5dZrVaK7ZwHHjRyZWjbDl",
    challenge: "3eZbrw1aBm2r",
    type: "url_verification",
  });

  test("is answered with its challenge", async () => {
    expect(await send(slack, question)).toEqual({
      kind: "question",
      answer: { status: 200, json: { challenge: "3eZbrw1aBm2r" } },
    });
  });

  test("must be signed, and lately", async () => {
    const body = bytesOf(question);
    const headers = slack.sign({ body });
    expect(await receive(slack, { headers: {}, body })).toBeNull();
    expect(await receive(slack, { headers, body, secret: "other" })).toBeNull();
    expect(await receive(slack, { headers, body, nowMs: NOW_MS + 301_000 })).toBeNull();
  });

  test("is nothing special from anybody else", async () => {
    expect(await send(stripe, question)).toBeNull();
    expect(await send(github, question)).toMatchObject({ kind: "event" });
  });

  test("is not what an event with a challenge is", async () => {
    const body = JSON.stringify({ type: "event_callback", event_id: "Ev1", challenge: "x" });
    expect(await send(slack, body)).toMatchObject({ kind: "event", id: "Ev1" });
  });
});

test("GitHub's SHA-1 header is no signature", async () => {
  const { "x-hub-signature-256": signature = "", ...headers } = headersOf(github);
  expect(await receive(github, { headers: { ...headers, "x-hub-signature": signature } })).toBeNull();
});

test("a signature of one scheme is none of another", async () => {
  for (const [, sender] of SENDERS)
    for (const [, other] of SENDERS) {
      if (sender.signature === other.signature) continue;
      const body = bytesOf(other.body);
      const headers = other.sign({ body });
      expect(await receive(sender, { headers, body, secret: other.secret })).toBeNull();
    }
});

describe("A signed delivery that cannot be used", () => {
  const why = async (sender: Sender, body: string, headers?: Record<string, string>) => {
    const sent = bytesOf(body);
    return verify(sender, { body: sent, headers: headers ?? sender.sign({ body: sent }) });
  };

  test("says the reason", async () => {
    expect(await why(github, "7")).toEqual({
      kind: "unwanted",
      reason: "its body is no JSON object, no list and no form, or too deep",
    });
    const noId = { kind: "unwanted", reason: "it has no usable id" };
    expect(await why(stripe, '{"id":true}')).toEqual(noId);
    expect(await why(github, "{}", github.sign({ body: bytesOf("{}"), id: "" }))).toEqual(noId);
  });

  test("is told of nothing where it is not signed", async () => {
    const forged = github.sign({ body: bytesOf("[]"), secret: "another" });
    expect(await why(github, "[]", forged)).toBeNull();
  });
});

test("a word of a secret that has spaces itself opens nothing", async () => {
  const secret = "correct horse-battery-staple";
  const body = bytesOf(github.body);
  const opens = async (key: string) =>
    (await receive(github, { headers: github.sign({ body, secret: key }), secret })) !== null;
  expect(await opens(secret)).toBe(true);
  for (const word of secret.split(" ")) expect(await opens(word)).toBe(false);
});
