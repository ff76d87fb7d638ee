/** Who asks: keys, their rights and quotas, and the accounts of subjects. */

export { subjectField } from "../core/contract/gate/account-fields.ts";
export {
  type Caller,
  fittingFlags,
  KEY_NAME,
  mayDo,
  mostRequests,
  SUBJECT_FLAGS,
} from "../core/contract/gate/caller.ts";
export { quota, quotaWindowS } from "../core/contract/limits.ts";
export { toQuota } from "../core/gate/admit-plan.ts";
export { KeyMemory } from "../core/gate/key-memory.ts";
