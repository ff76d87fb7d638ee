import { expect, test } from "vitest";

import type { AdmissionAnswer, AdmissionRequest } from "../../src/core/contract/gate/admission.ts";
import { makeRefusal } from "../../src/core/contract/refusal.ts";
import { placeJob } from "../../src/core/contract/gate/job-shard.ts";
import { admitClaimedSharded } from "../../src/cloudflare/gate-client/admit-sharded.ts";
import { HUNDRED_AN_HOUR, makeRequest, makeSpec } from "./gate-requests.ts";

const AWAY = placeJob("7b2e3c52-0c1f-4a53-9f0d-0c9d9a3a4c10", { rank: 9, atHome: 1 });
const TAKEN = makeRefusal("CONFIRMATION_INVALID", "It was claimed before.");
const REQUEST = makeRequest({
  quota: HUNDRED_AN_HOUR,
  jobs: ["at-home", AWAY].map((id, index) => ({ index, spec: makeSpec(id, []) })),
});

const admit = ({ quota, jobs }: AdmissionRequest, allowed = true): AdmissionAnswer => ({
  quota: quota && { allowed, remaining: 1, resetMs: 0, retryAfterMs: 0 },
  denied: [],
  recorded: allowed ? jobs.map(({ index }) => ({ index, fence: 1 })) : [],
  refusedJobs: [],
});

/** The records that home and the other objects are asked for. */
class Objects {
  readonly asked: string[] = [];

  record(where: string, { jobs }: AdmissionRequest): void {
    this.asked.push(`${where}: ${jobs.map(({ index }) => index).join(",")}`);
  }
}

test("admitClaimedSharded() claims at home, and then records each job where its id says", async () => {
  const objects = new Objects();
  const answer = await admitClaimedSharded(REQUEST, {
    admitClaimed: async (part) => {
      objects.record("home", part);
      return { refused: null, admission: admit(part) };
    },
    admit: async (_, part) => {
      objects.record("away", part);
      return admit(part);
    },
  });
  expect(objects.asked).toEqual(["home: 0", "away: 1"]);
  expect(answer).toMatchObject({ refused: null, admission: { recorded: [{ index: 0 }, { index: 1 }] } });
});

test("admitClaimedSharded() records nothing anywhere of a claim that is refused, or that the quota turns away", async () => {
  const objects = new Objects();
  const away = async (_: number, part: AdmissionRequest): Promise<AdmissionAnswer> => {
    objects.record("away", part);
    return admit(part);
  };
  expect(
    await admitClaimedSharded(REQUEST, { admitClaimed: async () => ({ refused: TAKEN }), admit: away }),
  ).toEqual({
    refused: TAKEN,
  });
  const denied = await admitClaimedSharded(REQUEST, {
    admitClaimed: async (part) => ({ refused: null, admission: admit(part, false) }),
    admit: away,
  });
  expect(denied).toMatchObject({ refused: null, admission: { quota: { allowed: false } } });
  expect(objects.asked).toEqual([]);
});
