/**
 * Program that runs in a sandbox before the wanted program. It listens on the given ports of the sandbox's own 127.0.0.1,
 * sends the listeners over its IPC channel, closes the channel and becomes the wanted program. Without `process.execve`
 * (added in Node 22.15) it remains as the program's parent.
 *
 * Node ignores SIGPIPE, and the wanted program would inherit that: GNU `env`, if available, resets the signal.
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

/** Program that starts in a sandbox before the wanted program. */
export interface Launcher {
  /** Command line of the launcher. The caller appends the ports, the wanted program and its arguments. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Launcher that runs with Node, or with Electron in Node mode. */
export const nodeLauncher: Launcher = {
  words: [process.execPath, "-e", script, "--"],
  env: process.versions["electron"] === undefined ? {} : { ELECTRON_RUN_AS_NODE: "1" },
};
