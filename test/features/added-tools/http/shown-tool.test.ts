import { expect, test } from "vitest";

import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { trial } from "../../../support/trial.ts";

const DECLARATION = {
  summary: "Drop an order",
  description: "Drop an order.",
  category: "shop",
  actions: ["delete"],
  is_write: true,
  input_schema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  http: { method: "DELETE", url: "https://api.example.com/orders/{id}" },
};

test("an added tool is shown with its effective contract, which says what it leaves to the default", async () => {
  const volley = await createTestVolley({
    tools: [],
    features: [discovery(), confirmations(), addedTools()],
    key: { flags: ["manage_tools"] },
  });
  const send = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { "content-type": "application/json" };
    const init = { method, ...(body && { headers, body: JSON.stringify(body) }) };
    return (await (await volley.fetch(path, init)).json()) as Record<string, unknown>;
  };
  for (const [declared, contract] of [
    [{}, { mode: "sequential-only", on_error: "fail-fast", confirm: "always" }],
    [
      { orchestration: { mode: "parallel-safe", confirm: "never" } },
      { mode: "parallel-safe", on_error: "fail-fast", confirm: "never" },
    ],
  ] as const) {
    await send("PUT", "/v1/tools/drop_order", { ...DECLARATION, ...declared });
    const shown = await send("GET", "/v1/tools/drop_order");
    expect(shown["x-orchestration"]).toEqual(contract);
    // The declaration itself is as it was sent.
    expect(shown["orchestration"]).toEqual("orchestration" in declared ? declared.orchestration : undefined);
    const schema = await send("POST", "/v1/get_tool_schema", { tool_name: "drop_order" });
    expect(schema["x-orchestration"]).toEqual(contract);
  }
});

trial(
  "a contract that is sent under the name by which it is shown is refused, unless it is what was shown",
  async () => {
    const volley = await createTestVolley({
      tools: [],
      features: [discovery(), confirmations(), addedTools()],
      key: { flags: ["manage_tools"] },
    });
    const put = async (body: object) => {
      const headers = { "content-type": "application/json" };
      const init = { method: "PUT", headers, body: JSON.stringify(body) };
      const answer = await volley.fetch("/v1/tools/drop_order", init);
      return { status: answer.status, text: await answer.text() };
    };
    const refused = await put({ ...DECLARATION, "x-orchestration": { confirm: { needs: 2 } } });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("/x-orchestration");
    expect(refused.text).toContain("'orchestration'");
    expect(
      (await put({ ...DECLARATION, orchestration: { mode: "parallel-safe", confirm: { needs: 2 } } })).status,
    ).toBe(201);
    const shown = (await (await volley.fetch("/v1/tools/drop_order")).json()) as object;
    expect((await put(shown)).status).toBe(200);
    const named = await put({ ...shown, name: "other" });
    expect([named.status, JSON.parse(named.text).issues[0].received]).toEqual([422, 'the string "other"']);
  },
);
