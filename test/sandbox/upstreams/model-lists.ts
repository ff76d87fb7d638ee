/**
 * Answer what a model's server tells of itself: its models, in OpenAI's words or, where the request has `anthropic-version`, in Anthropic's;
 * and the tokens of a conversation, four characters each. Undefined for every other path.
 */
export function tellOfServer(call: string, isAnthropic: boolean, body: string): object | undefined {
  switch (call.replace(/\?.*/s, "")) {
    case "GET /v1/models":
      return isAnthropic
        ? {
            data: [toAnthropicModel("claude-sandbox")],
            has_more: false,
            first_id: "claude-sandbox",
            last_id: "claude-sandbox",
          }
        : {
            object: "list",
            data: [{ id: "sandbox-model", object: "model", created: 1_793_620_800, owned_by: "sandbox" }],
          };
    case "POST /v1/messages/count_tokens":
      return { input_tokens: Math.ceil(body.length / 4) };
    default:
      return undefined;
  }
}

function toAnthropicModel(id: string): object {
  return { type: "model", id, display_name: "Sandbox", created_at: "2026-11-02T00:00:00Z" };
}
