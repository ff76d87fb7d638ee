import { MACHINE } from "./ledger.ts";
import { attack, tempt } from "./hostile-actors.ts";
import { callOff, work } from "./job-actors.ts";
import { callMcp, chat, look } from "./model-actors.ts";
import { ask } from "./question-actors.ts";
import { cap, cut, page, read, refer, repeatRead } from "./read-actors.ts";
import type { Records } from "./records.ts";
import { callReplaced, deliver, makeKey, replaceTool, runFlow } from "./tenant-actors.ts";
import { exchange } from "../../../test/chaos/volley-client.ts";
import type { World } from "./world.ts";
import { flood, limit, write, writeUnderKey } from "./write-actors.ts";

/** One kind of caller, and how many of them come in a second. */
export interface Actor {
  readonly kind: string;
  readonly perS: number;
  readonly act: (world: World, records: Records) => Promise<void>;
}

/** The way without Volley: how fast the machine is just now. */
async function askUpstream(world: World): Promise<void> {
  const [at, startedAt] = [Date.now(), performance.now()];
  const answer = await exchange(`${world.upstream.url}/machine?n=1`, { method: "GET" });
  if (answer?.status === 200) world.latencies.push({ kind: MACHINE, at, ms: performance.now() - startedAt });
}

/** All that a Volley is asked at once. Together they keep it busy for a third of a processor, or half of one. */
export const ACTORS: readonly Actor[] = [
  { kind: "reads", perS: 7, act: read },
  { kind: "references", perS: 1.5, act: refer },
  { kind: "duplicates", perS: 0.7, act: repeatRead },
  { kind: "large results", perS: 0.3, act: page },
  { kind: "cut streams", perS: 0.5, act: cut },
  { kind: "capped", perS: 0.5, act: cap },
  { kind: "writes", perS: 2, act: write },
  { kind: "writes under a key", perS: 1, act: writeUnderKey },
  { kind: "flood", perS: 20, act: flood },
  { kind: "limited tools", perS: 0.8, act: limit },
  { kind: "jobs", perS: 1.2, act: work },
  { kind: "jobs to cancel", perS: 0.2, act: callOff },
  { kind: "questions", perS: 0.5, act: ask },
  { kind: "tools replaced", perS: 0.2, act: replaceTool },
  { kind: "tools of a tenant", perS: 1, act: callReplaced },
  { kind: "flows", perS: 0.8, act: runFlow },
  { kind: "webhooks", perS: 0.5, act: deliver },
  { kind: "keys made", perS: 0.15, act: makeKey },
  { kind: "chat", perS: 0.4, act: chat },
  { kind: "MCP", perS: 1, act: callMcp },
  { kind: "discovery", perS: 1.5, act: look },
  { kind: "hostile requests", perS: 1.5, act: attack },
  { kind: "secrets", perS: 0.5, act: tempt },
  { kind: MACHINE, perS: 2, act: askUpstream },
];
