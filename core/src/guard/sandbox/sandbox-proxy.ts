import { acpMethods, sessionHandlers } from "../../base/acp/methods.js";
import type { Proxy, ProxyChain, RequestHandler } from "../../conductor/chain/proxy.js";
import { withMember } from "../../base/rpc/json-edit.js";
import { Json, stringsOf } from "../../base/rpc/json.js";
import { Outcome, Request } from "../../base/rpc/message.js";
import { type Cancel, deferredRequest, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import { refusedEditorFile } from "./editor-file.js";
import type { SandboxedAgent } from "./restart-with-session-folders.js";

interface SandboxProxyParts {
  /** Returns the chain's agent; undefined if the agent isn't a program or hasn't started. */
  readonly agent: () => Pick<SandboxedAgent, "workspaceRoots" | "canRestart" | "restart" | "settle"> | undefined;
  /** Returns why a folder can't be a sandbox's workspace, and what to do about it; undefined if it can be one. */
  readonly refusedRoot: (folder: string) => string | undefined;
  readonly isCovered: (folder: string, root: string) => boolean;
  /** Resolves links in a path, even if the path doesn't exist. */
  readonly placeOf: (path: string) => string;
  readonly opened: (folders: readonly string[]) => void;
}

/**
 * Opens an agent's sandbox for the folders of its first session, and refuses sessions in other folders. The editor runs outside the
 * sandbox, so for the agent it neither runs commands nor touches files that the sandbox denies.
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
              ? refuse(reply, "This agent runs in a sandbox: it starts commands itself, not through the editor.")
              : chain.client.request(request, reply),
        },
      };
    },
  };
}

class SessionGate {
  /** Restart that is in progress; other sessions wait for it. */
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
        `This agent's sandbox includes ${agent.workspaceRoots.map((root) => `"${root}"`).join(", ")}, but not "${uncovered[0] ?? ""}". ` +
          "End its sessions and restart the agent, or use another window for that folder.",
      );
      return;
    }
    const restart = agent.restart(folders);
    this.#restart = restart.finally(() => (this.#restart = undefined));
    return this.#later(this.#restart, request, reply);
  }

  /** Forwards the agent's file request unless the sandbox denies the file. */
  file(request: Request, reply: Reply, isWritten: boolean): Cancel | undefined {
    const path = request.params?.object?.["path"];
    const reason = this.refused(typeof path === "string" ? path : "/", isWritten);
    if (reason === undefined) return this.chain.client.request(request, reply);
    refuse(reply, reason);
    return undefined;
  }

  /**
   * Returns why a file is refused, if so. Checks every file that the editor reads or writes for the agent, whatever method the agent uses.
   */
  refused(path: string, isWritten: boolean): string | undefined {
    const agent = this.parts.agent();
    if (!agent) return undefined;
    const place = this.parts.placeOf(path);
    const roots = agent.workspaceRoots.map((root) => this.parts.placeOf(root));
    const reason = refusedEditorFile({ place, roots }, isWritten);
    return reason === undefined ? undefined : `This agent can't use "${path}": ${reason}.`;
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
