import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import type { HostileUpstream } from "../../test/support/hostile-upstream.ts";
import { type Answer, ask, times } from "./caller.ts";

const KIB = 1_024;
const x = (characters: number): string => "x".repeat(characters);

/** The ids that readers ask for. */
export interface Filled {
  readonly run: string;
  readonly job: string;
  readonly background: string;
  readonly question: string;
  readonly answered: string;
  readonly link: string;
  readonly event: string;
  readonly delivery: string;
  readonly portal: string;
  readonly connection: string;
}

/** How much there is of what. */
export const AMOUNTS = {
  tools: 400,
  flows: 100,
  runs: 20_000,
  jobs: 1_000,
  questions: 190,
  remembered: 50,
  keys: 500,
  connections: 100,
  endpoints: 2_000,
  types: 500,
  events: 320,
  deliveries: 1_000,
} as const;

/** Fill the tenant's stores through the doors that callers have. */
export async function fill(url: string, upstream: HostileUpstream): Promise<Filled> {
  const send = async (method: "POST" | "PUT", path: string, body: object): Promise<Answer> => {
    const answer = await ask(url, { method, path, body: JSON.stringify(body) });
    if (answer.status >= 300 || answer.status === 0)
      throw new Error(`Cannot fill ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return answer;
  };
  const get = async (path: string, key?: string) =>
    JSON.parse((await ask(url, { path, ...(key && { key }) })).text);
  const execute = async (actions: readonly object[], more: object = {}) =>
    JSON.parse((await send("POST", "/v1/execute_actions", { actions, ...more })).text);
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const at = performance.now();
    const made = await work();
    console.log(`filled ${name} in ${((performance.now() - at) / 1_000).toFixed(0)} s`);
    return made;
  };
  const json = (body: unknown) => (_: unknown, response: ServerResponse) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  // A loop of a thousand keeps four KiB of each.
  upstream.script("/4k", json({ text: x(3_900) }));
  upstream.script("/5k", json({ text: x(5 * KIB) }));
  upstream.script("/item", json({ text: x(900 * KIB) }));
  upstream.script("/sink", (_, response) => void response.writeHead(204).end());

  const run = await step("runs", async () => {
    const wide = Array.from({ length: 50 }, () => ({ tool: "probe-any", args: { path: "/5k" } }));
    const { batch_id: large } = await execute(wide, { tags: ["large"] });
    const { batch_id: small } = await execute([{ tool: "probe-echo", args: { n: 1 } }], { tags: ["small"] });
    await sleep(3_000);
    const { runs } = (await get("/v1/export")) as { runs: { at: number; head: { id: string } }[] };
    const put = async (id: string, count: number, atOnce: number): Promise<void> => {
      const text = JSON.stringify(runs.find(({ head }) => head.id === id));
      await times(
        Math.ceil(count / atOnce),
        async (page) => {
          const copies = Array.from({ length: atOnce }, (_, n) =>
            text
              .replaceAll(id, randomUUID())
              .replace(/"at":\d+/, `"at":${Date.now() - 60_000 - 100 * (page * atOnce + n)}`),
          );
          const body = `{"runs":[${copies.join(",")}]}`;
          const answer = await ask(url, { method: "PUT", path: "/v1/runs", body });
          if (answer.status !== 200) throw new Error(`Cannot fill runs: ${answer.status} ${answer.text}`);
        },
        2,
      );
    };
    await put(large, 200, 4);
    await put(small, AMOUNTS.runs, 1_000);
    return large as string;
  });
  const job = await step("jobs", async () => {
    let last = "";
    for (let n = 0; n < AMOUNTS.jobs; n += 250) {
      const loops = Array.from({ length: 10 }, () => ({
        tool: "probe-background",
        args: { n: { $ref: "item#" } },
        for_each: Array.from({ length: 25 }, (_, at) => n + at),
      }));
      const { results } = await execute(loops);
      last = results[0].data?.[0]?.job_id ?? last;
      await sleep(1_500);
    }
    return last === "" ? (await get("/v1/jobs?limit=1")).jobs[0].job_id : last;
  });
  const background = await step("a batch in the background", async () => {
    const action = {
      tool: "probe-any",
      args: { path: "/4k" },
      for_each: Array.from({ length: 1_000 }, (_, n) => n),
    };
    const { job_id: id } = await execute([action], { background: true });
    while (["running", "retrying"].includes((await get(`/v1/jobs/${id}`)).status)) await sleep(500);
    return id as string;
  });
  const [question, answered, link] = await step("questions", async () => {
    const ids: string[] = [];
    await times(
      AMOUNTS.questions - 1,
      async (n) => {
        // One question is about all that depend on each other.
        const asked = Array.from({ length: 4 }, (_, at) => ({
          id: `a${at}`,
          tool: "probe-delete",
          args: { id: `${n}-${at}-${x(50 * KIB)}` },
          ...(at > 0 && { depends_on: [`a${at - 1}`] }),
        }));
        const { results } = await execute(asked);
        ids.push(results[0].confirmation.id);
      },
      4,
    );
    const { results } = await execute([{ tool: "probe-delete", args: { id: 1 } }]);
    const done: string = results[0].confirmation.id;
    await send("POST", `/v1/confirmations/${done}`, { decision: "approve" });
    const { url: address } = JSON.parse(
      (await send("POST", `/v1/confirmations/${ids[0]}/link`, { name: "Ada" })).text,
    );
    return [ids[0]!, done, new URL(address).pathname] as const;
  });
  await step("keys", () =>
    times(AMOUNTS.keys, (n) => send("POST", "/v1/keys", { name: `made-${n}`, tools: ["probe-echo"] })),
  );
  const connection = await step("connections", async () => {
    let id = "";
    await times(AMOUNTS.connections, async (n) => {
      const wish = { connector: "crm", subject: `subject-${n}-${x(200)}`, secret: `key-${n}` };
      id = JSON.parse((await send("POST", "/v1/connections", wish)).text).connection_id;
    });
    return id;
  });
  await step("endpoints", async () => {
    const settings = { url: `${upstream.url}/sink` };
    await times(50, (n) =>
      send("PUT", `/v1/endpoints/large-${n}`, {
        ...settings,
        customer: "c1",
        events: ["*", ...Array.from({ length: 99 }, (_, at) => `none.${x(130)}${at}`)],
      }),
    );
    await times(AMOUNTS.endpoints - 50, (n) =>
      send("PUT", `/v1/endpoints/small-${n}`, {
        ...settings,
        customer: `small-${n % 100}`,
        events: ["none"],
      }),
    );
  });
  await step("event types", () =>
    times(
      AMOUNTS.types,
      (n) =>
        send("PUT", `/v1/event_types/type-${n}`, { description: "A type", example: { text: x(8 * KIB) } }),
      4,
    ),
  );
  const event = await step("events", async () => {
    const data = { text: x(60 * KIB) };
    await times(
      AMOUNTS.events / 64,
      async () => {
        await send("POST", "/v1/events/batch", {
          events: Array.from({ length: 64 }, () => ({ type: "large", data, customer: "none" })),
        });
      },
      2,
    );
    let id = "";
    await times(
      AMOUNTS.deliveries / 50,
      async () => {
        id = JSON.parse(
          (await send("POST", "/v1/events", { type: "paid", data, customer: "c1" })).text,
        ).event_id;
      },
      2,
    );
    return id;
  });
  const [delivery, portal] = await step("deliveries", async () => {
    await sleep(5_000);
    const { deliveries } = await get("/v1/deliveries?endpoint=large-1&limit=1");
    const made = JSON.parse(
      (await send("POST", "/v1/portal_links", { customer: "c1", expires_in_s: 86_400 })).text,
    );
    return [deliveries[0].delivery_id as string, new URL(made.url).hash.slice("#token=".length)] as const;
  });
  await step("tools and flows", async () => {
    const declare = (n: number) => ({
      summary: `Tool ${n}`,
      description: x(8_000),
      category: "full",
      actions: ["update"],
      is_write: true,
      input_schema: { type: "object", properties: { n: { type: "integer", description: x(7_000) } } },
      http: { method: "POST", url: `${upstream.url}/write` },
      orchestration: { mode: "parallel-safe", confirm: "always" },
    });
    await times(AMOUNTS.tools, (n) => send("PUT", `/v1/tools/full-${n}`, declare(n)), 4);
    await times(
      AMOUNTS.flows,
      (n) =>
        send("PUT", `/v1/flows/flow-${n}`, {
          summary: `Flow ${n}`,
          description: x(8_000),
          input_schema: { type: "object", properties: { n: { type: "integer", description: x(7_000) } } },
          actions: [{ id: "one", tool: "probe-echo", args: { n: 1 } }],
          answer: { $ref: "one#/n" },
        }),
      4,
    );
  });
  await step("remembered yeses", () =>
    times(
      AMOUNTS.remembered,
      async (n) => {
        const { results } = await execute([{ tool: `full-${n}`, args: { n } }]);
        await send("POST", `/v1/confirmations/${results[0].confirmation.id}`, {
          decision: "approve",
          remember_s: 86_400,
        });
      },
      4,
    ),
  );
  return { run, job, background, question, answered, link, event, delivery, portal, connection };
}
