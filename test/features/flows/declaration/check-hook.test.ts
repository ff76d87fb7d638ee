import { expect, test } from "vitest";

import { checkHook, formsOfSent } from "../../../../src/features/flows/declaration/check-hook.ts";

const HMAC = { verify: "hmac", secret: "S", header: "x-signature" };
const PARTS = { separator: ",", timestamp: "t", signature: "v1" };

test.each([
  ["a body alone", HMAC],
  ["parts", { ...HMAC, parts: PARTS, payload: "{timestamp}.{body}" }],
  ["parts whose time has a unit", { ...HMAC, parts: PARTS, timestamp: { unit: "ms" } }],
  [
    "the same said by a prefix",
    { ...HMAC, prefix: "v1=", timestamp: { part: "t" }, payload: "{timestamp}.{body}" },
  ],
  ["an older name of the id", { ...HMAC, verify: "hmac-sha256", id_header: "x-id", payload: "{id}{body}" }],
  ["a token in a header", { verify: "token", secret: "S", header: "x-token", timestamp: { pointer: "/at" } }],
  ["a password", { verify: "token", secret: "S", basic: true }],
  ["events that are named", { ...HMAC, event: "/type", events: ["a.*"] }],
  ["events of a sender", { verify: "twilio", secret: "S", events: ["delivered"] }],
])("a webhook may have %s", (_, webhook) => {
  expect(checkHook(webhook)).toEqual([]);
  expect(formsOfSent(webhook).length).toBeGreaterThan(0);
});

test.each([
  ["no body in what is signed", { ...HMAC, payload: "{timestamp}", timestamp: { header: "t" } }, "/payload"],
  ["two bodies in what is signed", { ...HMAC, payload: "{body}{form}" }, "/payload"],
  ["a name that there is not", { ...HMAC, payload: "{time}{body}" }, "/payload"],
  ["a time that is not said", { ...HMAC, payload: "{timestamp}{body}" }, "/payload"],
  ["an id that is not said", { ...HMAC, payload: "{id}{body}", id: "digest" }, "/payload"],
  ["another algorithm than its name", { ...HMAC, verify: "hmac-sha256", algorithm: "sha1" }, "/algorithm"],
  ["two ids", { ...HMAC, id: "/id", id_header: "x-id" }, "/id_header"],
  ["a prefix beside parts", { ...HMAC, parts: PARTS, prefix: "v1=" }, "/prefix"],
  ["parts that cannot be taken apart", { ...HMAC, parts: { ...PARTS, separator: "=" } }, "/parts/separator"],
  ["one part for two things", { ...HMAC, parts: { ...PARTS, timestamp: "v1" } }, "/parts/timestamp"],
  ["two times", { ...HMAC, parts: PARTS, timestamp: { header: "t" } }, "/timestamp"],
  ["a time in two places", { ...HMAC, timestamp: { header: "t", pointer: "/t" } }, "/timestamp"],
  ["a time nowhere", { ...HMAC, timestamp: { unit: "ms" } }, "/timestamp"],
  ["a part of a header that has none", { ...HMAC, timestamp: { part: "t" } }, "/timestamp"],
  ["a prefix that names no part", { ...HMAC, prefix: "v1:", timestamp: { part: "t" } }, "/timestamp"],
  ["a part of a token", { verify: "token", secret: "S", query: "k", timestamp: { part: "t" } }, "/timestamp"],
  ["a token nowhere", { verify: "token", secret: "S" }, ""],
  ["a token in two places", { verify: "token", secret: "S", query: "k", basic: true }, "/basic"],
  ["events that nothing names", { ...HMAC, events: ["a"] }, "/events"],
])("a webhook may not have %s", (_, webhook, path) => {
  const flaws = checkHook(webhook);
  expect(flaws.map((flaw) => flaw.path.map((token) => `/${token}`).join(""))).toEqual([path]);
  expect(flaws[0]!.hint).toMatch(/[.]$/);
  expect(formsOfSent(webhook)).toEqual([]);
});
