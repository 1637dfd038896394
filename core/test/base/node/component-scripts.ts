/** Sends every line back. */
export const echo = `process.stdin.pipe(process.stdout)`;

/** Says its pid, then ignores the end of its input and every signal that can be ignored. */
export const stubborn = `
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
process.stdin.resume();
setInterval(() => {}, 1000);
console.log(process.pid);
`;

const startGrandchild = (detached: boolean, stdout: "ignore" | "inherit"): string => `
const grandchild = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(
  stubborn.replace("console.log(process.pid);", 'process.send("ready"); process.disconnect();'),
)}], { detached: ${String(detached)}, stdio: ["ignore", "${stdout}", "ignore", "ipc"] });
grandchild.once("message", () => { grandchild.unref(); console.log(grandchild.pid); ready(); });
`;

/** Says the pid of a stubborn child in its own session, and itself ends with its input. */
export const parentOfDetached = `${startGrandchild(true, "ignore")} function ready() { process.stdin.resume(); }`;

/** The same, but it is as stubborn as its child. */
export const stubbornParentOfDetached = `${startGrandchild(true, "ignore")} function ready() { ${stubborn} }`;

/** Says the pid of a stubborn child in its own group, and exits at once with code 3. */
export const deserter = `${startGrandchild(false, "ignore")} function ready() { process.exit(3); }`;

/** Says the pid of a stubborn child in its own session that keeps stdout open, and exits at once. */
export const deserterOfOpenStdout = `${startGrandchild(true, "inherit")} function ready() { process.exit(0); }`;

/** Says its pid, ignores the end of its input, and says when it is asked to end. */
export const slowToLeave = `
  process.stdin.resume();
  process.on("SIGTERM", () => {
    console.log("asked to end");
    process.exit(0);
  });
  setInterval(() => {}, 1000);
  console.log(process.pid);
`;
