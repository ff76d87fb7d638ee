-- The tables of the tools in src/tools/documents and src/tools/data. Every row is a tenant's, every query is bound by it.
-- Statements are separated by an empty line.

CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL CHECK (length(tenant) BETWEEN 1 AND 64),
  document_id TEXT NOT NULL CHECK (length(document_id) BETWEEN 1 AND 200),
  title TEXT NOT NULL CHECK (length(title) <= 500),
  text TEXT NOT NULL,
  -- One word of the index, whatever the tenant's name is made of.
  owner TEXT GENERATED ALWAYS AS ('t' || hex(tenant)) VIRTUAL,
  UNIQUE (tenant, document_id)
) STRICT;

-- The owner is in the index, so that a search reads no further than its tenant's documents.
CREATE VIRTUAL TABLE documents_fts USING fts5(
  owner, title, text, content = 'documents', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER documents_inserted AFTER INSERT ON documents BEGIN
  INSERT INTO documents_fts (rowid, owner, title, text) VALUES (new.id, new.owner, new.title, new.text);
END;

CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN
  INSERT INTO documents_fts (documents_fts, rowid, owner, title, text)
    VALUES ('delete', old.id, old.owner, old.title, old.text);
END;

CREATE TRIGGER documents_updated AFTER UPDATE ON documents BEGIN
  INSERT INTO documents_fts (documents_fts, rowid, owner, title, text)
    VALUES ('delete', old.id, old.owner, old.title, old.text);
  INSERT INTO documents_fts (rowid, owner, title, text) VALUES (new.id, new.owner, new.title, new.text);
END;

CREATE TABLE contacts (
  tenant TEXT NOT NULL CHECK (length(tenant) BETWEEN 1 AND 64),
  contact_id TEXT NOT NULL DEFAULT ('c_' || lower(hex(randomblob(8)))),
  email TEXT NOT NULL COLLATE NOCASE CHECK (length(email) BETWEEN 3 AND 254),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  company TEXT CHECK (length(company) <= 200),
  created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
  -- The call that created it, and which of its rows it was: the same call again finds what it did.
  request TEXT,
  request_row INTEGER,
  PRIMARY KEY (tenant, contact_id),
  UNIQUE (tenant, email),
  UNIQUE (tenant, request, request_row)
) STRICT, WITHOUT ROWID;

CREATE TABLE orders (
  tenant TEXT NOT NULL CHECK (length(tenant) BETWEEN 1 AND 64),
  order_id TEXT NOT NULL CHECK (length(order_id) BETWEEN 1 AND 200),
  customer TEXT NOT NULL CHECK (length(customer) BETWEEN 1 AND 200),
  status TEXT NOT NULL CHECK (status IN ('pending', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded')),
  -- UTC, to the second.
  ordered_at TEXT NOT NULL CHECK (ordered_at = strftime('%Y-%m-%dT%H:%M:%SZ', ordered_at)),
  -- The smallest unit of the currency, and its ISO 4217 code.
  total_cents INTEGER NOT NULL CHECK (total_cents BETWEEN 0 AND 1000000000000),
  currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]'),
  PRIMARY KEY (tenant, order_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX orders_by_time ON orders (tenant, ordered_at);
