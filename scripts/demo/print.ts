import type { Envelope, Result, VolleyClient } from "./volley-client.ts";
import { drawLine, paint } from "./waterfall.ts";

export function heading(text: string): void {
  console.log(`\n${paint("bold", text)}\n`);
}

/** Run a batch and draw each result the moment it arrives, named by its tool or by its id. */
export function show(
  client: VolleyClient,
  actions: readonly unknown[],
  { nameOf = ({ tool }) => tool, sayNote = noteOf, fields = {} }: Saying = {},
): Promise<Envelope> {
  const draw = (result: Result, elapsedMs: number): void =>
    console.log(drawLine(result, { name: nameOf(result), elapsedMs, note: sayNote(result) }));
  return client.execute(actions, draw, fields);
}

interface Saying {
  readonly nameOf?: (result: Result) => string;
  readonly sayNote?: (result: Result) => string;
  /** Fields of the batch. */
  readonly fields?: object;
}

/** The note on a result, in a few words. */
export function noteOf(result: Result): string {
  if (result.error !== undefined)
    return result.because === undefined ? result.error.code : `because of '${result.because}'`;
  if (result.job_id !== undefined) return `job ${shorten(result.job_id)}`;
  const { data, meta } = result;
  if (meta.items !== undefined) return `${meta.items.ok} of ${meta.items.total}`;
  const list = Object.entries(data as object).find(([, value]) => Array.isArray(value));
  return list === undefined ? "" : `${(list[1] as unknown[]).length} ${list[0]}`;
}

export function summarise({ results, summary }: Envelope): void {
  const counts = Object.entries(summary).filter(([name, count]) => name !== "total" && count > 0);
  const said = counts.map(([name, count]) => `${count} ${name}`).join(", ");
  console.log(`\n  ${results.length} of ${summary["total"]} results, in the order asked: ${said}.`);
}

/** The head of a job's id: enough to recognise it. */
export function shorten(id: string): string {
  return `${id.slice(0, 8)}…`;
}
