import { routeUpstream } from "../sandbox/upstreams/route-upstream.ts";
import { INSTANT_PORTS } from "../support/instant-ports.ts";

/** Send a request to a stand-in as any client would, and read its status and JSON. */
export async function callStandIn(url: string, init: RequestInit = {}) {
  const answer = routeUpstream(new Request(url, init), INSTANT_PORTS);
  if (answer === null) throw new Error(`Cannot call '${url}': no stand-in has that host`);
  const response = await answer;
  const text = await response.text();
  const body: unknown = text === "" ? null : JSON.parse(text);
  return { status: response.status, body };
}
