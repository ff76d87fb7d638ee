import { reportAlone, reportDealt, reportSize } from "./report-scale.ts";
import { createRandom } from "../../../test/support/random.ts";
import { reportFanOuts, simulateFanOuts } from "./fan-outs.ts";
import { simulate } from "./simulate.ts";
import { dealPermits } from "./tool-gate.ts";
import { LARGEST_TENANT, MIX, REGIONS, SIZES, TENANTS } from "./workload.ts";

const READS = { job: 0, wide: 0, keyed: 0, flow: 0 } as const;
const ALL = { tenants: TENANTS, regions: REGIONS, mix: MIX, seed: 1 };

for (const size of SIZES) print(reportSize(await simulate({ ...ALL, ...size })));
print([`The same, no tenant above ${LARGEST_TENANT} a second:`, ""]);
print(reportSize(await simulate({ ...ALL, ...SIZES[2], largest: LARGEST_TENANT })));
print(["100 a second for 60 s after 60 s, to see what a short run says:", ""]);
print(reportSize(await simulate({ ...ALL, rate: 100, warmUpS: 60, seconds: 60 })));
print(["100 a second, and a tenant beside them that sends 1,000 where 120 a minute are allowed:", ""]);
print(reportSize(await simulate({ ...ALL, rate: 100, warmUpS: 10, seconds: 20, flood: 1_000 })));

const alone = (label: string, rate: number, mix: object = {}, more: object = {}) =>
  simulate({
    tenants: 1,
    regions: REGIONS,
    mix: { ...READS, ...mix },
    seed: 1,
    rate,
    warmUpS: 10,
    seconds: 10,
    ...more,
  }).then((figures) => ({ label, figures }));
print(
  reportAlone([
    await alone("10 reads a second", 10, {}, { seconds: 100 }),
    await alone("300 reads a second", 300),
    await alone("1,000 reads a second", 1_000),
    await alone("3,000 reads a second", 3_000),
    await alone("10,000 reads a second, after 30 s", 10_000, {}, { warmUpS: 30, seconds: 5 }),
    await alone("1,000 reads a second, 240 isolates", 1_000, {}, { isolates: 8 }),
    await alone("2,000 reads a second, 480 isolates", 2_000, {}, { isolates: 16 }),
    await alone("20 batches with one job a second", 20, { job: 1 }, { seconds: 60 }),
    await alone("90 batches with one job a second", 90, { job: 1 }),
    await alone("110 batches with one job a second", 110, { job: 1 }),
    await alone("2 batches with 20 jobs a second", 2, { wide: 1 }, { seconds: 60 }),
    await alone("20 keyed batches a second", 20, { keyed: 1 }, { seconds: 60 }),
    await alone("20 webhooks with one write a second", 20, { flow: 1 }, { seconds: 60 }),
    await alone("45 webhooks with one write a second", 45, { flow: 1 }),
  ]),
);
print([reportDealt(await dealPermits([100, 10, 10], 60))]);
const fanOuts = { tenants: TENANTS, endpoints: 1_000_000, events: 1_000_000, random: createRandom(1) };
print(reportFanOuts(simulateFanOuts(fanOuts)));
print(["The same, each event for one customer:", ""]);
print(reportFanOuts(simulateFanOuts({ ...fanOuts, toAll: 0, random: createRandom(1) })));

function print(lines: readonly string[]): void {
  console.log(`${lines.join("\n")}\n`);
}
