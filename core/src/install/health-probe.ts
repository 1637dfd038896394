import { acpMethods } from "../acp/methods.js";
import { SymposiumError } from "../base/symposium-error.js";
import type { StartProcess } from "../conductor/component-process.js";
import { describeExit, startHint } from "../conductor/start-hint.js";
import { asObject } from "../rpc/json.js";
import type { Command } from "../settings/command.js";
import { untilAborted } from "../base/until-aborted.js";

/** What a program is in a chain, which decides how it is greeted. */
export type ProbedRole = "agent" | "proxy";

/** Rejects unless the program that was installed as `name` answers. */
export type Probe = (name: string, command: Command, role: ProbedRole, signal: AbortSignal) => Promise<void>;

const params = {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  clientInfo: { name: "symposium-install", version: "1" },
};

/** The greetings of proxies: the older is tried first, because a newer proxy refuses it politely. */
const proxyGreetings = ["_proxy/initialize", "proxy/initialize"];

/**
 * Starts the program, sends ACP's `initialize`, and ends it with everything it has started. A proxy is greeted as
 * one, and is well when it answers or greets its own successor. Rejects when nothing comes within `timeoutMs`.
 */
export function healthProbe(startProcess: StartProcess, timeoutMs = 120_000): Probe {
  return async (name, command, role, signal) => {
    const methods = role === "agent" ? [acpMethods.initialize] : proxyGreetings;
    const timeout = AbortSignal.timeout(timeoutMs);
    let resolve: (value: undefined) => void = () => undefined;
    let reject: (reason: unknown) => void = () => undefined;
    const answered = new Promise<undefined>((...settle) => ([resolve, reject] = settle));
    answered.catch(() => undefined);
    let greetings = 0;
    const greet = (): void => {
      const method = methods[greetings++];
      child.send(JSON.stringify({ jsonrpc: "2.0", id: greetings, method, params }));
    };
    await using child = startProcess(name, command, {
      line: (line) => {
        const message = parse(line);
        if (message === undefined) return;
        const isSuccessorCall = role === "proxy" && message["method"] !== undefined && message["id"] !== undefined;
        if (isSuccessorCall || (message["id"] === greetings && asObject(message["result"]))) resolve(undefined);
        else if (message["id"] === greetings && message["error"] !== undefined) {
          if (greetings < methods.length) greet();
          else reject(unhealthy(name, `it answers with the error ${JSON.stringify(message["error"])}`));
        }
      },
      oversize: () => undefined,
      end: () => undefined,
      stalled: () => undefined,
    });
    void child.exited.then((exit) => {
      const said = exit.stderrTail === "" ? "" : ` It wrote: ${exit.stderrTail}`;
      const reason = `${describeExit("the program", exit)}${said}`;
      reject(unhealthy(name, reason, startHint(command, exit)));
    });
    greet();
    try {
      await untilAborted(answered, AbortSignal.any([signal, timeout]));
    } catch (thrown) {
      signal.throwIfAborted();
      if (timeout.aborted) throw unhealthy(name, `nothing comes within ${timeoutMs} ms`);
      throw thrown;
    }
  };
}

function unhealthy(name: string, reason: string, hint?: string): SymposiumError {
  const sentence = /[.!?\n]$/.test(reason) ? reason : `${reason}.`;
  return new SymposiumError(
    "install-failed",
    `"${name}" was installed but does not answer "initialize", so it is not used: ${sentence}`,
    hint ?? "What was installed before is still in use. Try again later, or report it to its publisher.",
  );
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(JSON.parse(line));
  } catch {
    return undefined; // Many programs print a banner first.
  }
}
