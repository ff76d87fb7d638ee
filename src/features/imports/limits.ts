/** Numbers that bound this feature, each with its reason; the others are core's. */

export {
  declarationBytes,
  declarationEntries,
  declarationIssues,
  importPatternUnits,
  tenantToolsBytes,
  valueBytes,
} from "../../core/contract/limits.ts";

/** The body of an import: a document of `openApiBytes`, as text with its quotes escaped, and what is said of it. */
export const importBytes = 5 * 1024 * 1024;
/** Text of an OpenAPI document: most are smaller, and those of the largest APIs are better imported in parts. */
export const openApiBytes = 4 * 1024 * 1024;
/** The same as YAML, which takes thirty times as long to read as JSON. */
export const openApiYamlBytes = 1024 * 1024;
/** Levels of an OpenAPI document: the deepest known ones have forty. */
export const openApiNesting = 100;
/** Operations of one import: as many tools as a tenant may have. */
export const openApiOperations = 500;
/** Characters of schemas that are looked at for one tool, in one of a few attempts to describe it in `declarationBytes`. */
export const openApiToolCharacters = 96 * 1024;
/** The same for all tools of one import: a second of work. */
export const openApiCharacters = 6 * 1024 * 1024;
/** The same for a tenant's imports of one minute, in one isolate: a dry run, the import, and another. */
export const tenantPatternUnits = 6_000_000;
