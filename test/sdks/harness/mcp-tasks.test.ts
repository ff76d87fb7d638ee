import { Client, type ElicitRequest, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
  type RawClientDispatch,
  resultFromTaskOutcome,
} from "@modelcontextprotocol/ext-tasks/client";
import { CallToolResultV2Schema } from "@modelcontextprotocol/ext-tasks/core/v2";
import { describe, expect, test } from "vitest";

import { setUpSandbox } from "../../support/set-up-sandbox.ts";

const { volley } = await setUpSandbox();
const KEY = "sandbox-model-key";
const INFO = { name: "test", version: "1.0.0" };
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const VERSION = "2026-07-28";

/** The official client of revision 2026-07-28, connected. */
async function connect(capabilities: object): Promise<Client> {
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: VERSION } }, capabilities });
  const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${volley.url}/mcp?surface=flat`), { requestInit }),
  );
  return client;
}

/** Send what the official client does not send by itself: it takes no tasks, and leaves them to the package of the extension. */
const rawDispatch: RawClientDispatch = async (request) => {
  const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
  const answer = await fetch(`${volley.url}/mcp?surface=flat`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": VERSION,
      "mcp-method": method,
      "mcp-name": params.taskId ?? params.name ?? "",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await answer.json()) as { result?: never; error?: never };
  return error === undefined ? { kind: "result", result: result! } : { kind: "error", error };
};

/** Answer the pages that a person is led to by a decision that is made there, by a key that may. */
async function decideAt(url: string, decision: "approve" | "reject"): Promise<void> {
  expect(url.startsWith(`${volley.url}/console#/confirmations/`)).toBe(true);
  const answer = await fetch(`${volley.url}/v1/confirmations/${url.split("/").at(-1)}`, {
    method: "POST",
    headers: { authorization: "Bearer sandbox-key", "content-type": "application/json" },
    body: JSON.stringify({ decision }),
  });
  expect(answer.status).toBe(200);
}

/** The official package of the extension around the official client; `decision` is what its person makes of each question. */
async function openSession(decision: "approve" | "reject" | "decline" = "approve") {
  const client = await connect(TASKS);
  const asked: string[] = [];
  const onInputRequest = createApplicationInputHandler({
    elicitation: async ({ params }) => {
      asked.push(String(params["url"]));
      if (decision === "decline") return { action: decision };
      await decideAt(String(params["url"]), decision);
      return { action: "accept" };
    },
    sampling: () => Promise.reject(new Error("Nothing is sampled.")),
    roots: () => ({ roots: [] }),
  });
  const session = createTaskSessionFromClient(client, {
    endpointId: "volley",
    rawDispatch,
    v2RequestFraming: {
      protocolVersion: VERSION,
      clientInfo: INFO,
      clientCapabilities: { ...TASKS, elicitation: { url: {} } },
    },
    onInputRequest,
  });
  const call = async (name: string, args: Parameters<typeof session.callTool>[1]) => {
    const execution = await session.callTool(name, args, {
      resultCodec: CallToolResultV2Schema as never,
    });
    const { outcome } = await execution.settle();
    return {
      kind: execution.kind,
      result: resultFromTaskOutcome(outcome) as unknown as Record<string, never>,
    };
  };
  return { session, asked, call };
}

describe("The official package of the tasks extension", () => {
  test("follows a batch in the background to its envelope", async () => {
    const { call } = await openSession();
    const { kind, result } = await call("execute_actions", {
      background: true,
      actions: [{ tool: "probe-echo", args: { n: 1 } }],
    });
    expect(kind).toBe("task");
    expect(result).toMatchObject({ structuredContent: { summary: { total: 1, ok: 1 } } });
  });

  test("follows a job to its data, and an immediate call needs no task", async () => {
    const { call } = await openSession();
    expect(await call("probe-background", { n: 5 })).toMatchObject({
      kind: "task",
      result: { structuredContent: { n: 5 } },
    });
    expect(await call("probe-echo", { n: 6 })).toMatchObject({
      kind: "immediate",
      result: { structuredContent: { n: 6 } },
    });
  });

  test("leads its person to the page of each question once, and has all results", async () => {
    const { call, asked } = await openSession();
    const { result } = await call("execute_actions", {
      actions: [
        { tool: "probe-echo", args: { n: 1 } },
        { tool: "probe-delete", args: { id: "lamp-1" } },
        { tool: "probe-delete", args: { id: "lamp-2" } },
      ],
    });
    expect(asked).toHaveLength(2);
    expect(result).toMatchObject({ structuredContent: { summary: { total: 3, ok: 3 } } });
  });

  test("is told of a no as a failed call", async () => {
    const { call } = await openSession("reject");
    expect((await call("probe-delete", { id: "lamp-1" })).result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "CONFIRMATION_REJECTED" } },
    });
  });

  test("is told what waits when its person does not go to the page", async () => {
    const { call } = await openSession("decline");
    expect((await call("probe-delete", { id: "lamp-1" })).result).toMatchObject({
      structuredContent: { status: "pending_confirmation" },
    });
  });

  test("cancels, and resumes by the task's id after a restart", async () => {
    const first = await openSession();
    const execution = await first.session.callTool("execute_actions", {
      background: true,
      actions: [{ tool: "probe-echo", args: { n: 2 } }],
    });
    if (execution.kind !== "task") throw new Error("There is no task.");
    const reference = execution.serializeReference();
    await execution.handoff(() => {});
    const again = await openSession();
    const resumed = await again.session.resumeTask(reference);
    const { outcome } = await resumed.settle();
    expect(outcome.status).toBe("completed");
    await again.session.cancelTask(reference.taskId);
  });
});

describe("The official client", () => {
  test("that leads its person to addresses has a call's result after the person decided there", async () => {
    const client = await connect({ elicitation: { url: {} } });
    const asked: ElicitRequest["params"][] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params);
      await decideAt(String((params as { url?: string }).url), "approve");
      return { action: "accept" };
    });
    const { structuredContent } = await client.callTool({
      name: "execute_actions",
      arguments: {
        actions: [
          { tool: "probe-echo", args: { n: 1 } },
          { tool: "probe-delete", args: { id: "lamp-1" } },
        ],
      },
    });
    expect(asked).toMatchObject([{ mode: "url", message: expect.stringContaining("lamp-1") }]);
    expect(structuredContent).toMatchObject({ summary: { total: 2, ok: 2 } });
    await client.close();
  });

  test("that cannot sees what waits in the result, and no task of what goes on", async () => {
    const client = await connect({});
    const parked = await client.callTool({ name: "probe-delete", arguments: { id: "lamp-1" } });
    expect(parked.structuredContent).toMatchObject({ status: "pending_confirmation" });
    const job = await client.callTool({ name: "probe-background", arguments: { n: 1 } });
    expect(job.structuredContent).toMatchObject({ status: "initiated", job_id: expect.any(String) });
    await client.close();
  });
});
