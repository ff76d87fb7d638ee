/** The platform's `fetch`, behind so many header slots; without a number it is `fetch` itself. */
export function behindSlots(slots: string | undefined): (url: string) => Promise<Response>;
