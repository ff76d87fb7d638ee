import { VOLLEY } from "../bench/contenders.ts";
import { type Contestant, makeBatch, makePost } from "./contestant.ts";

// Volley as it is deployed, in the ways that it runs calls. Each is a process of its own.

const { source, setup } = VOLLEY;
const runs = { on: "workerd", source, setup } as const;
const readNumber: Contestant["readNumber"] = (result) => {
  const { status, data } = result as { readonly status?: string; readonly data?: { readonly n?: unknown } };
  return status === "success" ? data?.n : undefined;
};

const background: Contestant = {
  name: "volley-background",
  label: "Volley, every call in the background",
  runs,
  makeRequest: (n, first) => makeBatch(n, (i) => ({ tool: "bench-background", args: { n: first + i } })),
  // The promise is a job for each call; that they are made is looked for where they arrive.
  readNumber: (result, first) => {
    const { status, index, job_id } = result as Readonly<Record<string, unknown>>;
    return status === "initiated" && typeof job_id === "string" ? first + Number(index) : undefined;
  },
  inBackground: true,
};

const references: Contestant = {
  name: "volley-references",
  label: "Volley, all calls refer to the first",
  runs,
  makeRequest: (n, first) =>
    makeBatch(n, (i) =>
      i === 0
        ? { id: "first", tool: "bench-echo", args: { n: first } }
        : { tool: "bench-next", args: { after: { $ref: "first#/n" }, by: i } },
    ),
  readNumber,
};

const flow: Contestant = {
  name: "volley-flow",
  label: "Volley, a flow",
  runs,
  async prepare(server, _, n) {
    await put(server, `/v1/flows/bench_${n}`, {
      summary: "Echo the numbers from the first on",
      input_schema: { type: "object", properties: { first: { type: "integer" } }, required: ["first"] },
      actions: Array.from({ length: n }, (__, i) => ({
        tool: "bench-next",
        args: { after: { $ref: "input#/first" }, by: i },
      })),
    });
  },
  makeRequest: (n, first) => makePost(`/v1/flows/bench_${n}/run`, { input: { first } }),
  readNumber,
};

const registered: Contestant = {
  name: "volley-registered",
  label: "Volley, a tool added while running",
  runs,
  async prepare(server, upstream) {
    await put(server, "/v1/tools/bench_added", {
      summary: "Echo a number",
      description: "Echo a number.",
      category: "bench",
      actions: ["read"],
      is_write: false,
      input_schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      http: { method: "GET", url: `${upstream}/echo`, query: ["n"] },
    });
  },
  makeRequest: (n, first) => makeBatch(n, (i) => ({ tool: "bench_added", args: { n: first + i } })),
  readNumber,
};

const plain: Omit<Contestant, "name" | "label"> = {
  runs,
  makeRequest: (n, first) => makeBatch(n, (i) => ({ tool: "bench-echo", args: { n: first + i } })),
  readNumber,
};

export const VOLLEYS: readonly Contestant[] = [
  {
    name: "volley",
    label: "Volley, its six slots",
    ...plain,
  },
  {
    name: "volley-unlimited",
    label: "Volley, no slots, as the others here",
    ...plain,
    runs: { ...runs, setup: { ...setup, vars: { ...setup?.vars, VOLLEY_HEADER_SLOTS: "unlimited" } } },
  },
  references,
  flow,
  registered,
  background,
];

async function put(server: string, path: string, body: unknown): Promise<void> {
  const request = makePost(path, body);
  const response = await fetch(server + path, {
    method: "PUT",
    headers: request.headers,
    body: request.body,
  });
  if (!response.ok) throw new Error(`Cannot put ${path}: ${response.status} ${await response.text()}`);
}
