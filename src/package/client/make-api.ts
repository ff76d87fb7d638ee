import { type Api, OPERATIONS } from "./api.ts";
import { type KeyedOptions, readJson, type Sending, type Transport } from "./transport.ts";

type Route = readonly [
  method: "GET" | Sending["method"],
  path: string,
  takes: "body" | "query" | "nothing" | "bytes",
];

/** Make a method for every operation of the API. Its arguments are the ids of the path, what it takes, and options. */
export function makeApi(transport: Transport): Api {
  return mapValues<object>(OPERATIONS, (group) =>
    mapValues<Route>(group as Readonly<Record<string, Route>>, (route) => makeMethod(route, transport)),
  ) as Api;
}

function makeMethod(
  [method, path, takes]: Route,
  transport: Transport,
): (...given: unknown[]) => Promise<unknown> {
  const ids = path.match(/\{\w+\}/g)?.length ?? 0;
  const hasInput = takes === "body" || takes === "query";
  const read = takes === "bytes" ? async (response: Response) => response : readAnswer;
  return (...given) => {
    const left = given.slice(0, ids);
    const to = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(left.shift())));
    const input = hasInput ? (given[ids] as object | undefined) : undefined;
    const { signal, idempotencyKey } = (given[hasInput ? ids + 1 : ids] ?? {}) as KeyedOptions;
    const sending: Sending = {
      method: method === "GET" ? undefined : method,
      body: takes === "body" ? (input ?? {}) : undefined,
      accept: takes === "bytes" ? "*/*" : undefined,
      key: idempotencyKey,
      signal,
    };
    return transport.send(takes === "query" ? withQuery(to, input) : to, sending, read);
  };
}

async function readAnswer(response: Response): Promise<unknown> {
  return response.status === 204 ? undefined : readJson(response);
}

function mapValues<From>(record: Readonly<Record<string, From>>, map: (value: From) => unknown): object {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

/** A path with the parameters that are given. */
export function withQuery(path: string, query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const written = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return given.length === 0 ? path : `${path}?${written.toString()}`;
}
