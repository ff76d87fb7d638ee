import { expect, test } from "vitest";

import { createCatalog } from "../../../support/create-catalog.ts";
import { listMcpTools } from "../../../../src/features/mcp/http/mcp-methods.ts";
import { contractOf } from "../../../support/fake-actions.ts";

const catalog = createCatalog(Array.from({ length: 400 }, (_, n) => contractOf(`tool_${n}`)));

/** Every page's names, as a client that follows the cursors gets them. */
function listAll(): string[][] {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = listMcpTools(catalog, "flat", cursor);
    if (page === null) throw new Error(`The cursor '${cursor}' was given and refused`);
    pages.push(page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

test("listMcpTools() offers hundreds of tools page by page: each once, and in the same order every time", () => {
  const pages = listAll();
  expect(pages.length).toBeGreaterThan(6);
  for (const page of pages.slice(0, -1)) expect(page).toHaveLength(50);
  const names = pages.flat();
  expect(new Set(names).size).toBe(names.length);
  for (const { name } of catalog.tools) expect(names).toContain(name);
  for (const name of ["execute_actions", "discover_tools", "get_tool_schema", "invoke_tool"])
    expect(pages[0]).toContain(name);
  expect(listAll()).toEqual(pages);
});

test.each(["", "0", "1", "49", "050", "50.0", "5e1", " 50", "0x32", "-50", "99950", "1e400", "NaN", "abc"])(
  "listMcpTools() refuses the cursor '%s', which was never given",
  (cursor) => {
    expect(listMcpTools(catalog, "flat", cursor)).toBeNull();
  },
);
