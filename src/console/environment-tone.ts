/** The colours of names that deployments have everywhere; any other name is one of a place where nothing is at stake. */
const TONES: readonly (readonly [RegExp, string])[] = [
  [/^(?:prod|production|live)\b/i, "bad"],
  [/^(?:stag|staging|preview|pre|test|qa|uat)/i, "wait"],
];

export function toneOfEnvironment(name: string): string {
  return TONES.find(([pattern]) => pattern.test(name))?.[1] ?? "going";
}
