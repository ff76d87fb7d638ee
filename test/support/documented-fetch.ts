import { expect } from "vitest";

import { findDeviation, readOperations } from "./api-document.ts";

type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

/** Send requests to a Volley with the feature `document`, and hold each answer to what its document says of the path. */
export async function documentedFetch(volley: { readonly fetch: Fetch }): Promise<Fetch> {
  const operations = readOperations(await (await volley.fetch("/openapi.json")).text()).map((operation) => ({
    ...operation,
    pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  return async (path, init = {}) => {
    const response = await volley.fetch(path, init);
    const { method = "GET" } = init;
    const fitting = operations.filter(
      (operation) => operation.method === method && operation.pattern.test(path.split("?")[0]!),
    );
    const operation = fitting.find((one) => one.path === path.split("?")[0]) ?? fitting[0];
    if (operation === undefined) return response;
    const headers = Object.fromEntries(response.headers);
    const answer = { status: response.status, headers, text: await response.clone().text() };
    expect([operation.operationId, findDeviation(operation, answer)]).toEqual([operation.operationId, null]);
    return response;
  };
}
