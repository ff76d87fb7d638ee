import { KEEP_LIMITS } from "../../src/core/gate/state/kept-results.ts";
import { createVolley } from "../../src/cloudflare/create-volley.ts";
import type { ObjectPart } from "../../src/cloudflare/durable/object-part.ts";
import { createTenantGate } from "../../src/cloudflare/durable/tenant-gate.ts";
import type { BegunCalls, TenantGateMethods } from "../../src/core/contract/gate/tenant-gate-methods.ts";
import { createToolGate, type ToolGateMethods } from "../../src/cloudflare/durable/tool-gate.ts";
import type { WorkspaceMethods } from "../../src/core/contract/gate/workspace.ts";
import type { KeyShardMethods } from "../../src/features/keys/stored-key.ts";
import { createAddedToolsPart } from "../../src/features/added-tools/objects/tool-table.ts";
import { createBackgroundPart } from "../../src/features/background/objects/stored-batches.ts";
import { createConfirmationsPart } from "../../src/features/confirmations/objects/confirmations-part.ts";
import { createFlowsPart } from "../../src/features/flows/objects/flows-part.ts";
import { createOperatorLog } from "../../src/features/operator/objects/operator-log.ts";
import type { OperatorLogMethods } from "../../src/features/operator/operator.ts";
import type { DirectoryMethods } from "../../src/features/endpoints/directory-methods.ts";
import type { EndpointShardMethods } from "../../src/features/endpoints/endpoint-shard-methods.ts";
import { createRunLog } from "../../src/features/runs/objects/run-log.ts";
import type { RunLogMethods } from "../../src/features/runs/run-log-methods.ts";
import { createKeyShard } from "../../src/features/keys/objects/key-shard.ts";
import { systemClock } from "../../src/cloudflare/platform/system-ports.ts";
import { createSignInStore } from "../../src/features/sign-in/objects/sign-in-store.ts";
import type { SignInStoreMethods } from "../../src/features/sign-in/store-methods.ts";
import { createWorkspace } from "../../src/features/workspace/objects/workspace-object.ts";
import { limitedMail } from "./limited-mail.ts";
import { openers, SCRIPTED, tenantsServed } from "./scripted-attempts.ts";
import { ALL_FEATURES } from "../support/all-features.ts";

/** The parts of features, with runs that do what their arguments say. */
const PARTS = [
  createAddedToolsPart(),
  createFlowsPart(() => SCRIPTED),
  createBackgroundPart(() => SCRIPTED.run),
  createConfirmationsPart(),
];

/** A gate as it is deployed, with attempts that do what their arguments say. */
export const TenantGate = createTenantGate({
  parts: PARTS,
  createBackground(_, { tenant }) {
    tenantsServed.push(tenant);
    return SCRIPTED;
  },
});

/** A gate whose limits a test can reach. */
export const SmallGate = createTenantGate({
  parts: [
    createAddedToolsPart(),
    createFlowsPart(() => SCRIPTED, { flowBacklog: 3, runBacklog: 5, redrives: 1 }),
    createBackgroundPart(() => SCRIPTED.run, { keyBacklog: 2, batchBacklog: 3 }),
    createConfirmationsPart(() => ({
      ttlMs: 60_000,
      retentionMs: 60_000,
      pending: 3,
      count: 5,
      allBytes: 10_000,
    })),
  ],
  createBackground: () => SCRIPTED,
  optionsOf: () => ({
    backlog: 8,
    shardBacklog: 4,
    webhookBacklog: 4,
    redrives: 1,
    jobsKept: 10,
    retentionMs: 60_000,
    concurrency: 2,
    keys: { leaseMs: 1_500, retentionMs: 60_000, count: 10, bytes: 100_000 },
    shelves: {
      ...KEEP_LIMITS,
      results: { retentionMs: 60_000, oneBytes: 100, allBytes: 250, count: 5 },
    },
  }),
});

/** A gate whose leases run out while a test waits: for tests in which no attempt settles in time. */
export const HastyGate = createTenantGate({
  parts: PARTS,
  createBackground: () => SCRIPTED,
  optionsOf: () => ({ leaseMs: 300 }),
});

/** A gate that tells an operator; three of its events may wait. */
export const EventGate = createTenantGate({
  parts: PARTS,
  createBackground: (_, { onOpened }) => {
    openers.push(onOpened!);
    return SCRIPTED;
  },
  optionsOf: () => ({
    eventsTo: { url: "https://operator.example.com/events", secretName: "S" },
    eventBacklog: 3,
  }),
});

/** The parts of a gate that a test lists, as its Worker would with its next deployment. */
export const listed: ObjectPart[] = [];

/** A gate with the parts that a test lists. */
export const ListedGate = createTenantGate({ parts: listed, createBackground: () => SCRIPTED });

/** The gate of a whole Volley, whose alarm runs tools. */
export const VolleyGate = createVolley({ tools: [limitedMail], features: ALL_FEATURES }).TenantGate;

/** The objects of endpoints, whose receivers take everything. */
const endpointObjects = createVolley({
  tools: [],
  features: ALL_FEATURES,
  send: () => Promise.resolve(new Response(null, { status: 204 })),
});
export const EndpointDirectory = endpointObjects.EndpointDirectory;
export const EndpointShard = endpointObjects.EndpointShard;
export const ConnectionShard = endpointObjects.ConnectionShard;

/** A clock on which no two records are of one moment. */
let lastMs = 0;
const ticking = { ...systemClock, now: () => (lastMs = Math.max(lastMs + 1, Date.now())) };
export const SignInStore = createSignInStore(undefined, ticking);

/** One whose limits a test can reach. */
export const SmallSignInStore = createSignInStore(
  { unusedClients: 3, openForms: 3, signIns: 2, tokens: 2 },
  ticking,
);

export const ToolGate = createToolGate();

/** A tool's gate whose limits a test can reach, and which recovers while a test waits. */
export const SmallToolGate = createToolGate({ waiters: 3, leadMs: 200, idleMs: 100 });

export const Workspace = createWorkspace();

/** A workspace whose limits a test can reach. */
export const SmallWorkspace = createWorkspace({ files: 3, bytes: 20, fileBytes: 10 });

/** A workspace in whose room one large file is under way at a time. */
export const NarrowWorkspace = createWorkspace(undefined, {
  bytes: 100_000,
  waitMs: 300,
  turnMs: 60_000,
  waiting: 100,
});

export const KeyShard = createKeyShard();

/** An object that keeps few keys of a tenant. */
export const SmallKeyShard = createKeyShard({ names: 2 });

export const RunLog = createRunLog();

/** An object that keeps few runs, and few bytes of them. */
export const SmallRunLog = createRunLog({ runs: 3, bytes: 100_000 });

export const OperatorLog = createOperatorLog();

declare global {
  namespace Cloudflare {
    interface Env {
      readonly TENANT_GATE: DurableObjectNamespace<
        DurableObject & TenantGateMethods & BegunCalls & Rpc.DurableObjectBranded
      >;
      readonly SMALL_GATE: DurableObjectNamespace<
        DurableObject & TenantGateMethods & BegunCalls & Rpc.DurableObjectBranded
      >;
      readonly HASTY_GATE: DurableObjectNamespace<
        DurableObject & TenantGateMethods & BegunCalls & Rpc.DurableObjectBranded
      >;
      readonly EVENT_GATE: DurableObjectNamespace<
        DurableObject & TenantGateMethods & BegunCalls & Rpc.DurableObjectBranded
      >;
      readonly LISTED_GATE: DurableObjectNamespace<
        DurableObject & TenantGateMethods & BegunCalls & Rpc.DurableObjectBranded
      >;
      readonly VOLLEY_GATE: DurableObjectNamespace<
        DurableObject & TenantGateMethods & BegunCalls & Rpc.DurableObjectBranded
      >;
      readonly TOOL_GATE: DurableObjectNamespace<DurableObject & ToolGateMethods & Rpc.DurableObjectBranded>;
      readonly WORKSPACES: DurableObjectNamespace<
        DurableObject & WorkspaceMethods & Rpc.DurableObjectBranded
      >;
      readonly KEYS: DurableObjectNamespace<DurableObject & KeyShardMethods & Rpc.DurableObjectBranded>;
      readonly ENDPOINTS: DurableObjectNamespace<DurableObject & DirectoryMethods & Rpc.DurableObjectBranded>;
      readonly ENDPOINT_SHARDS: DurableObjectNamespace<
        DurableObject & EndpointShardMethods & Rpc.DurableObjectBranded
      >;
      readonly SMALL_KEYS: DurableObjectNamespace<DurableObject & KeyShardMethods & Rpc.DurableObjectBranded>;
      readonly SIGN_INS: DurableObjectNamespace<
        DurableObject & SignInStoreMethods & Rpc.DurableObjectBranded
      >;
      readonly SMALL_SIGN_INS: DurableObjectNamespace<
        DurableObject & SignInStoreMethods & Rpc.DurableObjectBranded
      >;
      readonly RUNS: DurableObjectNamespace<DurableObject & RunLogMethods & Rpc.DurableObjectBranded>;
      readonly OPERATOR: DurableObjectNamespace<
        DurableObject & OperatorLogMethods & Rpc.DurableObjectBranded
      >;
      readonly SMALL_RUNS: DurableObjectNamespace<DurableObject & RunLogMethods & Rpc.DurableObjectBranded>;
      readonly SMALL_WORKSPACES: DurableObjectNamespace<
        DurableObject & WorkspaceMethods & Rpc.DurableObjectBranded
      >;
      readonly NARROW_WORKSPACES: DurableObjectNamespace<
        DurableObject & WorkspaceMethods & Rpc.DurableObjectBranded
      >;
      readonly SMALL_TOOL_GATE: DurableObjectNamespace<
        DurableObject & ToolGateMethods & Rpc.DurableObjectBranded
      >;
    }
  }
}

// oxlint-disable-next-line import/no-default-export -- a Worker's entry is its default export
export default { fetch: () => new Response(null, { status: 404 }) };
