import type { RunListener } from "../core/observe/seen.ts";
import type { RunRecorder } from "./feature.ts";

/**
 * Make one recorder of two. It is in features only, so that a Worker which lists none that records contains nothing of it, and where only one
 * is listed nothing stands between a batch and it.
 */
export function recordTogether(before: RunRecorder | undefined, recorder: RunRecorder): RunRecorder {
  if (before === undefined) return recorder;
  return {
    listen(to) {
      const [first, second] = [before.listen(to), recorder.listen(to)];
      return first === undefined || second === undefined ? (first ?? second) : listenTogether(first, second);
    },
  };
}

function listenTogether(first: RunListener, second: RunListener): RunListener {
  return {
    get joined() {
      return first.joined ?? second.joined;
    },
    saw(batch) {
      first.saw(batch);
      second.saw(batch);
    },
    refused(code) {
      first.refused?.(code);
      second.refused?.(code);
    },
    join(tags, startedAt) {
      const ends = [first.join(tags, startedAt), second.join(tags, startedAt)];
      return (end) => {
        for (const tell of ends) tell(end);
      };
    },
  };
}
