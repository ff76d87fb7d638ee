import type { Feature } from "../../test/pairs/matrix.ts";
import { GUARDS_OF_BATCHES } from "./guards-of-batches.ts";
import { GUARDS_OF_DOORS_AND_TENANTS } from "./guards-of-doors-and-tenants.ts";
import type { PlantedFault } from "./planted-faults.ts";

/** A change of one place of `src` that takes a guard between two features away. The test of their cell in test/pairs has to be red with it. */
export interface Guard extends PlantedFault {
  readonly pair: readonly [Feature, Feature];
}

export const GUARDS: readonly Guard[] = [...GUARDS_OF_BATCHES, ...GUARDS_OF_DOORS_AND_TENANTS];
