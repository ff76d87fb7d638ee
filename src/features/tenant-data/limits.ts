/** Numbers that bound this feature, each with its reason; the others are core's. */

export { tenantToolsBytes } from "../../feature/kit.ts";

/** Objects of a tenant in a bucket that one request deletes; the answer says how many are left. */
export const objectsDeleted = 5_000;
