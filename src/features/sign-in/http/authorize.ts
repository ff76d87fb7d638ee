/** The pages of a sign-in. They are loaded when the first of them is asked for. */
export { returnFromIssuer } from "./return-from-issuer.ts";
export { showConsent } from "./show-consent.ts";
export { takeChoice } from "./take-choice.ts";
export { takeConsent } from "./take-consent.ts";
