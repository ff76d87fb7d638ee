/**
 * A request for every body that a path takes: each is one that the sandbox answers with 200. None holds a `$ref`, because
 * tools that read the document would follow it.
 */
export const EXAMPLES = {
  batch: {
    actions: [
      {
        id: "shops",
        tool: "google-maps-search",
        args: { query: "oil change near Phoenix, AZ", max_results: 2 },
      },
      { id: "weather", tool: "get_weather", args: { city: "Phoenix" } },
      {
        tool: "send_email",
        args: {
          to: ["you@example.com"],
          subject: { $template: "{{shops#/places/0/name}}" },
          body: { $template: "It is {{weather#/current/condition}} at {{shops#/places/0/address}}." },
        },
      },
    ],
    on_error: "partial-success",
    deadline_ms: 15_000,
  },
  discovery: { query: "weather in Phoenix", limit: 3 },
  toolName: { tool_name: "get_weather" },
  invocation: { tool_name: "get_weather", parameters: { city: "Phoenix" } },
  decision: { decision: "approve" },
  chatTurn: {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Phoenix"}' } },
    ],
  },
  responsesTurn: {
    output: [
      {
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name: "get_weather",
        arguments: '{"city":"Phoenix"}',
      },
    ],
  },
  anthropicTurn: {
    role: "assistant",
    content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Phoenix" } }],
  },
  geminiTurn: {
    role: "model",
    parts: [{ functionCall: { name: "get_weather", args: { city: "Phoenix" } } }],
  },
  orchestration: {
    tools: [
      { id: "1", toolName: "read", input: { path: "README.md" } },
      { id: "2", toolName: "bash", input: { command: "ls src" } },
      { id: "3", toolName: "write", input: { path: "notes.md", content: "Hi" } },
    ],
  },
  rpc: { jsonrpc: "2.0", id: 1, method: "tools/list" },
} as const;
