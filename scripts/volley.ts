/**
 * `volley` the command: `npx volley dev | key | tools | flows | restore | deploy | doctor`, in a project and in this repository.
 *
 * This file is all that an old Node has to understand: what it loads is written for a newer one.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(
    `volley needs Node 22.13 or newer, and this is ${process.version}. In a project that has Volley as a dependency 'npx volley' brings one along on Linux; elsewhere install it from https://nodejs.org.`,
  );
  process.exitCode = 2;
} else {
  const { runCommand } = await import("./command/run-command.ts");
  process.exitCode = await runCommand(process.argv.slice(2));
}
