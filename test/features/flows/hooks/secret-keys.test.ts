import { expect, test } from "vitest";

import { decodeBytes, type KeyForm } from "../../../../src/features/flows/hooks/hook-form.ts";
import { keysOf } from "../../../../src/features/flows/hooks/webhook-secret.ts";
import { WHSEC } from "./sample-senders.ts";

const hexOf = (secret: string, form: KeyForm) =>
  keysOf(secret, form).map((key) => Buffer.from(key).toString("hex"));

test("words are secrets of their own from the length on that no word has", () => {
  const textsOf = (secret: string) => keysOf(secret, "text").map((key) => Buffer.from(key).toString());
  const [long, other] = ["a".repeat(16), "b".repeat(16)];
  expect(textsOf(`${long}  ${other}\n`)).toEqual([`${long}  ${other}\n`, long, other]);
  expect(textsOf(`${long} ${other.slice(1)}`)).toEqual([`${long} ${other.slice(1)}`]);
  expect(textsOf(`${long}\n`)).toEqual([`${long}\n`, long]);
  expect(textsOf(`${long.slice(1)}\n`)).toEqual([`${long.slice(1)}\n`]);
  expect(textsOf("")).toEqual([]);
});

test("a key is decoded as its form says, and one that cannot be spoils all", () => {
  expect(hexOf("00ff\n0a", "hex")).toEqual(["00ff", "0a"]);
  expect(hexOf("00ff 0", "hex")).toEqual([]);
  expect(hexOf("AP8=", "base64")).toEqual(["00ff"]);
  expect(hexOf("", "base64")).toEqual([]);
  const decoded = Buffer.from(WHSEC.slice("whsec_".length), "base64").toString("hex");
  for (const text of [WHSEC, WHSEC.slice("whsec_".length), WHSEC.replace(/=+$/, "")])
    expect(hexOf(text, "whsec")).toEqual([decoded]);
  expect(hexOf("whsec_c2hvcnQ=", "whsec")).toEqual([]);
});

test("base64 is read in one way of writing it only, and its other alphabet with or without an end", () => {
  const right = Buffer.alloc(32, "mac").toString("base64");
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const letter of letters) {
    const text = `${right.slice(0, -2)}${letter}=`;
    expect(decodeBytes(text, "base64") !== null).toBe(
      Buffer.from(text, "base64").toString("base64") === text,
    );
  }
  expect(decodeBytes(right.replace("=", ""), "base64")).toBeNull();
  const url = Buffer.from([0xfb, 0xff, 0xbf, 0x01]).toString("base64url");
  for (const text of [url, `${url}==`])
    expect(Buffer.from(decodeBytes(text, "base64url") ?? []).toString("hex")).toBe("fbffbf01");
  expect(decodeBytes("+/+/", "base64url")).toBeNull();
});
