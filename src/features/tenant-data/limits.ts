/** Numbers that bound this feature, each with its reason; the others are core's. */

export { tenantToolsBytes } from "../../feature/kit.ts";

/** Objects of a tenant in a bucket that one request deletes; what is left is said. */
export const objectsDeleted = 5_000;
