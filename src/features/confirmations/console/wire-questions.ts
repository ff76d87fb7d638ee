import type { Written } from "../../../console/kit/wire.ts";
import type { confirmationSchema } from "../wire-confirmation.ts";

/** The API's answer, typed by the schema that describes it: a change there is an error of types here. */
export type WireConfirmation = Written<typeof confirmationSchema>;
