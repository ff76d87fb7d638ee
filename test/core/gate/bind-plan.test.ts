import { describe, expect, test } from "vitest";

import { bindCallback } from "../../../src/core/gate/bind-plan.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { TestWorld } from "../../support/execute-batch.ts";

const SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;
const background = contractOf("mail", {
  isWrite: true,
  execution: "fire-and-forget",
  actions: ["create"],
  run: async () => ({}),
});
const sync = contractOf("look", { run: async () => [{ n: 1 }, { n: 2 }] });

function worldWith(secret: string | null = SECRET): TestWorld {
  const world = new TestWorld();
  if (secret !== null) world.secrets.set("VOLLEY_WEBHOOK_SECRET", secret);
  return world;
}

const URL_TEXT = "https://hooks.example.com/jobs?token=geheim";
const specsOf = (world: TestWorld) =>
  world.gate.requests.flatMap(({ jobs }) => jobs.map(({ spec }) => spec.callback));

describe("callback_url", () => {
  test("goes into the job, with the name of the secret and not its value", async () => {
    const world = worldWith();
    const { results } = await world.run([background], {
      actions: [{ tool: "mail", callback_url: URL_TEXT }, { tool: "mail" }],
    });
    expect(results.map(({ status }) => status)).toEqual(["initiated", "initiated"]);
    expect(specsOf(world)).toEqual([{ url: URL_TEXT, secretName: "VOLLEY_WEBHOOK_SECRET" }, undefined]);
  });

  test("is signed with the secret that the key names", async () => {
    const world = worldWith(null);
    world.secrets.set("ACME_SECRET", SECRET);
    const { caller } = world.execution([]);
    await world.run(
      [background],
      { actions: [{ tool: "mail", callback_url: URL_TEXT }] },
      { caller: { ...caller, webhookSecret: "ACME_SECRET" } },
    );
    expect(specsOf(world)).toEqual([{ url: URL_TEXT, secretName: "ACME_SECRET" }]);
  });

  test("is every element's in a loop, and waits for references like its action", async () => {
    const world = worldWith();
    const { results } = await world.run([background, sync], {
      actions: [
        { id: "list", tool: "look" },
        {
          tool: "mail",
          for_each: { $ref: "list#" },
          args: { n: { $ref: "item#/n" } },
          callback_url: URL_TEXT,
        },
        { tool: "mail", args: { n: { $ref: "list#/0/n" } }, callback_url: URL_TEXT },
      ],
    });
    expect(results.map(({ status }) => status)).toEqual(["success", "success", "initiated"]);
    expect(specsOf(world).map((callback) => callback?.url)).toEqual([URL_TEXT, URL_TEXT, URL_TEXT]);
  });

  test.each([
    ["on a tool that answers in the batch", "look", URL_TEXT, SECRET, "INVALID_ACTION"],
    ["that is no address", "mail", "geheim", SECRET, "INVALID_ACTION"],
    ["that is private", "mail", "https://10.0.0.1/geheim", SECRET, "EGRESS_DENIED"],
    ["without a secret", "mail", URL_TEXT, null, "MISCONFIGURED"],
    ["with a secret that is none", "mail", URL_TEXT, "geheim", "MISCONFIGURED"],
  ])("%s costs that action only, and records nothing", async (_, tool, callback_url, secret, code) => {
    const world = worldWith(secret);
    const { results } = await world.run([background, sync], {
      actions: [{ tool, callback_url }, { tool: "look" }],
    });
    expect(results.map(({ status }) => status)).toEqual(["error", "success"]);
    expect(results[0]!.error).toMatchObject({ code, hint: expect.any(String) });
    if (code !== "MISCONFIGURED")
      expect(results[0]!.error!.issues).toMatchObject([{ path: "/callback_url" }]);
    expect(JSON.stringify(results)).not.toContain("geheim");
    expect(specsOf(world)).toEqual([]);
  });

  test.each([
    ["geheim", { path: "/callback_url", received: "6 characters that are none" }],
    ["http://example.com/geheim", { path: "/callback_url", received: 'the string "http://example.com"' }],
  ])("of a batch refuses it whole where it is %s, and says where", (callbackUrl, issue) => {
    const bound = bindCallback(callbackUrl, worldWith().execution([]));
    expect(bound).toMatchObject({ ok: false, error: { code: "INVALID_BATCH", issue } });
    expect(JSON.stringify(bound)).not.toContain("geheim");
  });

  test("is checked by a dry run too", async () => {
    const world = worldWith(null);
    const answer = await world.execute([background], {
      actions: [{ tool: "mail", callback_url: URL_TEXT }],
      dry_run: true,
    });
    expect(JSON.stringify(answer)).toContain("VOLLEY_WEBHOOK_SECRET");
  });
});
