import blocks from "../../../../docs/clients/receivers.md";

const LANGUAGES = { js: "JavaScript", python: "Python", go: "Go", ruby: "Ruby", php: "PHP" };

/** Functions that verify a delivery, by language: those of the page about receivers, which a test runs. */
export const VERIFY_CODE = blocks.map(
  ([name, code]) => [LANGUAGES[name as keyof typeof LANGUAGES], code] as const,
);
