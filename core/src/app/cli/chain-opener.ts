import { writeFile } from "node:fs/promises";
import { messageOf } from "../../base/symposium-error.js";
import { bareStart } from "../../agents/agent-quirks.js";
import { type AgentComponent, nameOf } from "../../conductor/chain/component.js";
import { type BareAgent, ModelFailure } from "../../models/agent-connection.js";
import type { Component } from "../../settings/component-spec.js";
import { proxiesOfTexts, toAgent } from "../components.js";
import { readAgentText } from "../../agents/node/find-agent.js";
import type { Environment } from "../environment.js";
import { extensionPlaces, openChain } from "../serve-chain.js";
import { editorToolsName } from "../../models/vscode/language-model-service.js";
import type { AgentStart, ChainOpener } from "../../models/vscode/agent-to-start.js";

/**
 * Creates an opener for chains with these proxies; `ended` closes all open or starting chains. Files for agents are written to `folder`, an
 * absolute path.
 */
export function chainOpener(
  proxies: readonly string[],
  environment: Environment,
  folder: string,
): { readonly opener: ChainOpener; readonly ended: () => Promise<void> } {
  const open = new Set<AsyncDisposable>();
  let isEnded = false;
  const opener: ChainOpener = (start, isRaw, editorServers) => async (client, proxy, onFailure, isPlain) => {
    try {
      const found = await toAgent(componentOf(start), environment);
      const { agent, bare } = isRaw && isPlain !== true ? await withoutOwnTools(found, folder) : { agent: found };
      const configured = await proxiesOfTexts(isRaw ? [] : proxies, environment);
      const chain = [{ kind: "proxy", proxy } as const, ...configured];
      environment.logger.info("a chain starts", { agent: nameOf(agent), proxies: chain.map(nameOf).join(",") });
      // Without its own tools, an agent acts as a plain model, and its client provides the context.
      const plan = {
        agent,
        proxies: chain,
        places: extensionPlaces,
        hasContext: !isRaw,
        ...(editorServers && { editorServers }),
      };
      if (isEnded) throw new Error("The process is ending.");
      const conductor = openChain(plan, environment, client, { onFailure: ({ message }) => onFailure(message) });
      open.add(conductor);
      return { fromClient: conductor.fromClient, bare, [Symbol.asyncDispose]: () => end(conductor) };
    } catch (fault) {
      throw new ModelFailure("agent-failed", messageOf(fault));
    }
  };
  async function end(conductor: AsyncDisposable): Promise<void> {
    await conductor[Symbol.asyncDispose]();
    open.delete(conductor);
  }
  async function ended(): Promise<void> {
    isEnded = true;
    await Promise.all([...open].map(end));
  }
  return { opener, ended };
}

async function withoutOwnTools(
  agent: AgentComponent,
  folder: string,
): Promise<{ readonly agent: AgentComponent; readonly bare?: BareAgent }> {
  if (agent.kind !== "process") return { agent };
  const inherited = (name: string): string | undefined => process.env[name];
  const start = bareStart(agent.command, { inherited, folder, server: editorToolsName });
  if (!start) return { agent };
  if (start.file) await writeFile(start.file.path, start.file.content);
  return { agent: { ...agent, command: start.command }, bare: start.agent };
}

function componentOf(start: AgentStart): Component {
  switch (start.kind) {
    case "eliza":
      return {
        kind: "symposium",
        name: "eliza",
        subcommand: "eliza",
        args: start.isDeterministic ? ["--deterministic"] : [],
      };
    case "words":
      return readAgentText(start.words);
    case "command": {
      const { name, command, args, env } = start;
      return { kind: "command", name, command: { command, args: [...args], env } };
    }
  }
}
