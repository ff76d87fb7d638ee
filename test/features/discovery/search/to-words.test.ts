import { expect, test } from "vitest";

import {
  compact,
  toCaselessParts,
  toChunks,
  toParts,
  toWords,
} from "../../../../src/features/discovery/search/to-words.ts";

test.each([
  ["getUserOrders", ["get", "user", "orders"]],
  ["snake_case", ["snake", "case"]],
  ["HTTPRequest", ["http", "request"]],
  ["listURLsOfUser", ["list", "urls", "of", "user"]],
  ["oauth2Login", ["oauth", "2", "login"]],
  ["Café", ["cafe"]],
  ["天气预报", ["天气", "气预", "预报"]],
  ["雨", ["雨"]],
])("toParts() splits %s", (chunk, parts) => {
  expect(toParts(chunk)).toEqual(parts);
});

test("toWords() also gives words as they were written", () => {
  expect(toWords("getUserOrders")).toEqual(
    expect.arrayContaining(["getuser", "userorders", "getuserorders"]),
  );
  expect(toWords("天气")).toEqual(["天气", "天", "气"]);
});

test("toChunks() keeps names whole and parts scripts", () => {
  expect(toChunks("Use node.js, e-mail & __proto__ on iPhone手机!")).toEqual([
    "Use",
    "node.js",
    "e-mail",
    "proto",
    "on",
    "iPhone",
    "手机",
  ]);
});

test("toCaselessParts() and compact() see no case", () => {
  expect(toCaselessParts("get-UserOrders2")).toEqual(["get", "userorders", "2"]);
  expect(compact("Get_User-orders 2")).toBe("getuserorders2");
});
