/** A door of Volley that takes an `Idempotency-Key`, and a request there that writes `n` once. */
export interface KeyedDoor {
  readonly path: string;
  readonly bodyOf: (n: number) => object;
}

/** The flow that the door of flows runs: it writes `n`. */
export const WRITE_FLOW = {
  name: "write_n",
  flow: {
    summary: "Write a number",
    input_schema: { type: "object", properties: { n: { type: "integer" } } },
    actions: [{ id: "w", tool: "probe-write", args: { n: { $ref: "input#/n" } } }],
  },
};

const batchOf = (n: number) => ({ actions: [{ tool: "probe-write", args: { n } }] });

/** Every such door but those of models, by what comes in there. */
export const KEYED_DOORS: readonly (readonly [name: string, door: KeyedDoor])[] = [
  ["a batch", { path: "/v1/execute_actions", bodyOf: batchOf }],
  ["a call", { path: "/v1/invoke_tool", bodyOf: (n) => ({ tool_name: "probe-write", parameters: { n } }) }],
  [
    "a turn",
    {
      path: "/v1/anthropic/tool_use",
      bodyOf: (n) => ({
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "probe-write", input: { n } }],
      }),
    },
  ],
  ["a flow", { path: `/v1/flows/${WRITE_FLOW.name}/run`, bodyOf: (n) => ({ input: { n } }) }],
  [
    "calls to be ordered",
    {
      path: "/api/orchestration/batch",
      bodyOf: (n) => ({ tools: [{ id: "1", toolName: "probe-write", input: { n } }] }),
    },
  ],
  [
    "an MCP call",
    {
      path: "/mcp",
      bodyOf: (n) => ({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "execute_actions", arguments: batchOf(n) },
      }),
    },
  ],
];

/** The headers that an MCP client sends; at the other doors they change nothing. */
export const ACCEPTS_JSON = { accept: "application/json, text/event-stream;q=0.1" };
