import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        // The pure core and the tools, in Node: milliseconds, virtual time.
        test: {
          name: "core",
          include: ["test/**/*.test.ts"],
          exclude: ["test/edge/**", "test/harness/**", "test/chaos/**"],
        },
      },
    ],
  },
});
