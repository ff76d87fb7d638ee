import type { ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { attempt, err, ok, type Result } from "../../core/kit/result.ts";

/** The methods of a D1 database that a tool uses. Source: https://developers.cloudflare.com/d1/worker-api/ */
interface Database {
  prepare(sql: string): Statement;
}

interface Statement {
  bind(...values: readonly Value[]): Statement;
  all(): Promise<{ readonly results: readonly unknown[] }>;
}

type Value = string | number | null;

type DataContext = Pick<ToolContext, "binding" | "caller">;

/**
 * Run one statement on the database `DATA`, which the tool must declare as a binding, and give its rows.
 *
 * `?1` is always the caller's tenant, so no query can be sent without it; `values` are `?2` and on. One statement is one
 * transaction: it takes effect whole or not at all.
 *
 * @throws {ToolFailure} `MISCONFIGURED` when there is no database or it lacks a table; `UPSTREAM_ERROR`, retryable, when it does
 * not answer. A statement that is wrong is a bug, and thrown as what the database said.
 */
export async function queryRows<Row>(
  ctx: DataContext,
  sql: string,
  ...values: readonly Value[]
): Promise<readonly Row[]> {
  const rows = await tryRows<Row>(ctx, sql, ...values);
  if (!rows.ok) throw new Error(`Cannot run statement: it offends a constraint: ${sql}`);
  return rows.value;
}

/** The same for a statement that may offend a constraint, and then has stored nothing. */
export async function tryRows<Row>(
  ctx: DataContext,
  sql: string,
  ...values: readonly Value[]
): Promise<Result<readonly Row[], "constraint">> {
  const database = ctx.binding<Database>("DATA");
  const answered = await attempt(() =>
    database
      .prepare(sql)
      .bind(ctx.caller.tenant, ...values)
      .all(),
  );
  if (answered.ok) return ok(answered.value.results as readonly Row[]);
  const said = String(answered.error);
  if (said.includes("SQLITE_CONSTRAINT")) return err("constraint");
  throw toFailure(said) ?? answered.error;
}

/** The failure that a model is told instead of the database's text; null where that is a bug in the statement. */
function toFailure(said: string): ToolFailure | null {
  if (/no such (?:table|column)/.test(said))
    return new ToolFailure("MISCONFIGURED", {
      hint: "The deployment's database lacks a table; its operator has to apply the migrations. Do without this tool until then.",
    });
  if (/SQLITE_(?:ERROR|MISMATCH|RANGE)|D1_TYPE_ERROR/.test(said)) return null;
  return new ToolFailure("UPSTREAM_ERROR", {
    hint: "The database did not answer; trying the same call again may help, and does nothing twice.",
  });
}
