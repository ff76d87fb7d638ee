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
