/** The abilities of a client, as it declares them with every request. */
export const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
export const URLS = { elicitation: { url: {} } };
export const BOTH = { ...TASKS, ...URLS };

export interface McpAnswer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came
  readonly body: any;
}

export type SendMcp = (
  method: string,
  params: object,
  more?: {
    readonly client?: object;
    readonly key?: string;
    readonly surface?: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
) => Promise<McpAnswer>;

/** Speak revision 2026-07-28 to a Volley, as a client with some abilities. */
export function speakTo(volley: { fetch(path: string, init: RequestInit): Promise<Response> }): SendMcp {
  let ids = 0;
  return async (method, params, { client = BOTH, key = "test-key", surface = "flat", headers = {} } = {}) => {
    const { name, taskId = name } = params as { readonly name?: string; readonly taskId?: string };
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": client,
    };
    const answer = await volley.fetch(`/mcp?surface=${surface}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(typeof taskId === "string" && { "mcp-name": taskId }),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: (ids += 1), method, params: { ...params, _meta: meta } }),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
}
