export { VirtualClock } from "../../src/package/testing/virtual-clock.ts";
