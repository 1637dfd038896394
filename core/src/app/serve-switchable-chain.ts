import type { AgentProtection } from "../conductor/choices/agent-protection.js";
import type { AgentSwitch } from "../conductor/choices/agent-switch.js";
import { Chains } from "../conductor/choices/chains.js";
import type { Choice } from "../conductor/choices/chosen-agent-and-proxies.js";
import { KnownSessions } from "../conductor/choices/known-sessions.js";
import { KnownSessionsFile } from "../conductor/choices/node/known-sessions-file.js";
import type { Component } from "../settings/component-spec.js";
import { sandboxNotice } from "../guard/node/sandbox/sandbox-notice.js";
import type { ChainChoices } from "./chain-choices.js";
import { continuing } from "./continued-conversation.js";
import { keptSessions } from "./recorded-conversations.js";
import type { Environment } from "./environment.js";
import { type ChainPlan, openChain, serveChain } from "./serve-chain.js";

export interface Choices extends Pick<ChainChoices, "offer" | "choice" | "file" | "save" | "signInLine"> {
  plan(choice: Choice, environment: Environment, agentSwitch: AgentSwitch): Promise<ChainPlan>;
  /** Returns the agent of a choice. Throws `unknown-agent` if the choice has no agent. */
  componentOf(choice: Choice): Component;
}

export type FirstPlan = (agentSwitch: AgentSwitch) => ChainPlan;

export async function serveChoices(plan: FirstPlan, choices: Choices, environment: Environment): Promise<number> {
  // A trace names only the components of the initial chain.
  const later: Environment = { ...environment, announce: () => undefined };
  const { offer, choice, file } = choices;
  const knownFile = new KnownSessionsFile(environment.logger.child("chains"));
  const known = new KnownSessions(await knownFile.read(), knownFile);
  const { store } = environment.conversations;
  const keptOf = ({ agent }: Choice): NonNullable<ChainPlan["kept"]> => ({
    agent,
    editorIdOf: (session) => known.clientIdOf(session) ?? session,
  });
  let agentOf = (_session: string): string => choice.agent;
  let folderOf = (_session: string): string | undefined => undefined;
  const { guard: usual } = environment.settings;
  const notice = sandboxNotice({
    logger: environment.logger.child("guard"),
    agentOf: (session) => agentOf(session),
    offerOf: async (agent, session) => {
      const { sandboxOffer } = await import("../guard/node/sandbox/sandbox-offer.js");
      const component = choices.componentOf({ agent, proxies: new Set() });
      return sandboxOffer(component, { folder: folderOf(session) ?? process.cwd(), usual });
    },
  });
  const exitCode = await serveChain(
    environment,
    (client, { clientChannel, onFailure }) => {
      const chains = new Chains({
        client,
        clientChannel,
        logger: environment.logger.child("chains"),
        offer,
        choice,
        file,
        known,
        kept: (params, isWanted) => keptSessions(store, params, isWanted),
        first: (toClient, hooks) =>
          openChain({ ...plan(hooks.agentSwitch), kept: keptOf(choice) }, environment, toClient, hooks),
        open: async (wanted, toClient, hooks) => {
          const opened = await choices.plan(wanted, later, hooks.agentSwitch);
          await environment.levels.refresh();
          return openChain({ ...opened, kept: keptOf(wanted) }, later, toClient, hooks);
        },
        save: (change) => choices.save(change),
        signInLine: (wanted) => choices.signInLine(wanted),
        protection: lateProtection(choices, environment),
        continuing: (opening, wanted) => continuing(environment.conversations, opening, wanted),
        onFailure,
      });
      agentOf = (session) => chains.agentOf(session);
      folderOf = (session) => chains.folderOf(session);
      return chains;
    },
    { agentOf: (session) => agentOf(session), known, sandboxNotice: notice },
  );
  await knownFile.flushed();
  return exitCode;
}

/** Returns the protection of the chosen agent, which is loaded at its first use. */
function lateProtection(choices: Choices, { settings, levels }: Environment): AgentProtection {
  const load = async (): Promise<AgentProtection> =>
    (await import("../guard/node/agent-protection.js")).agentProtection(
      (wanted) => choices.componentOf(wanted),
      settings.guard,
      levels,
    );
  return {
    describe: async (...given) => (await load()).describe(...given),
    change: async (...given) => (await load()).change(...given),
  };
}
