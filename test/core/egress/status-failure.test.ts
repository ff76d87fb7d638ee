import { describe, expect, it } from "vitest";

import { defineTool } from "../../../src/core/catalog/define-tool.ts";
import { makeStatusFailure } from "../../../src/core/egress/upstream-failure.ts";
import { declareTool } from "../../support/sample-tools.ts";

const tool = defineTool(declareTool());

function failureOf(status: number, headers: Record<string, string> = {}, of = tool) {
  return makeStatusFailure(new Response(null, { status, headers }), of, 0).failure;
}

describe("makeStatusFailure()", () => {
  it.each([
    [304, "UPSTREAM_ERROR", false],
    [400, "UPSTREAM_ERROR", false],
    [401, "UPSTREAM_ERROR", false],
    [403, "UPSTREAM_ERROR", false],
    [404, "NOT_FOUND", false],
    [408, "UPSTREAM_ERROR", true],
    [409, "UPSTREAM_ERROR", false],
    [410, "UPSTREAM_ERROR", false],
    [422, "UPSTREAM_ERROR", false],
    [425, "UPSTREAM_ERROR", true],
    [429, "RATE_LIMITED", true],
    [500, "UPSTREAM_ERROR", true],
    [501, "UPSTREAM_ERROR", false],
    [502, "UPSTREAM_ERROR", true],
    [503, "UPSTREAM_ERROR", true],
    [504, "UPSTREAM_ERROR", true],
    [505, "UPSTREAM_ERROR", false],
    [507, "UPSTREAM_ERROR", true],
    [511, "UPSTREAM_ERROR", false],
    // The statuses of a proxy in front of a service that is down, and "overloaded" of several providers.
    [520, "UPSTREAM_ERROR", true],
    [522, "UPSTREAM_ERROR", true],
    [529, "UPSTREAM_ERROR", true],
  ])("makes of %d a %s, retryable %s", (upstreamStatus, code, retryable) => {
    expect(failureOf(upstreamStatus)).toMatchObject({ code, retryable, upstreamStatus });
  });

  it("never blames the arguments for what the service cannot do", () => {
    expect(failureOf(400).hint).toContain("change the arguments");
    expect(failureOf(501).hint).toBe(
      "The service answered with status 501: it cannot do this; use another tool.",
    );
  });

  it.each([429, 503])("passes on how long a %d asks to wait", (status) => {
    expect(failureOf(status, { "retry-after": "7" }).retryAfterMs).toBe(7_000);
    expect(failureOf(status, { "retry-after": "nonsense" })).not.toHaveProperty("retryAfterMs");
    expect(failureOf(status)).not.toHaveProperty("retryAfterMs");
  });

  it("says how long to wait where the service did, and to wait where it did not", () => {
    expect(failureOf(429, { "retry-after": "7" }).hint).toContain("try again in 7000 ms");
    expect(failureOf(429).hint).toContain("wait before trying again");
  });

  it.each([
    [206, "a part only"],
    [299, "a part only"],
    [300, "refused the request with status 300"],
    [408, "trying again later"],
    [500, "trying again later"],
    [501, "it cannot do this"],
  ])("says of %d: %s", (status, words) => {
    expect(failureOf(status).hint).toContain(words);
  });

  it("takes no waiting time from other refusals", () => {
    expect(failureOf(400, { "retry-after": "7" })).not.toHaveProperty("retryAfterMs");
  });

  it.each([401, 403])("names the secrets that a %d may be about", (status) => {
    const withSecrets = defineTool(declareTool({ secrets: ["STATUS_KEY", "STATUS_USER"] }));

    expect(failureOf(status, {}, withSecrets).hint).toContain("STATUS_KEY, STATUS_USER");
    expect(failureOf(status).hint).toContain("no credentials");

    const ofPerson = defineTool(declareTool({ connection: "drive" }));
    expect(failureOf(status, {}, ofPerson).hint).toContain("The service refused the person's account");
  });
});
