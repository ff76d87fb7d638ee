import type { Tool } from "../../src/core/catalog/define-tool.ts";

/** As much of a D1 database as filling one takes. */
interface Database {
  prepare(sql: string): Statement;
  batch(statements: Statement[]): Promise<unknown>;
}

interface Statement {
  first(): Promise<unknown>;
}

/** Bring an empty database up to date and fill it, in one transaction; one that has tables stays as it is. */
export async function fillDatabase(database: Database, sql: string): Promise<void> {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE name = 'documents'");
  if ((await tables.first()) !== null) return;
  const statements = sql.split(/;\n(?=\n|$)/).filter((statement) => statement.trim() !== "");
  await database.batch(statements.map((statement) => database.prepare(statement)));
}

interface SandboxEnv {
  readonly DATA?: Database;
  readonly SANDBOX_SQL?: string;
}

/**
 * Make tools that use the database fill it first, the first of them that is called: a test that uses none pays for none. Where
 * there is no database or nothing to fill it with, tools stay what they are.
 */
export function createFiller(env: object): (tool: Tool) => Tool {
  const { DATA, SANDBOX_SQL } = env as SandboxEnv;
  let filled: Promise<void> | undefined;
  return (tool) => {
    if (DATA === undefined || SANDBOX_SQL === undefined || !tool.bindings.includes("DATA")) return tool;
    const run: Tool["run"] = async (args, ctx) => {
      await (filled ??= fillDatabase(DATA, SANDBOX_SQL));
      return tool.run(args, ctx);
    };
    return { ...tool, run };
  };
}
