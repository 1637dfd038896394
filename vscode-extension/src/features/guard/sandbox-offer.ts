import * as l10n from "@vscode/l10n";
import { messageOf } from "@symposium-dev/core";
import * as z from "zod/mini";
import type { Action } from "../../../protocol/index.js";
import type { SubcommandRunner } from "../agents/subcommand-runner.js";
import type { Conversation } from "../../acp/conversation.js";
import type { ChatTab } from "../chat/chat-tab.js";
import { type LevelSwitch, setLevel } from "./level-switch.js";

const useSandbox: Action = { id: "use-sandbox", label: l10n.t("Use the sandbox"), style: "primary" };
const notNow: Action = { id: "no-sandbox", label: l10n.t("Not now") };
const whatIsIt: Action = { id: "about-sandbox", label: l10n.t("What is it?") };

const cardId = "symposium:sandbox";
const answerSchema = z.object({ sandbox: z.nullable(z.object({ id: z.string(), name: z.string() })) });

type OfferingTab = Pick<ChatTab, "tabId" | "state" | "notice" | "transcript"> & {
  readonly conversation: Pick<Conversation, "roots"> | undefined;
};

interface SandboxOfferOptions extends LevelSwitch {
  readonly commandLine: Pick<SubcommandRunner, "json" | "run">;
  /** Returns the agent's `--agent` value, or undefined for an unknown id. */
  readonly specOf: (agentId: string) => Promise<string | undefined>;
  readonly isOpen: (tabId: string) => boolean;
  readonly isDecided: () => boolean;
  readonly showGuard: () => Promise<void>;
  readonly say: (message: string) => void;
  readonly failed: (reason: string) => void;
}

/**
 * Offers the sandbox in a card, once per agent. `guard offer` reports whether a sandbox is available and no window or editor has offered it
 * yet; the check starts a program, so it runs only after a turn.
 */
export class SandboxOffer {
  readonly #asked = new Set<string>();

  constructor(private readonly options: SandboxOfferOptions) {}

  /** Shows the offer after a turn, if there is one. Never rejects. */
  async turnEnded(tab: OfferingTab): Promise<void> {
    const { commandLine, specOf, isOpen, isDecided, failed } = this.options;
    const { agentId } = tab.state;
    const folder = tab.conversation?.roots[0];
    if (this.#asked.has(agentId) || folder === undefined || isDecided()) return;
    this.#asked.add(agentId);
    try {
      const spec = await specOf(agentId);
      if (spec === undefined) return;
      const words = ["guard", "offer", "--editor", "--json", "--", spec];
      const { sandbox } = await commandLine.json(words, answerSchema, { cwd: folder });
      if (!sandbox) return;
      if (isOpen(tab.tabId)) tab.notice({ id: cardId, ...offered(tab.state.agentName) });
      else {
        // The tab was closed before it showed the offer, so offer the sandbox in the agent's next tab.
        await commandLine.run(["guard", "offer", "--not-shown", "--", spec]);
        this.#asked.delete(agentId);
      }
    } catch (error) {
      failed(messageOf(error));
    }
  }

  /** Handles a card button. Returns false if the button isn't part of this offer. */
  async act(tab: OfferingTab | undefined, actionId: string): Promise<boolean> {
    switch (actionId) {
      case useSandbox.id:
        if (tab) await this.#use(tab);
        return true;
      case notNow.id:
        tab?.transcript.publish({ op: "remove", id: cardId });
        return true;
      case whatIsIt.id:
        await this.options.showGuard();
        return true;
      default:
        return false;
    }
  }

  async #use(tab: OfferingTab): Promise<void> {
    const { agentId, agentName } = tab.state;
    try {
      const spec = await this.options.specOf(agentId);
      if (spec === undefined) throw new Error(l10n.t('The agent "{0}" no longer exists.', agentId));
      await setLevel(this.options, spec, "sandbox");
    } catch (error) {
      this.options.say(messageOf(error));
      return;
    }
    const text = l10n.t(
      "Running sessions continue without it until the agent restarts. You can undo this on the Guard page.",
    );
    const title = l10n.t("{0} will run in a sandbox from its next start", agentName);
    tab.notice({
      id: cardId,
      severity: "success",
      title,
      text,
      actions: [{ ...whatIsIt, label: l10n.t("Open Guard Page") }],
    });
  }
}

function offered(agentName: string): Omit<Parameters<ChatTab["notice"]>[0], "id"> {
  return {
    severity: "info",
    title: l10n.t("{0} could run in a sandbox", agentName),
    text: l10n.t(
      "Its programs could access only this folder, the system's programs, its own sessions and sign-in, and the hosts that you allow, but not the rest of your home folder. You would be asked less often. Nothing changes unless you choose it, and you are asked only once.",
    ),
    actions: [useSandbox, notNow, whatIsIt],
  };
}
