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
