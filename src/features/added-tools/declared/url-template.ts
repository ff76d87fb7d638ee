/** The mark of an argument in a declaration's url and headers. */
const PLACEHOLDER = /\{([^{}]*)\}/g;

/** The arguments that a text stands for, in order, each as often as it is named. */
export function placeholdersOf(text: string): string[] {
  return Array.from(text.matchAll(PLACEHOLDER), ([, name]) => name!);
}

/** Put text in place of each argument. */
export function fillPlaceholders(text: string, fill: (argument: string) => string): string {
  return text.replaceAll(PLACEHOLDER, (_, argument: string) => fill(argument));
}

/** The url with plain text in place of its arguments: what its origin and its form are read from. */
export function sampleUrl(url: string): string {
  return fillPlaceholders(url, () => "x");
}
