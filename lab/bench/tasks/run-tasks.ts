import { reportTasks, reportTimes } from "./report-tasks.ts";
import { solveAll } from "./solve-all.ts";

const solved = process.argv.includes("--live")
  ? await (await import("./solve-live.ts")).solveLive()
  : await solveAll();
console.log(`${reportTimes()}\n\n${reportTasks(solved).join("\n")}`);
