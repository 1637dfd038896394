/**
 * The program that starts in a sandbox before the one that is wanted: it listens on these ports of the sandbox's own 127.0.0.1,
 * hands the listeners out over its IPC channel, closes that, and becomes the program. Where Node has no `process.execve` (added in
 * 22.15), it stays, as the parent of the program.
 *
 * Node ignores SIGPIPE, and so would the program that it becomes: `env` of GNU sets that right where it is there.
 */
const script = `
const { constants, accessSync, statSync } = require("node:fs");
const { spawn, spawnSync } = require("node:child_process");
const { createServer } = require("node:net");
const [ports, name, ...args] = process.argv.slice(1);
const fail = (code, text) => {
  process.stderr.write("symposium-acp-agent: " + text + "\\n");
  process.exit(code);
};
const servers = ports.split(",").map((port) => {
  const server = createServer();
  server.on("error", (error) => fail(125, "the network of the sandbox cannot be set up: " + error.message));
  server.listen(Number(port), "127.0.0.1", () => process.send({ port: Number(port) }, server));
  return server;
});
process.once("message", () => {
  for (const server of servers) server.close();
  process.disconnect();
});
process.once("disconnect", () => {
  delete process.env.ELECTRON_RUN_AS_NODE;
  const isProgram = (path) => {
    try {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    } catch {
      return false;
    }
  };
  const places = name.includes("/") ? [name] : (process.env.PATH || "").split(":").map((folder) => (folder || ".") + "/" + name);
  const file = places.find(isProgram);
  if (file === undefined) return fail(127, JSON.stringify(name) + " is no program in the sandbox.");
  if (process.execve) {
    const signals = "--default-signal=PIPE,XFSZ";
    const env = "/usr/bin/env";
    const isGnu = !file.includes("=") && isProgram(env) && spawnSync(env, [signals, env, "true"], { stdio: "ignore" }).status === 0;
    const words = isGnu ? [env, signals, "--", file, ...args] : [name, ...args];
    return process.execve(isGnu ? env : file, words, process.env);
  }
  const child = spawn(file, args, { stdio: "inherit", argv0: name });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(126, error.message));
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
});
`;

/** Starts in a sandbox before the program that is wanted. */
export interface Launcher {
  /** The ports follow, then the program and its arguments. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The launcher that Node runs, and an editor's own program as Node would. */
export const nodeLauncher: Launcher = {
  words: [process.execPath, "-e", script, "--"],
  env: process.versions["electron"] === undefined ? {} : { ELECTRON_RUN_AS_NODE: "1" },
};
