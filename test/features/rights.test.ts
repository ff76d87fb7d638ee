import { describe, expect, test } from "vitest";

import type { Feature } from "../../src/cloudflare/feature.ts";
import { createTestVolley } from "../../src/package/testing.ts";
import { ALL_FEATURES } from "../support/all-features.ts";
import { SHIPPED_FLAGS } from "../../src/shipped.ts";
import { trial } from "../support/trial.ts";

const KEY_FLAGS = Object.keys(SHIPPED_FLAGS);

/** An operation as the document tells of its right. */
interface Told {
  readonly description?: string;
  readonly security?: readonly { readonly key?: readonly string[] }[];
}

/** One for each set of flags: what is asked here leaves nothing behind. */
const volleys = new Map<string, ReturnType<typeof createTestVolley>>();
function volleyWith(flags: readonly string[]): ReturnType<typeof createTestVolley> {
  const name = flags.toSorted().join();
  const made = volleys.get(name) ?? createTestVolley({ tools: [], features: ALL_FEATURES, key: { flags } });
  volleys.set(name, made);
  return made;
}

/** Name the flag that a key with some flags is refused for at a path; null where it is not. */
async function lackOf(flags: readonly string[], [method, path]: readonly [string, string]) {
  const volley = await volleyWith(flags);
  // The body would be refused next.
  const answer = await volley.fetch(path, { method, ...(method !== "GET" && { body: "no JSON" }) });
  const [, lacking = null] = /"The key has no flag '(\w+)'/.exec(await answer.text()) ?? [];
  return answer.status === 403 ? lacking : null;
}

const answer = await (await volleyWith([])).fetch("/openapi.json");
const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Told>> };
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, told]) => ({
    route: [method.toUpperCase(), path.replace("{id}", "some")] as const,
    flags: told.security?.flatMap(({ key = [] }) => key) ?? [],
    told,
  })),
);
const managed = operations.filter(({ flags }) => flags.length > 0);

describe("The flags that a path needs", () => {
  test("T02 are these, and every other path is for any key", () => {
    expect(Object.fromEntries(managed.map(({ route, flags }) => [route.join(" "), flags]))).toEqual({
      "GET /v1/tools/some": ["manage_tools"],
      "PUT /v1/tools/some": ["manage_tools"],
      "DELETE /v1/tools/some": ["manage_tools"],
      "POST /v1/tools/import": ["manage_tools"],
      "PUT /v1/flows/some": ["manage_tools"],
      "DELETE /v1/flows/some": ["manage_tools"],
      "DELETE /v1/runs/some": ["manage_tools"],
      "PUT /v1/runs": ["manage_tools"],
      "GET /v1/keys": ["manage_keys"],
      "POST /v1/keys": ["manage_keys"],
      "DELETE /v1/keys/some": ["manage_keys"],
      "PUT /v1/endpoints/some": ["manage_endpoints"],
      "GET /v1/endpoints": ["manage_endpoints"],
      "GET /v1/endpoints/some": ["manage_endpoints"],
      "PATCH /v1/endpoints/some": ["manage_endpoints"],
      "DELETE /v1/endpoints/some": ["manage_endpoints"],
      "POST /v1/endpoints/some/rotate": ["manage_endpoints"],
      "POST /v1/endpoints/some/test": ["manage_endpoints"],
      "POST /v1/endpoints/some/recover": ["manage_endpoints"],
      "POST /v1/connections": ["manage_connections"],
      "GET /v1/connections": ["manage_connections"],
      "GET /v1/connections/some": ["manage_connections"],
      "DELETE /v1/connections/some": ["manage_connections"],
      "POST /v1/connections/some/confirm": ["manage_connections"],
      "POST /v1/connections/confirm": ["manage_connections"],
      "POST /v1/connections/reseal": ["operator"],
      "POST /v1/endpoints/reseal": ["operator"],
      "POST /v1/events/batch": ["manage_endpoints"],
      "GET /v1/deliveries": ["manage_endpoints"],
      "GET /v1/deliveries/some": ["manage_endpoints"],
      "POST /v1/deliveries/some/resend": ["manage_endpoints"],
      "POST /v1/events": ["manage_endpoints"],
      "GET /v1/events": ["manage_endpoints"],
      "GET /v1/events/some": ["manage_endpoints"],
      "GET /v1/events/stream": ["manage_endpoints"],
      "PUT /v1/event_types/some": ["manage_endpoints"],
      "GET /v1/event_types": ["manage_endpoints"],
      "GET /v1/event_types/some": ["manage_endpoints"],
      "DELETE /v1/event_types/some": ["manage_endpoints"],
      "POST /v1/portal_links": ["manage_endpoints"],
      "DELETE /v1/portal_links": ["manage_endpoints"],
      "POST /v1/tenant/delete": ["manage_keys", "manage_tools"],
      "POST /v1/confirmations/some": ["approve"],
      "POST /v1/confirmations/some/link": ["approve"],
      "DELETE /v1/confirmations/some/links": ["approve"],
      "GET /v1/remembered": ["approve"],
      "DELETE /v1/remembered/some": ["approve"],
      "GET /v1/operator/overview": ["operator"],
      "POST /v1/operator/redrive": ["operator"],
    });
  });

  trial.each(managed)(
    "T02 are asked of a key before its body is read: $route",
    async ({ route, flags, told }) => {
      for (const [at, flag] of flags.entries()) {
        expect(told.description).toContain(`\`${flag}\``);
        const others = KEY_FLAGS.filter((other) => other !== flag && !flags.slice(at + 1).includes(other));
        expect(await lackOf(others, route)).toBe(flag);
      }
      expect(await lackOf(flags, route)).toBeNull();
    },
  );

  test("are said of every path behind the key: one that says none does not compile", () => {
    // @ts-expect-error paths without a right
    const silent: Feature = { name: "silent", routes: [{ paths: [] }] };
    expect(silent.name).toBe("silent");
  });
});
