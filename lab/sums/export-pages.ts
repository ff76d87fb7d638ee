import { ask } from "./caller.ts";

/** An export, as far as its size goes. */
export interface ExportPages {
  readonly pages: number;
  readonly bytes: number;
  /** The path of its largest page. */
  readonly largest: string;
}

/** Read all pages of the tenant's export. Rejects where one is refused. */
export async function readExportPages(url: string): Promise<ExportPages> {
  let [pages, bytes, most, largest] = [0, 0, 0, ""];
  for (let path = "/v1/export"; path !== "";) {
    const answer = await ask(url, { path, keepsEnd: true });
    if (answer.status !== 200) throw new Error(`Cannot export: ${answer.status} ${answer.text}`);
    pages += 1;
    bytes += answer.bytes;
    if (answer.bytes > most) [most, largest] = [answer.bytes, path];
    const cursor = /"next_cursor":"([^"]+)"\}$/.exec(answer.text)?.[1];
    path = cursor === undefined ? "" : `/v1/export?cursor=${cursor}`;
  }
  return { pages, bytes, largest };
}
