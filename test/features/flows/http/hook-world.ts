import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";

/** An answer as its sender sees it. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  /** The JSON that the text is; null if it is not one. */
  readonly body: Record<string, unknown> | null;
  readonly headers: Headers;
}

export interface HookWorld {
  readonly volley: TestVolley;
  readonly ask: (path: string, init?: RequestInit) => Promise<Answered>;
  /** Keep a flow that these deliveries run, and that answers what it is told of them. */
  readonly keep: (webhook: object, changes?: object) => Promise<Answered>;
  readonly deliver: (
    body: BodyInit | null,
    headers: Record<string, string>,
    to?: string,
  ) => Promise<Answered>;
  /** Wait until what was begun is over, and give the job that an answer names. */
  readonly jobOf: (answered: Answered) => Promise<Record<string, unknown>>;
  readonly jobs: () => Promise<readonly Record<string, unknown>[]>;
  /** The lines of the log about deliveries. */
  readonly lines: () => readonly Record<string, unknown>[];
}

const JSON_TYPE = { "content-type": "application/json" };

/** A deployment of one tenant, with one secret of a webhook. */
export async function openHookWorld(
  secret: string,
  { env = {}, ...options }: Omit<Parameters<typeof createTestVolley>[0], "features"> = { tools: [] },
): Promise<HookWorld> {
  const volley = await createTestVolley({
    ...options,
    features: [discovery(), addedTools(), confirmations(), flows()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "keeper", tenant: "acme", flags: ["manage_tools"] },
      }),
      VOLLEY_TOOL_SECRETS: JSON.stringify({ HOOK: { tenants: ["acme"], hosts: [] } }),
      HOOK: secret,
      ...env,
    },
  });
  const ask = async (path: string, init: RequestInit = {}): Promise<Answered> => {
    const response = await volley.fetch(path, init);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    const body = isJson && text !== "" ? (JSON.parse(text) as Record<string, unknown>) : null;
    return { status: response.status, text, body, headers: response.headers };
  };
  return {
    volley,
    ask,
    keep: (webhook, changes = {}) =>
      ask("/v1/flows/taken", {
        method: "PUT",
        headers: JSON_TYPE,
        body: JSON.stringify({
          summary: "Takes",
          input_schema: { type: "object" },
          actions: [{ id: "a", tool: "discover_tools", args: {} }],
          answer: { hook: { $ref: "hook#" }, input: { $ref: "input#" } },
          triggers: { webhook: { secret: "HOOK", ...webhook } },
          ...changes,
        }),
      }),
    deliver: (body, headers, to = "/hooks/acme/taken") => ask(to, { method: "POST", headers, body }),
    async jobOf({ headers }) {
      await volley.advance(60_000);
      const job = await ask(`/v1/jobs/${headers.get("volley-job-id")}`);
      return job.body!;
    },
    jobs: async () => (await ask("/v1/jobs?tool=taken")).body!["jobs"] as readonly Record<string, unknown>[],
    lines: () =>
      volley.logs
        .filter((line) => line.includes('"hook_'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
