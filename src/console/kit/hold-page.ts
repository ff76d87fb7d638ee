/**
 * Let the browser ask before the page goes, until something that was sent has its answer. A page that is left takes its
 * connection with it: the rest of what was sent under a key goes on, and its answer has no reader.
 */
export async function holdPage<T>(answer: Promise<T>): Promise<T> {
  const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
  addEventListener("beforeunload", stay);
  try {
    return await answer;
  } finally {
    removeEventListener("beforeunload", stay);
  }
}
