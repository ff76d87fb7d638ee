/** Numbers that bound this feature, each with its reason; the others are core's. */

export { tenantToolsBytes } from "../../feature/kit.ts";

/** Objects of a tenant in a bucket that one request deletes; the answer says how many are left. */
export const objectsDeleted = 5_000;
/** Bytes of an export behind which its page ends: the declarations of a tenant are one slice, so a page is twice that, and an isolate holds it twice. */
export const exportPageBytes = 4 * 1024 * 1024;
