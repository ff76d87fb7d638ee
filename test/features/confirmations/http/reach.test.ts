import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import type { Feature } from "../../../../src/cloudflare/feature.ts";
import type { SayReach } from "../../../../src/feature/gives.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { trial } from "../../../support/trial.ts";

const send = defineTool({
  name: "send_many",
  summary: "Send to many",
  description: "Send to many.",
  category: "shop",
  actions: ["create"],
  isWrite: true,
  execution: "sync",
  input: z.strictObject({ list: z.string() }),
  hosts: [],
  orchestration: { mode: "sequential-only", confirm: "always" },
  run: async () => ({ list: "fresh" }),
});

const sayer = (name: string, sayReach: SayReach): Feature => ({ name, gives: { sayReach } });

/** A question about a call, as a key sees it and as a link shows it, in a Worker with these features. */
async function askWith(...features: readonly Feature[]) {
  const volley = await createTestVolley({ tools: [send], features: [confirmations(), ...features] });
  const { results } = await volley.run({
    actions: [
      { id: "first", tool: "send_many", args: { list: "news" } },
      { id: "then", tool: "send_many", args: { list: { $ref: "first#/list" } } },
    ],
  });
  const [{ confirmation }] = results as unknown as [{ readonly confirmation: { readonly id: string } }];
  const path = `/v1/confirmations/${confirmation.id}`;
  const shown = (await (await volley.fetch(path)).json()) as {
    readonly actions: readonly { readonly id: string; readonly reach?: string }[];
  };
  const made = await volley.fetch(`${path}/link`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Ada" }),
  });
  const { url } = (await made.json()) as { readonly url: string };
  const page = await (await volley.fetch(new URL(url).pathname)).text();
  return { reaches: shown.actions.map(({ reach }) => reach), page };
}

describe("A question says how far its actions reach", () => {
  test("in the words of a feature that knows, to keys and on the page of a link; asked with the tool and its arguments", async () => {
    const asked: unknown[] = [];
    const { reaches, page } = await askWith(
      sayer("knows", async (call) => {
        asked.push(call);
        return call.calls.length === 0 ? null : "3 endpoints of 2 customers";
      }),
    );
    // The second action's arguments are not known before the first has run.
    expect(reaches).toEqual(["3 endpoints of 2 customers", undefined]);
    expect(page).toContain("3 endpoints of 2 customers");
    expect(asked).toEqual([
      { tool: "send_many", calls: [{ list: "news" }] },
      { tool: "send_many", calls: [] },
      { tool: "send_many", calls: [{ list: "news" }] },
      { tool: "send_many", calls: [] },
    ]);
  });

  trial("by the first feature that knows something", async () => {
    const { reaches } = await askWith(
      sayer("knows-nothing", async () => null),
      sayer("knows", async ({ calls }) => (calls.length === 0 ? null : "one list")),
      sayer("comes-too-late", async () => "another"),
    );
    expect(reaches).toEqual(["one list", "another"]);
  });

  trial(
    "and nothing where no feature knows, or the one that does cannot be asked: it can be decided all the same",
    async () => {
      expect((await askWith()).reaches).toEqual([undefined, undefined]);
      const { reaches, page } = await askWith(sayer("down", () => Promise.reject(new Error("down"))));
      expect(reaches).toEqual([undefined, undefined]);
      expect(page).toContain("send_many");
    },
  );

  trial("T40 T41 as text: what would hide is made visible, and markup is none", async () => {
    const { page } = await askWith(sayer("odd", async () => "one \u202ecustomer <b>only</b>"));
    expect(page).not.toContain("\u202e");
    expect(page).toContain("one \\u{202e}customer");
    expect(page).not.toContain("<b>only");
  });
});
