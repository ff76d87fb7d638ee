import { expect, test } from "vitest";

import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import { createAddedTool } from "../../../src/features/added-tools/added-tool.ts";
import { contractOf } from "../../support/fake-actions.ts";

test("A kept tool is all that its declaration says, once that is read", () => {
  const whole = contractOf("look", {
    hosts: ["crm.example"],
    connection: { crm: ["read"] },
    connectionOptional: true,
    headersTimeoutMs: 1_234,
    upstreamErrors: false,
    private: true,
  });
  const { name, summary, description, category, actions } = whole;
  const headJson = JSON.stringify({ summary, description, category, actions, is_write: false });
  const added = createAddedTool({ name, version: 1, json: "{}", fingerprint: "f", headJson }, () => whole);

  const fields = (Object.keys(whole) as (keyof Tool)[]).filter(
    (field) => field !== "run" && field !== "hasLateInput",
  );
  expect(fields).toContain("upstreamErrors");
  for (const field of fields) expect(added[field], field).toEqual(whole[field]);
});
