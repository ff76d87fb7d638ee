/**
 * What telling a model of its tools costs, by surface, size of the catalog and format.
 *
 *   npm run bench:tokens
 */
import { TOOL_FORMATS } from "../../../src/formats/tool-list.ts";
import { readCatalogue } from "../../fixtures/catalogue/read-catalogue.ts";
import { reportTokens } from "./measure-tokens.ts";

const tools = readCatalogue();
for (const format of TOOL_FORMATS) {
  console.log(`format=${format}, in tokens (o200k)\n`);
  for (const line of reportTokens(tools, format)) console.log(line);
  console.log("");
}
