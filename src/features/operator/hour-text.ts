import type { CountedTenant, TenantRow, ToolRow } from "./operator.ts";

/**
 * One part of an hour as a row keeps it: the counts of its tenants as one list, which every overview reads, and those of their tools a
 * line each under the tenant's name, of which an overview reads the lines of the tenants that it shows.
 */
export interface HourText {
  readonly heads: string;
  readonly tools: string;
}

/** Write a part of an hour down. */
export function toHourText(counted: Iterable<CountedTenant>): HourText {
  const all = [...counted];
  return {
    heads: JSON.stringify(all.map(({ row }) => row)),
    tools: all.map(({ row, tools }) => `\n${row[0]}\t${JSON.stringify(tools)}`).join(""),
  };
}

/** Read the tenants of a part. */
export function readHeads(heads: string): readonly TenantRow[] {
  return JSON.parse(heads) as TenantRow[];
}

/** Read the tools of one tenant of a part; none where it is not in it. */
export function readTools(tools: string, tenant: string): readonly ToolRow[] {
  const sought = `\n${tenant}\t`;
  const at = tools.indexOf(sought);
  if (at === -1) return [];
  const end = tools.indexOf("\n", at + 1);
  return JSON.parse(tools.slice(at + sought.length, end === -1 ? undefined : end)) as ToolRow[];
}

/** Read a part whole. */
export function readHour({ heads, tools }: HourText): CountedTenant[] {
  return readHeads(heads).map((row) => ({ row, tools: readTools(tools, row[0]) }));
}

/** The part of every hour that a tenant's counts are in. */
export function partOfTenant(tenant: string, parts: number): number {
  let hash = 0;
  for (let at = 0; at < tenant.length; at += 1) hash = (Math.imul(hash, 31) + tenant.charCodeAt(at)) >>> 0;
  return hash % parts;
}
