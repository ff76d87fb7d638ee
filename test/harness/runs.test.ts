import { describe, expect, test } from "vitest";

import { signHook } from "../support/hook-sender.ts";
