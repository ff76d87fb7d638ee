/** A file as a document. */
export interface SourceDocument {
  readonly document_id: string;
  readonly text: string;
}

/** D1 takes statements of 100,000 bytes; a quote is doubled, and the rest of a statement needs room too. */
const PART_CHARACTERS = 20_000;

/**
 * Write SQL that adds documents to a tenant's, and replaces those that have the same ids. A long text takes several statements.
 *
 * Source: https://developers.cloudflare.com/d1/platform/limits/
 */
export function writeDocumentsSql(tenant: string, documents: readonly SourceDocument[]): string {
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(tenant))
    throw new Error(`Cannot write documents: '${tenant}' is no tenant's name`);
  return documents.map((document) => writeDocument(tenant, document)).join("");
}

function writeDocument(tenant: string, { document_id, text }: SourceDocument): string {
  const [first = "", ...more] = partsOf(text);
  const own = `tenant = ${quote(tenant)} AND document_id = ${quote(document_id)}`;
  const values = [tenant, document_id, titleOf(text, document_id), first].map(quote).join(", ");
  const replace =
    "ON CONFLICT (tenant, document_id) DO UPDATE SET title = excluded.title, text = excluded.text";
  return [
    `INSERT INTO documents (tenant, document_id, title, text) VALUES (${values}) ${replace};\n`,
    ...more.map((part) => `UPDATE documents SET text = text || ${quote(part)} WHERE ${own};\n`),
  ].join("");
}

/** The first heading of Markdown, or else the id. */
function titleOf(text: string, id: string): string {
  const heading = /^#\s+(.+)$/m.exec(text)?.[1]?.trim();
  return (heading ?? id).slice(0, 500);
}

/** No part ends in the middle of a character. */
function partsOf(text: string): string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / PART_CHARACTERS) }, (_, at) =>
    characters.slice(at * PART_CHARACTERS, (at + 1) * PART_CHARACTERS).join(""),
  );
}

/** As SQLite reads text: quotes doubled, and no NUL, which ends it. */
function quote(text: string): string {
  return `'${text.replaceAll("\0", "").replaceAll("'", "''")}'`;
}
