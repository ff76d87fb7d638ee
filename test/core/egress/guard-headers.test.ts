import { describe, expect, it } from "vitest";

import { HOP_HEADER } from "../../../src/core/egress/guard-headers.ts";
import { guardHeaders } from "../../../src/core/egress/guard-headers.ts";

describe("guardHeaders()", () => {
  it("passes ordinary headers on", () => {
    const result = guardHeaders({
      Authorization: "Bearer abc",
      "X-Api-Key": "k\u00e9y",
      accept: "a/b;\tq=1",
    });

    expect(result.ok && result.value).toEqual({
      accept: "a/b;\tq=1",
      authorization: "Bearer abc",
      "x-api-key": "k\u00e9y",
    });
  });

  it.each(["a\r\nx-admin: 1", "a\nb", "a\rb", "a\0b", "\u0001", "a\u007f", "snow \u2603", "\u010d\u010a"])(
    "T14 refuses the value %j as an argument's fault, without repeating it",
    (value) => {
      const result = guardHeaders({ "x-note": value });

      expect(result.ok).toBe(false);
      if (result.ok) return;
      expect(result.error.code).toBe("INVALID_ARGS");
      expect(result.error.hint).toContain("x-note");
      expect(result.error.hint).not.toContain(value);
    },
  );

  it.each(["", "x note", "x:note", "x\r\nnote", "x\0", "naïve", "x(note)"])("refuses the name %j", (name) => {
    const result = guardHeaders({ [name]: "1" });

    expect(!result.ok && result.error.code).toBe("INVALID_ARGS");
  });

  it.each([
    HOP_HEADER,
    "Volley-Hop",
    "host",
    "Host",
    "connection",
    "Content-Length",
    "transfer-encoding",
    "upgrade",
    "te",
    "trailer",
    "keep-alive",
    "expect",
    "via",
    "forwarded",
    "X-Forwarded-For",
    "x-forwarded-host",
    "x-forwarded-anything",
    "x-real-ip",
    "cf-connecting-ip",
    "CF-Worker",
    "cdn-loop",
    "true-client-ip",
    "proxy-authorization",
    "proxy-connection",
    "sec-fetch-site",
  ])("T15 does not let a tool set %s", (name) => {
    const result = guardHeaders({ [name]: "1" });

    expect(!result.ok && result.error.code).toBe("EGRESS_DENIED");
  });
});
