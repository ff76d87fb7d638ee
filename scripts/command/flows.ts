import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { visibleText } from "../../src/core/kit/visible-text.ts";
import { FlowsClient } from "../flows/flows-client.ts";
import { readDeployment } from "../flows/read-deployment.ts";
import { type FlowsWork, runDiff, runPull, runPush } from "../flows/run-flows.ts";
import { collectFlows } from "../flows/collect-flows.ts";
import { drawFlows } from "../flows/draw-flows.ts";
import { type Call, defineCommand, type ExitCode, type Options } from "./define-command.ts";

const FILE = {
  file: { type: "string", value: "FILE", default: "volley.flows.json", about: "the file of flows" },
} as const satisfies Options;
const PRUNE = {
  prune: { type: "boolean", about: "delete flows that the file does not have" },
} as const satisfies Options;
const ABOUT = [
  "VOLLEY_URL is the deployment's address, and VOLLEY_KEY a key with the flag manage_tools; to compare and to pull one without it is enough.",
];

/** `volley flows pull`: write the deployment's flows into the file. */
export const flowsPull = defineCommand({
  words: "flows pull",
  summary: "Write a deployment's flows into a file that is reviewed like code",
  about: ABOUT,
  options: FILE,
  run: (call) => runFlows(runPull, call),
});

/** `volley flows diff`: print what a push would change. */
export const flowsDiff = defineCommand({
  words: "flows diff",
  summary: "Say what a push would change",
  about: ABOUT,
  options: { ...FILE, ...PRUNE },
  exits: "Ends with 1 where something differs.",
  run: (call) => runFlows(runDiff, call),
});

/** `volley flows push`: put what differs. */
export const flowsPush = defineCommand({
  words: "flows push",
  summary: "Put the flows of a file that differ from the deployment's",
  about: ABOUT,
  options: {
    ...FILE,
    ...PRUNE,
    "dry-run": { type: "boolean", about: "say what it would change, as diff does" },
  },
  exits: "Ends with 1 where a flow was refused, and with --dry-run where something differs.",
  run: (call) => runFlows(call.values["dry-run"] ? runDiff : runPush, call),
});

type FlowsCall = Omit<Call, "values"> & {
  readonly values: { readonly file: string; readonly prune?: boolean };
};

/** Keep a deployment's flows in a file; the environment names the deployment and the key. */
async function runFlows(
  run: (work: FlowsWork) => Promise<ExitCode>,
  { values: { file, prune = false }, terminal, env, folder }: FlowsCall,
): Promise<ExitCode> {
  const client = new FlowsClient(readDeployment(env), {
    fetch: (url, init) => fetch(url, init),
    sleep: (ms) => sleep(ms),
    onWait: (ms) => terminal.note(`Waiting ${ms / 1000} s, as the deployment asks.`),
  });
  const collected = collectFlows();
  const code = await run({
    client,
    file: { path: resolve(folder, file), shown: visibleText(file, 200) },
    prune,
    tell: terminal.isJson ? collected.tell : drawFlows(terminal.print, terminal.width),
  });
  terminal.give({ ok: code === 0, ...collected.made() });
  return code;
}
