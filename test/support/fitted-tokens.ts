import { useTokenTables } from "../../src/core/answer/estimate-tokens.ts";
import { FITTED_TABLES } from "../../src/core/answer/token-weights.ts";

/** Tests of budgets go by the costs that the feature 'tokens' gives; a test of a Worker without it says so. */
useTokenTables(FITTED_TABLES);
