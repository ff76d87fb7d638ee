import { describe, expect, test } from "vitest";

import {
  healthOf,
  sayAttempts,
  sayDisabled,
  sayReason,
  sayTypes,
  sortByHealth,
  splitTypes,
} from "../../../../src/features/endpoints/console/endpoint-words.ts";
import { parseEndpoint } from "../../../../src/features/endpoints/endpoint-schema.ts";

const SINCE = "2026-01-01T00:00:00.000Z";
const GOOD = { id: "good", state: "active" } as const;
const FAILING = { id: "failing", state: "active", failing_since: SINCE } as const;
const PAUSED = { id: "paused", state: "paused", failing_since: SINCE } as const;
const GONE = { id: "gone", state: "disabled", disabled_because: "gone", failing_since: SINCE } as const;

describe("Endpoints", () => {
  test("stand by their health: those that fail, those that were disabled, the paused, and then all others as they came", () => {
    const sorted = sortByHealth([GOOD, PAUSED, { ...GOOD, id: "good 2" }, GONE, FAILING]);
    expect(sorted.map(({ id }) => id)).toEqual(["failing", "gone", "paused", "good", "good 2"]);
  });

  test("that are paused or disabled are that, whether they failed or not", () => {
    expect([GOOD, FAILING, PAUSED, GONE].map(healthOf)).toEqual(["active", "failing", "paused", "disabled"]);
  });

  test("say why they were disabled", () => {
    expect(sayDisabled(GONE)).toContain("410");
    expect(sayDisabled(GOOD)).toBe("");
  });
});

describe("A delivery", () => {
  const attempt = (more: object) => ({ at: SINCE, duration_ms: 1_500, ...more });

  test.each([
    [{ code: "NAME_NOT_FOUND" }, "DNS"],
    [{ code: "CONNECTION_REFUSED" }, "port"],
    [{ code: "TLS_FAILED" }, "certificate"],
    [{ code: "TIMEOUT" }, "15 seconds"],
    [{ status: 522, code: "TIMEOUT" }, "15 seconds"],
    [{ code: "UPSTREAM_ERROR" }, "can be reached"],
    [{ code: "BACKLOG_FULL" }, "Send again"],
    [{ status: 302 }, "redirects are not followed"],
    [{ status: 401 }, "signature"],
    [{ status: 404 }, "Check the path"],
    [{ status: 422 }, "signature"],
    [{ status: 503 }, "could not reach"],
    [{ status: 500 }, "its own log"],
  ])("says the reason of a failed attempt and what helps: %o", (ended, said) => {
    expect(sayReason(attempt(ended))?.toLowerCase()).toContain(said.toLowerCase());
  });

  test("says no reason where nothing failed", () => {
    expect(sayReason(attempt({ status: 204 }))).toBeNull();
  });

  test("says its last answer, how long it took, and which attempt it was", () => {
    expect(sayAttempts({ attempts: [] })).toBe("not tried yet");
    expect(sayAttempts({ attempts: [attempt({ status: 204 })] })).toBe("HTTP 204 in 1.50 s");
    expect(sayAttempts({ attempts: [attempt({ status: 500 }), attempt({ code: "EGRESS_DENIED" })] })).toBe(
      "egress denied in 1.50 s, attempt 2",
    );
  });
});

test("Types are read with commas between them, each once; one with a space stays whole, for the API to refuse", () => {
  expect(splitTypes(" order.paid, invoice.* , order.paid,*,,order paid,")).toEqual([
    "order.paid",
    "invoice.*",
    "*",
    "order paid",
  ]);
});

test("Types that are refused are named, and where there are none it is said how they are chosen", () => {
  const said = sayTypes(issuesOf(["order.paid", "order paid", "Order!Paid"]));
  expect(said).toMatch(/^Not a type: "order paid", "Order!Paid"\. Write types such as/);
  expect(sayTypes(issuesOf([]))).toMatch(/^Choose at least one event/);
});

function issuesOf(events: readonly string[]) {
  const parsed = parseEndpoint({ url: "https://shop.example.com/hooks", events }, new Set());
  return parsed.ok ? [] : (parsed.error.issues ?? []);
}
