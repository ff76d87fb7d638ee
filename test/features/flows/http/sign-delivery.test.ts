import { expect, test } from "vitest";

import { SENDERS } from "../../../../scripts/hooks/senders.ts";
import { signDelivery } from "../../../../scripts/hooks/sign-delivery.ts";
import type { HookTrigger } from "../../../../src/features/flows/hooks/hook-trigger.ts";
import { WHSEC } from "../hooks/sample-senders.ts";
import { openHookWorld } from "./hook-world.ts";
import { trial } from "../../../support/trial.ts";

/* The deliveries that `volley hooks try` sends: as their senders document them. */

const STANDARD = new Set(["clerk", "resend", "openai", "replicate"]);
const sign = (verify: string, secret: string, nowMs: number, id: string) =>
  signDelivery({ verify, secret: "HOOK" } as HookTrigger, {
    url: "https://volley.example/hooks/acme/taken",
    headers: {},
    ...SENDERS[verify as keyof typeof SENDERS].sample,
    secret,
    nowMs,
    id,
  });

trial.each(Object.keys(SENDERS).filter((name) => name !== "discord"))(
  "a documented delivery of %s is taken, and one with another id is another",
  async (verify) => {
    const secret = STANDARD.has(verify) ? WHSEC : "a-secret-of-a-sender";
    const world = await openHookWorld(secret, { tools: [], env: { VOLLEY_URL: "https://volley.example" } });
    const meta = verify === "meta" ? { verify_token: "HOOK" } : {};
    expect((await world.keep({ verify, ...meta })).status).toBe(201);
    const deliver = async (id: string) => {
      const { body, headers } = sign(verify, secret, world.volley.now(), id)!;
      const taken = await world.deliver(body, Object.fromEntries(headers));
      expect([200, 202, 204], taken.text).toContain(taken.status);
      return taken;
    };
    const first = await deliver("d-1");
    const { data } = await world.jobOf(first);
    expect(data).toMatchObject({ hook: { sender: verify } });
    const second = await deliver("d-2");
    // Bodies that are the same are one delivery to those whose id is a digest of the body alone.
    const isKnown = ["woocommerce", "meta"].includes(verify);
    const jobIds = [first, second].map(({ headers }) => headers.get("volley-job-id"));
    expect(new Set(jobIds).size).toBe(isKnown ? 1 : 2);
  },
);

test("nothing is signed with a public key, nor with a text that is no secret of the sender's", () => {
  expect(sign("discord", "ab".repeat(32), 0, "d-1")).toBeNull();
  expect(sign("clerk", "a-text", 0, "d-1")).toBeNull();
});
