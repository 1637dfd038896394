import { acpMethods } from "../../acp/methods.js";
import type { Proxy, ProxyChain, RequestHandler } from "../../conductor/proxy.js";
import { Outcome, type Request } from "../../rpc/message.js";
import type { Cancel, Reply } from "../../rpc/peer.js";
import { RpcError } from "../../rpc/rpc-error.js";
import type { SandboxedAgent } from "./sandboxed-agent.js";

interface SandboxProxyParts {
  /** The agent of the chain; undefined where it is no program, or has not started. */
  readonly agent: () => SandboxedAgent | undefined;
  /** Why a folder can be no workspace of a sandbox, with the remedy. */
  readonly refusedRoot: (folder: string) => string | undefined;
  /** Whether the agent sees the first folder as a part of the second. */
  readonly isCovered: (folder: string, root: string) => boolean;
  /** A session begins with these folders. */
  readonly opened: (folders: readonly string[]) => void;
}

/** Opens the sandbox of an agent for the folders of its first session, and refuses sessions elsewhere. */
export function sandboxProxy(parts: SandboxProxyParts): Proxy {
  return {
    name: "sandbox",
    connect: (chain) => {
      const gate = new SessionGate(chain, parts);
      const open: RequestHandler = (request, reply) => gate.open(request, reply);
      return {
        clientRequests: {
          [acpMethods.sessionNew]: open,
          [acpMethods.sessionLoad]: open,
          [acpMethods.sessionResume]: open,
          [acpMethods.sessionFork]: open,
        },
      };
    },
  };
}

class SessionGate {
  /** A restart under way, for which other sessions wait. */
  #restart: Promise<void> | undefined;

  constructor(
    private readonly chain: ProxyChain,
    private readonly parts: SandboxProxyParts,
  ) {}

  open(request: Request, reply: Reply): Cancel | undefined {
    const agent = this.parts.agent();
    const folders = foldersOf(request);
    if (!agent || folders.length === 0) return this.#pass(request, reply);
    if (this.#restart) return this.#later(this.#restart, request, reply);
    const refusal = folders.map((folder) => this.parts.refusedRoot(folder)).find((text) => text !== undefined);
    if (refusal !== undefined) {
      refuse(reply, `This agent runs in a sandbox. ${refusal}`);
      return;
    }
    const { isCovered } = this.parts;
    const uncovered = folders.filter((folder) => !agent.workspaceRoots.some((root) => isCovered(folder, root)));
    if (uncovered.length === 0) {
      agent.settle();
      this.parts.opened(folders);
      return this.#pass(request, reply);
    }
    if (!agent.canRestart) {
      refuse(
        reply,
        `The sandbox of this agent is open for ${agent.workspaceRoots.map((root) => `"${root}"`).join(", ")}, and "${uncovered[0] ?? ""}" is elsewhere. ` +
          "End its sessions and start the agent again, or use another window for that folder.",
      );
      return;
    }
    const restart = agent.restart(folders);
    this.#restart = restart.finally(() => (this.#restart = undefined));
    return this.#later(this.#restart, request, reply);
  }

  #later(until: Promise<void>, request: Request, reply: Reply): Cancel {
    let isCancelled = false;
    let cancel: Cancel | undefined;
    void until.then(() => {
      if (isCancelled) reply(Outcome.error(RpcError.cancelled()));
      else cancel = this.open(request, reply);
    });
    return () => {
      isCancelled = true;
      cancel?.();
    };
  }

  #pass(request: Request, reply: Reply): Cancel {
    return this.chain.successor.request(request, reply);
  }
}

function foldersOf(request: Request): readonly string[] {
  const { cwd, additionalDirectories } = request.params?.object ?? {};
  const more: readonly unknown[] = Array.isArray(additionalDirectories) ? additionalDirectories : [];
  return [cwd, ...more].filter((one) => typeof one === "string");
}

function refuse(reply: Reply, text: string): undefined {
  reply(Outcome.error(RpcError.internal(text)));
  return undefined;
}
