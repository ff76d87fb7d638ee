const MB = 1024 * 1024;
/** An isolate that is busy for longer is gone. */
const PATIENCE_MS = 10_000;

/**
 * Collect the garbage of a Worker's isolate, and give what is in use after that, in MB: what is kept, and nothing else. Null when
 * the inspector does not say.
 *
 * Source: the Chrome DevTools Protocol, `HeapProfiler.collectGarbage` and `Runtime.getHeapUsage`
 *
 * @param inspectorUrl where the runtime's inspector listens
 */
export async function readHeap(inspectorUrl: string): Promise<number | null> {
  try {
    const list = await fetch(`${inspectorUrl}/json`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const [target] = (await list.json()) as { readonly webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(target!.webSocketDebuggerUrl);
    try {
      return await askHeap(socket);
    } finally {
      socket.close();
    }
  } catch {
    return null;
  }
}

/** Ask one thing after the other: what is sent together is not done in turn. */
async function askHeap(socket: WebSocket): Promise<number> {
  await next(socket, "open");
  const ask = async (id: number, method: string): Promise<Answer> => {
    socket.send(JSON.stringify({ id, method }));
    for (;;) {
      const { data } = (await next(socket, "message")) as MessageEvent;
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.id === id) return answer;
    }
  };
  await ask(1, "HeapProfiler.enable");
  await ask(2, "HeapProfiler.collectGarbage");
  const { result } = await ask(3, "Runtime.getHeapUsage");
  // Bytes that buffers hold are outside of the heap.
  return (result.usedSize + result.backingStorageSize) / MB;
}

interface Answer {
  readonly id?: number;
  readonly result: { readonly usedSize: number; readonly backingStorageSize: number };
}

/** The next event of a kind; rejects when the connection breaks, or nothing comes. */
function next(socket: WebSocket, kind: "open" | "message"): Promise<Event> {
  const { promise, resolve, reject } = Promise.withResolvers<Event>();
  const over = new AbortController();
  const timer = setTimeout(() => reject(new Error("Cannot read the heap: no answer")), PATIENCE_MS);
  const { signal } = over;
  socket.addEventListener(kind, resolve, { signal });
  for (const end of ["error", "close"])
    socket.addEventListener(end, () => reject(new Error("Cannot read the heap: cut off")), { signal });
  return promise.finally(() => {
    clearTimeout(timer);
    over.abort();
  });
}
