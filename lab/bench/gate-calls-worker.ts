import app, {
  ConnectionShard,
  EndpointDirectory,
  EndpointShard,
  OperatorLog,
  RunLog,
  TenantGate,
  ToolGate,
} from "./volley-worker.ts";

// The bench's Volley with every call of a Durable Object counted on its way there. It is never the one that is timed.

export { ConnectionShard, EndpointDirectory, EndpointShard, OperatorLog, RunLog, TenantGate, ToolGate };

type Env = Readonly<Record<string, unknown>>;

let calls = 0;
let counted: Env | undefined;

/** `GET /gate-calls` tells how many calls left so far; everything else is Volley's. */
export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    if (new URL(request.url).pathname === "/gate-calls") return Response.json({ calls });
    counted ??= {
      ...env,
      TENANT_GATE: countCalls(env["TENANT_GATE"] as DurableObjectNamespace),
      TOOL_GATE: countCalls(env["TOOL_GATE"] as DurableObjectNamespace),
    };
    return app.fetch(request, counted, ctx);
  },
};

/** A namespace whose stubs count every method that is called on them. */
function countCalls(namespace: DurableObjectNamespace): object {
  return {
    idFromName: (name: string) => namespace.idFromName(name),
    get(id: DurableObjectId, ...options: readonly DurableObjectNamespaceGetDurableObjectOptions[]): object {
      const stub = namespace.get(id, ...options) as unknown as Record<string | symbol, unknown>;
      return new Proxy(stub, {
        get:
          (_, name) =>
          (...sent: readonly unknown[]) => {
            calls += 1;
            return (stub[name] as (...sent: readonly unknown[]) => unknown)(...sent);
          },
      });
    },
  };
}
