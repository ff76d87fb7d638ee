import { announce } from "./announce.tsx";

/** Copy a text and say so, or that the browser does not let the page. */
export async function copyText(text: string, said = "Copied"): Promise<boolean> {
  const isDone = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  announce(isDone ? said : "This browser does not let the page copy");
  return isDone;
}

/** Copy a reference to a value of a result, such as `shops#/places/0/id`. */
export function copyReference(reference: string): void {
  void copyText(JSON.stringify({ $ref: reference }), `Copied the reference ${reference}`);
}
