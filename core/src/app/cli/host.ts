import { readFile } from "node:fs/promises";
import { askHost } from "../../sessions/host/node/host-connection.js";
import { hostAddress } from "../../sessions/host/node/host-address.js";
import { SymposiumError } from "../../base/symposium-error.js";
import { statusOf } from "../../sessions/host/node/live-sessions.js";
import { safeLine } from "./terminal-chat/safe-text.js";
import { startHost } from "../../sessions/host/node/start-host.js";
import { jsonOption } from "./options.js";
import { subcommand, subcommandGroup } from "./subcommand.js";

const none = "The host isn't running.";

const start = subcommand({
  name: "host start",
  about: "Start the host, or print the address of the running one.",
  async run() {
    const address = await hostAddress();
    const running = await askHost(address, "status");
    if (running === undefined) {
      const said = await startHost(address);
      if (said !== "ready")
        throw new SymposiumError("host-failed", `The host did not start: ${said}.`, `See ${address.logFile}.`);
    }
    const { socket, pid } = statusOf(running ?? (await askHost(address, "status")) ?? "{}");
    return print(
      `${running === undefined ? "The host has started" : "The host is already running"}: ${socket} (process ${pid}).`,
    );
  },
});

const stop = subcommand({
  name: "host stop",
  about: "Stop the host, with all of its sessions and agents.",
  async run() {
    const text = await askHost(await hostAddress(), "stop");
    if (text === undefined) return print(none, 1);
    const busy = statusOf(text).sessions.filter(({ state }) => state === "working" || state === "waiting").length;
    return print(
      busy === 0 ? "Stopping the host." : `Stopping the host and ending ${busy} ${busy === 1 ? "turn" : "turns"}.`,
    );
  },
});

const status = subcommand({
  name: "host status",
  about: "Show the host's address and its sessions.",
  options: {
    ...jsonOption,
    on: { value: "MACHINE", about: "ask the host on MACHINE, such as ssh:HOST, and print its status as JSON" },
    copy: { about: "with --on: copy this version there if Symposium is missing" },
  },
  async run({ values }) {
    if (values.on !== undefined) {
      const { printStatusThere } = await import("./other-machine.js");
      return printStatusThere(values.on, values.copy === true);
    }
    const text = await askHost(await hostAddress(), "status");
    if (text === undefined) return print(values.json ? "null" : none, 1);
    if (values.json) return print(text.trim());
    const { socket, pid, version, startedAt, clients, sessions } = statusOf(text);
    const head = `Version ${version}, process ${pid}, since ${startedAt}, at ${socket}\nClients: ${clients}`;
    const rows = sessions.map(
      ({ state, isAttached, title, sessionId, cwd }) =>
        `${state}${isAttached ? "" : ", no window"}  ${title === "" ? sessionId : title}  ${cwd}`,
    );
    return print([head, ...rows.map(safeLine)].join("\n"));
  },
});

const logs = subcommand({
  name: "host logs",
  about: "Print the host's log. It contains no prompts, file names or variables.",
  async run() {
    const { logFile } = await hostAddress();
    const text = await readFile(logFile, "utf8").catch(() => undefined);
    return text === undefined ? print("The host has not written a log yet.", 1) : print(text.trimEnd());
  },
});

const serve = subcommand({
  name: "host serve",
  about: "Run the host in this process; `host start` starts this in the background.",
  async run() {
    const { serveHost } = await import("./host/serve.js");
    return serveHost();
  },
});

const stdio = subcommand({
  name: "host --stdio",
  about: "Connect a client on another machine with the host here. `--on` runs this there.",
  async run() {
    const { serveStdio } = await import("./host/remote-client-bridge.js");
    return serveStdio();
  },
});

export const host = subcommandGroup({
  name: "host",
  about: "Manage the host, a background process that keeps sessions running when their window closes.",
  members: {
    start: { about: "start the host, or print its address", load: () => Promise.resolve(start) },
    stop: { about: "stop the host, its sessions and agents", load: () => Promise.resolve(stop) },
    status: { about: "show the host's address, clients and sessions", load: () => Promise.resolve(status) },
    logs: { about: "print the host's log", load: () => Promise.resolve(logs) },
    serve: { about: "run it in this process", load: () => Promise.resolve(serve), isHidden: true },
    "--listen": {
      about: "serve its sessions over HTTP and WebSocket",
      load: async () => (await import("./host/listen.js")).listen,
    },
    "--stdio": {
      about: "connect a client on another machine with it",
      load: () => Promise.resolve(stdio),
      isHidden: true,
    },
  },
});

function print(text: string, exitCode = 0): number {
  process.stdout.write(`${text}\n`);
  return exitCode;
}
