import { exchange } from "./volley-client.ts";

interface Element {
  readonly index: number;
  readonly status: string;
}

interface Page {
  readonly results: readonly { readonly data: readonly Element[] }[];
  readonly next_cursor: string | null;
}

/** A loop of writes that goes on after one was lost. */
export interface LongBatch {
  /** The numbers by which the upstream knows its writes. */
  readonly numbers: readonly number[];
  readonly d: number;
}

/** Record a batch in the background. @param onRecorded called in the same turn as its 202 is complete */
export async function sendLong(
  url: string,
  { numbers, d }: LongBatch,
  { key, onRecorded = () => {} }: { readonly key?: string; readonly onRecorded?: () => void } = {},
): Promise<string> {
  const body = {
    background: true,
    deadline_ms: 900_000,
    actions: [{ tool: "probe-write-each", args: { n: { $ref: "item#" }, d }, for_each: numbers }],
  };
  const answer = await exchange(`${url}/v1/execute_actions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    onText: (_, isWhole) => void (isWhole && onRecorded()),
    ...(key !== undefined && { key }),
  });
  if (answer?.status !== 202) throw new Error(`Cannot record a batch: ${answer?.status} ${answer?.text}`);
  return (JSON.parse(answer.text) as { readonly job_id: string }).job_id;
}

/** Ask for JSON. */
export async function look<T>(url: string, key?: string): Promise<T> {
  const answer = await exchange(url, { method: "GET", ...(key !== undefined && { key }) });
  if (answer?.status !== 200) throw new Error(`Cannot look: ${answer?.status} ${answer?.text}`);
  return JSON.parse(answer.text) as T;
}

/** The elements of a batch's loop, from all pages. */
export async function elementsOf(url: string, jobId: string, key?: string): Promise<readonly Element[]> {
  const found: Element[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const asked: string = cursor === "" ? "" : `?cursor=${cursor}`;
    const page: Page = await look(`${url}/v1/jobs/${jobId}/results${asked}`, key);
    found.push(...page.results.flatMap(({ data }) => data));
    cursor = page.next_cursor;
  }
  return found;
}
