/** Say how many, with the word for one or for several. */
export function count(size: number, one: string, several = `${one}s`): string {
  return `${size.toLocaleString("en")} ${size === 1 ? one : several}`;
}
