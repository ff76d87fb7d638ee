import { describe, expect, it } from "vitest";

import { makeFailure } from "../../../src/core/contract/failure.ts";
import { err, ok } from "../../../src/core/kit/result.ts";
import { markHeaders } from "../../../src/core/egress/guard-headers.ts";
import { type Hop, nextHop } from "../../../src/core/egress/next-hop.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const HEADERS = {
  accept: "application/json",
  authorization: "Bearer s3cret",
  cookie: "s=1",
  "content-type": "text/plain",
  "x-api-key": "s3cret",
};

function hop(method = "POST", href = "https://a.example.com/v1?key=s3cret"): Hop {
  const body = method === "GET" ? undefined : "content";
  const { origin } = new URL(href);
  return { href, origin, method, headers: markHeaders(HEADERS), body, changesNothing: false };
}

function redirect(from: Hop, status: number, location: string | null) {
  return nextHop(from, new Response(null, { status, headers: location === null ? {} : { location } }), ok);
}

function follow(from: Hop, status: number, location: string): Hop {
  return valueOf(redirect(from, status, location)!);
}

describe("nextHop()", () => {
  it.each([
    [200, "/x"],
    [300, "/x"],
    [304, "/x"],
    [404, "/x"],
    [302, null],
  ])("takes %d with location %j for no redirect", (status, location) => {
    expect(redirect(hop(), status, location)).toBeNull();
  });

  it.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [301, "PUT", "PUT"],
    [302, "DELETE", "DELETE"],
    [307, "POST", "POST"],
    [308, "PATCH", "PATCH"],
    [301, "GET", "GET"],
  ])("answers %d to a %s with a %s", (status, from, to) => {
    const next = follow(hop(from), status, "/v2");

    expect(next.method).toBe(to);
    expect(next.body).toBe(to === "GET" ? undefined : "content");
    if (from !== to) expect("content-type" in next.headers).toBe(false);
  });

  it("keeps what a GET said of its content where a 303 changes nothing about it", () => {
    expect(follow(hop("GET"), 303, "/v2").headers).toMatchObject({ "content-type": "text/plain" });
  });

  it("resolves a relative location and keeps everything within an origin", () => {
    const next = follow(hop("GET"), 302, "../v2");

    expect(next.href).toBe("https://a.example.com/v2");
    expect(next.headers).toEqual({
      ...HEADERS,
      "user-agent": "volley",
      "volley-hop": "1",
    });
  });

  it.each(["https://b.example.com/", "//b.example.com/", "https://a.example.com:8443/"])(
    "T10 drops every header but accept and content-type on the way to %s",
    (location) => {
      expect(follow(hop(), 307, location).headers).toEqual({
        accept: "application/json",
        "content-type": "text/plain",
        "user-agent": "volley",
        "volley-hop": "1",
      });
    },
  );

  it("T10 does not give dropped headers back when a redirect returns", () => {
    const back = follow(follow(hop(), 307, "https://b.example.com/"), 307, "https://a.example.com/");

    expect("authorization" in back.headers).toBe(false);
    expect("x-api-key" in back.headers).toBe(false);
  });

  it("T10 never goes from https to http", () => {
    expect(errorOf(redirect(hop(), 302, "http://a.example.com/")!)).toMatchObject({
      code: "EGRESS_DENIED",
      hint: expect.stringContaining("from https to http"),
    });
    expect(redirect(hop("GET", "http://a.example.com/"), 302, "http://a.example.com/x")?.ok).toBe(true);
  });

  it("passes on what the guard says about the new address", () => {
    const response = new Response(null, { status: 302, headers: { location: "https://evil.com/" } });
    const refusal = err(makeFailure("EGRESS_DENIED", { hint: "no" }));

    expect(nextHop(hop(), response, () => refusal)).toBe(refusal);
  });

  it("blames the service for a location that is not a URL", () => {
    expect(errorOf(redirect(hop(), 302, "https://[")!)).toMatchObject({
      code: "UPSTREAM_ERROR",
      retryable: false,
      upstreamStatus: 302,
    });
  });
});

it("nextHop() keeps at the same origin what is not about the body, when the body is dropped", () => {
  const { headers, body, method } = follow(hop(), 303, "/next");
  expect({ method, body }).toEqual({ method: "GET", body: undefined });
  const { "content-type": _, ...rest } = HEADERS;
  expect(headers).toMatchObject(rest);
  expect(headers).not.toHaveProperty("content-type");
});
