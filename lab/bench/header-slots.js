// On Cloudflare the seventh fetch of a request waits for the headers of one of the first six. Raw workerd has no such
// rule, so where the wait is measured too, a baseline keeps it itself.
export function behindSlots(slots) {
  if (slots === undefined) return fetch;
  let free = Number(slots);
  const waiting = [];
  return async (url) => {
    if (free > 0) free -= 1;
    else await new Promise((resolve) => waiting.push(resolve));
    try {
      return await fetch(url);
    } finally {
      if (waiting.length > 0) waiting.shift()();
      else free += 1;
    }
  };
}
