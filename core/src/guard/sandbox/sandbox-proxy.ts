import { acpMethods, sessionHandlers } from "../../base/acp/methods.js";
import type { Proxy, ProxyChain, RequestHandler } from "../../conductor/chain/proxy.js";
import { withMember } from "../../base/rpc/json-edit.js";
import { Json, stringsOf } from "../../base/rpc/json.js";
import { Outcome, Request } from "../../base/rpc/message.js";
import { type Cancel, deferredRequest, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import { refusedEditorFile } from "./editor-file.js";
import type { SandboxedAgent } from "./sandboxed-agent.js";

interface SandboxProxyParts {
  /** The agent of the chain; undefined where it is no program, or has not started. */
  readonly agent: () => Pick<SandboxedAgent, "workspaceRoots" | "canRestart" | "restart" | "settle"> | undefined;
  /** Why a folder can be no workspace of a sandbox, with the remedy. */
  readonly refusedRoot: (folder: string) => string | undefined;
  /** Whether the agent sees the first folder as a part of the second. */
  readonly isCovered: (folder: string, root: string) => boolean;
  /** Where a path leads, links followed, also where nothing is there yet. */
  readonly placeOf: (path: string) => string;
  /** A session begins with these folders. */
  readonly opened: (folders: readonly string[]) => void;
}

/**
 * Opens the sandbox of an agent for the folders of its first session, and refuses sessions elsewhere. The editor is outside: it touches no
 * file for the agent that the sandbox keeps from it, and runs no commands.
 */
export function sandboxProxy(parts: SandboxProxyParts): Proxy {
  return {
    name: "sandbox",
    connect: (chain) => {
      const gate = new SessionGate(chain, parts);
      return {
        clientRequests: {
          [acpMethods.initialize]: (request, reply) =>
            chain.successor.request(parts.agent() ? withoutTerminals(request) : request, reply),
          ...sessionHandlers<RequestHandler>((request, reply) => gate.open(request, reply)),
        },
        refuseFile: (path, isWritten) => gate.refused(path, isWritten),
        agentRequests: {
          "fs/read_text_file": (request, reply) => gate.file(request, reply, false),
          "fs/write_text_file": (request, reply) => gate.file(request, reply, true),
          "terminal/create": (request, reply) =>
            parts.agent()
              ? refuse(reply, "This agent runs in a sandbox: it starts commands itself, and none by the editor.")
              : chain.client.request(request, reply),
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

  /** Passes on a file request of the agent, unless the sandbox keeps the file from it. */
  file(request: Request, reply: Reply, isWritten: boolean): Cancel | undefined {
    const path = request.params?.object?.["path"];
    const reason = this.refused(typeof path === "string" ? path : "/", isWritten);
    if (reason === undefined) return this.chain.client.request(request, reply);
    refuse(reply, reason);
    return undefined;
  }

  /** The one check of files that the editor reads or writes for the agent, whichever way the agent asks for them. */
  refused(path: string, isWritten: boolean): string | undefined {
    const agent = this.parts.agent();
    if (!agent) return undefined;
    const place = this.parts.placeOf(path);
    const roots = agent.workspaceRoots.map((root) => this.parts.placeOf(root));
    const reason = refusedEditorFile({ place, roots }, isWritten);
    return reason === undefined ? undefined : `"${path}" is not for this agent: ${reason}.`;
  }

  #later(until: Promise<void>, request: Request, reply: Reply): Cancel {
    return deferredRequest(until, (_done, isCancelled) => {
      if (!isCancelled) return this.open(request, reply);
      reply(Outcome.error(RpcError.cancelled()));
      return undefined;
    });
  }

  #pass(request: Request, reply: Reply): Cancel {
    return this.chain.successor.request(request, reply);
  }
}

function withoutTerminals(request: Request): Request {
  const { params } = request;
  if (!params) return request;
  return new Request(request.method, withMember(params, ["clientCapabilities", "terminal"], Json.of(false)));
}

function foldersOf(request: Request): readonly string[] {
  const { cwd, additionalDirectories } = request.params?.object ?? {};
  return stringsOf([cwd, ...stringsOf(additionalDirectories)]);
}

function refuse(reply: Reply, text: string): undefined {
  reply(Outcome.error(RpcError.internal(text)));
  return undefined;
}
