/** Why mutants of the feature `keys` and of `hooks` live. */
import type { Reasons } from "../reasons.ts";
import { DEFAULT, on, SCHEMA, SHORTCUT, TIDY, TYPE, WORDS } from "../why.ts";

export const KEYS: Reasons = {
  "src/features/keys/change-key.ts": [on(TYPE, "last?.hash")],
  "src/features/keys/stored-key.ts": [on(TYPE, "FORM.exec(text)")],
  "src/features/keys/stored-key.ts": [on(TYPE, "endsAt !== null")],
  "src/features/keys/key-cache.ts": [
    on(TYPE, "open === undefined ? []"),
    on(SHORTCUT, "lane.open.get(hash) === open"),
    on(TIDY, "lane.open.delete(hash);", "answer.catch("),
  ],
  "src/features/keys/key-request.ts": [
    on(TYPE, "caller.webhookSecret !== undefined", "asked === null || asked <= nowMs"),
    on(WORDS, "issue: {"),
  ],
  "src/features/flows/hooks/check-signature.ts": [on(DEFAULT, 'headers.get(name) ?? ""')],
  "src/features/flows/hooks/hook-trigger.ts": [on(SCHEMA, ".meta({ id")],
  "src/features/flows/hooks/schemes.ts": [
    on(
      "More text than fits is no signature either, and an empty part between two of them is none.",
      "/,? +/",
      "/^v0=(.*)$/",
      "/^sha256=/",
    ),
    on("Empty words are left out next.", "secret.split("),
  ],
  "src/features/flows/hooks/webhook-secret.ts": [],
  "src/features/flows/hooks/verify-delivery.ts": [on(DEFAULT, 'sent.headers.get(name) ?? ""')],
};
