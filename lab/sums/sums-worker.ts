import { IsolateBytes } from "../../src/core/egress/isolate-bytes.ts";
import worker from "../../test/sandbox/worker.ts";

/* The sandbox, with a door that tells how many bytes of responses its isolate has counted at most since it was last asked. */

export {
  ConnectionShard,
  EndpointDirectory,
  EndpointShard,
  KeyShard,
  OperatorLog,
  RunLog,
  SignInStore,
  TenantGate,
  ToolGate,
  Workspace,
} from "../../test/sandbox/worker.ts";

let most = 0;
// oxlint-disable-next-line typescript/unbound-method -- both are applied to their own object
const { take, give } = IsolateBytes.prototype;
IsolateBytes.prototype.take = function (...asked) {
  const isTaken = take.apply(this, asked);
  most = Math.max(most, this.held);
  return isTaken;
};
// Who waited is let go on by what others give back.
IsolateBytes.prototype.give = function (...given) {
  give.apply(this, given);
  most = Math.max(most, this.held);
};

// oxlint-disable-next-line import/no-default-export -- a Worker's entry is its default export
export default {
  ...worker,
  fetch(...asked: Parameters<typeof worker.fetch>) {
    if (new URL(asked[0].url).pathname !== "/sums/held") return worker.fetch(...asked);
    const answer = Response.json(most);
    most = 0;
    return answer;
  },
};
