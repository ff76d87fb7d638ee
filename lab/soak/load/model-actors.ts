import type { ModelServer, ModelTurn, ScriptedTurn } from "../../../test/support/model-server.ts";
import { KEYS } from "../keys.ts";
import type { FaultWindow } from "../schedule.ts";
import type { World } from "./world.ts";

const key = KEYS.model;

/** Let the model ask for two reads, and then answer; when upstreams fail it does too, now and then. */
export function scriptModel(model: ModelServer, fault: () => FaultWindow | null, random: () => number): void {
  const turn: ScriptedTurn = ({ body }): ModelTurn => {
    // The script has one turn for as many requests as come, and remembers none of them.
    model.willSay(turn);
    model.requests.length = 0;
    const window = fault();
    if (window !== null && random() < window.share) return { status: window.kind === "429" ? 429 : 500 };
    const messages = body["messages"] as readonly { readonly role: string; readonly content: unknown }[];
    if (messages.at(-1)?.role === "tool") return { text: "That is all." };
    const n = Number(/\d+/.exec(String(messages.at(-1)?.content))?.[0] ?? 0);
    const actions = [0, 1].map((i) => ({ tool: "probe-echo", args: { n: n + i } }));
    return { calls: [{ name: "execute_actions", args: { actions } }] };
  };
  model.willSay(turn);
}

/** A turn of a conversation, whole or streamed. */
export async function chat(world: World): Promise<void> {
  const n = world.block();
  const stream = world.int(2) === 0;
  const answer = await world.json(stream ? "chat, streamed" : "chat", "POST", "/v1/chat/completions", {
    key,
    body: {
      model: "stub",
      stream,
      messages: [{ role: "user", content: `Look at ${n}` }],
      volley: { tools: ["probe"], surface: "meta", deadline_ms: 8_000 },
    },
  });
  if (answer?.status !== 200 || stream) return;
  const { volley } = JSON.parse(answer.text) as { volley?: { stopped: string; rounds: readonly unknown[] } };
  if (volley?.stopped === "answer" && volley.rounds.length !== 1)
    world.problem("chat", `answered after ${volley.rounds.length} rounds`);
}

/** A list of tools, or a call, over MCP. */
export async function callMcp(world: World): Promise<void> {
  const n = world.block();
  const isCall = world.int(3) > 0;
  const actions = [0, 1, 2].map((i) => ({ tool: "probe-echo", args: { n: n + i } }));
  const answer = await world.json(isCall ? "MCP calls" : "MCP lists", "POST", "/mcp", {
    key,
    headers: { accept: "application/json, text/event-stream" },
    body: {
      jsonrpc: "2.0",
      id: n,
      method: isCall ? "tools/call" : "tools/list",
      ...(isCall && { params: { name: "execute_actions", arguments: { actions } } }),
    },
  });
  if (answer?.status !== 200) return;
  const { id, result } = JSON.parse(answer.text) as { id: number; result?: object };
  if (id !== n || result === undefined)
    world.problem("MCP", `message ${n} is answered ${answer.text.slice(0, 200)}`);
}

/** The pages that an agent looks at before it acts, and one of people's. */
export async function look(world: World): Promise<void> {
  const get = (path: string) => world.json("lists", "GET", path, { key });
  const post = (path: string, body: object) => world.json("discovery", "POST", path, { key, body });
  const looks = [
    () => post("/v1/discover_tools", { query: "echo a number" }),
    () =>
      post("/v1/discover_tools", { queries: ["write in the background", "search items"], detail: "schema" }),
    () => post("/v1/get_tool_schema", { tool_name: "probe-echo" }),
    () => post("/v1/execute_actions", { dry_run: true, actions: [{ tool: "probe-echo", args: { n: 1 } }] }),
    () => get("/v1/tools?format=openai&surface=flat"),
    () => get("/v1/usage"),
    () => world.json("lists", "GET", "/v1/jobs?limit=20", { key: KEYS.writer }),
    () => world.json("lists", "GET", "/v1/confirmations?status=waiting", { key: KEYS.writer }),
    () => get("/healthz"),
  ];
  await looks[world.int(looks.length)]!();
}
