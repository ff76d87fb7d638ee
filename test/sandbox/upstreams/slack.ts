import type { Access } from "./account-server.ts";

const CHANNELS: Readonly<Record<string, string>> = { "#general": "C0000001", C0000001: "C0000001" };

/** How many messages were posted. */
let posted = 0;

/** Answer as Slack's Web API, which refuses under status 200: https://docs.slack.dev/reference/methods/chat.postMessage */
export async function answerSlack(request: Request, access: Access): Promise<Response> {
  if (new URL(request.url).pathname !== "/api/chat.postMessage") return refuse("unknown_method");
  if (!access.scopes.includes("chat:write")) return refuse("missing_scope");
  if (
    request.method !== "POST" ||
    !(request.headers.get("content-type") ?? "").startsWith("application/json")
  )
    return refuse("invalid_post_type");
  const { channel, text } = (await request.json()) as Record<string, unknown>;
  const id = CHANNELS[String(channel)];
  if (id === undefined) return refuse("channel_not_found");
  if (typeof text !== "string" || text === "") return refuse("no_text");
  posted += 1;
  const ts = `1762074000.${String(posted).padStart(6, "0")}`;
  return Response.json({
    ok: true,
    channel: id,
    ts,
    message: { type: "message", user: access.account, text, ts },
  });
}

function refuse(error: string): Response {
  return Response.json({ ok: false, error });
}
