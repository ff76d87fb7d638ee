import type { Written } from "../../../core/contract/lazy-schema.ts";
import type { confirmationSchema } from "../wire-confirmation.ts";

/** The API's answer, typed by the schema that describes it: a change there is an error of types here. */
export type WireConfirmation = Written<typeof confirmationSchema>;
