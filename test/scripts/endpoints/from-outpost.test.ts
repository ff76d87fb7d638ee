import { describe, expect, test } from "vitest";

import { fromOutpost } from "../../../scripts/endpoints/from-outpost.ts";

const SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const NOW = Date.parse("2026-01-01T00:00:00Z");
/** A destination as the API of Outpost lists it. */
const DESTINATION = {
  id: "des_12345",
  tenant_id: "c_42",
  type: "webhook",
  topics: ["order.paid"],
  config: { url: "https://shop.example.com/hooks" },
  credentials: { secret: SECRET },
  disabled_at: null,
  created_at: "2026-01-01T00:00:00Z",
};

describe("A destination of Outpost", () => {
  test("keeps its id, address, topics and secret, and its tenant is its customer", () => {
    expect(fromOutpost([DESTINATION], NOW)).toEqual([
      {
        id: "des_12345",
        body: {
          url: "https://shop.example.com/hooks",
          customer: "c_42",
          events: ["order.paid"],
          secret: SECRET,
        },
        notes: [],
      },
    ]);
  });

  test("for every topic gets every type, with its headers; one that is disabled is paused", () => {
    const config = { ...DESTINATION.config, custom_headers: '{"x-env":"prod"}' };
    const disabled_at = "2025-12-01T00:00:00Z";
    const [moved] = fromOutpost({ models: [{ ...DESTINATION, topics: "*", config, disabled_at }] }, NOW);
    expect(moved!.body).toMatchObject({ events: ["*"], headers: { "x-env": "prod" }, paused: true });
  });

  test("with a filter moves paused, and one whose secret is another kind has a new one made", () => {
    const filter = { data: { total: { $gte: 100 } } };
    const [moved] = fromOutpost([{ ...DESTINATION, filter, credentials: { secret: "plain" } }], NOW);
    expect(moved!.body).toMatchObject({ paused: true });
    expect(moved!.body).not.toHaveProperty("secret");
    expect(moved!.notes.join(" ")).toMatch(/new one is made.*filter/);
  });

  test("says that a previous secret signs no more, while that would", () => {
    const previous_secret_invalid_at = "2026-01-02T00:00:00Z";
    const credentials = { secret: SECRET, previous_secret: SECRET, previous_secret_invalid_at };
    expect(fromOutpost([{ ...DESTINATION, credentials }], NOW)[0]!.notes).toHaveLength(1);
    expect(fromOutpost([{ ...DESTINATION, credentials }], NOW + 86_400_000)[0]!.notes).toEqual([]);
  });

  test("of another type stays, and the same id of two tenants becomes two", () => {
    const queue = { ...DESTINATION, id: "des_q", type: "rabbitmq" };
    const moved = fromOutpost([DESTINATION, { ...DESTINATION, tenant_id: "c_43" }, queue], NOW);
    expect(moved.map(({ id }) => id)).toEqual(["c_42:des_12345", "c_43:des_12345", "des_q"]);
    expect(moved[2]).toMatchObject({ body: null, notes: [expect.stringContaining("rabbitmq")] });
  });
});
