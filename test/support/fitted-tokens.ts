import { useTokenCounter } from "../../src/core/answer/estimate-tokens.ts";
import { countO200k } from "../../src/features/tokens/count-o200k.ts";

/** Tests of budgets go by the costs that the feature 'tokens' brings; a test of a Worker without it says so. */
useTokenCounter(countO200k);
