import { messageOf } from "@symposium-dev/core";
import * as z from "zod/mini";
import type { Action } from "../../../protocol/index.js";
import type { CommandLine } from "../agents/command-line.js";
import type { Conversation } from "../../acp/conversation.js";
import type { ChatTab } from "../chat/chat-tab.js";
import { type LevelSwitch, setLevel } from "./level-switch.js";

const useSandbox: Action = { id: "use-sandbox", label: "Use the sandbox", style: "primary" };
const notNow: Action = { id: "no-sandbox", label: "Not now" };
const whatIsIt: Action = { id: "about-sandbox", label: "What is it?" };

const cardId = "symposium:sandbox";
const answerSchema = z.object({ sandbox: z.nullable(z.object({ id: z.string(), name: z.string() })) });

type OfferingTab = Pick<ChatTab, "tabId" | "state" | "notice" | "transcript"> & {
  readonly conversation: Pick<Conversation, "roots"> | undefined;
};

interface SandboxOfferOptions extends LevelSwitch {
  readonly commandLine: Pick<CommandLine, "json" | "run">;
  /** What the command's `--agent` takes for an agent of ours; undefined where there is none of that id. */
  readonly specOf: (agentId: string) => Promise<string | undefined>;
  /** Whether the user still has this tab. */
  readonly isOpen: (tabId: string) => boolean;
  /** Whether an argument of the user's own says how agents are held. */
  readonly isDecided: () => boolean;
  /** Opens the page Guard. */
  readonly showGuard: () => Promise<void>;
  readonly say: (message: string) => void;
  /** Takes why it is not known whether there is something to offer. */
  readonly failed: (reason: string) => void;
}

/**
 * Offers the sandbox by a card, once for each agent: whether it can be had, and nobody was asked before, in whichever window or editor, is
 * what `guard offer` says. It is asked when a turn has ended, since it starts a program.
 */
export class SandboxOffer {
  readonly #asked = new Set<string>();

  constructor(private readonly options: SandboxOfferOptions) {}

  /** Never rejects. */
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
        // Nobody would see the card: it comes in the next tab.
        await commandLine.run(["guard", "offer", "--not-shown", "--", spec]);
        this.#asked.delete(agentId);
      }
    } catch (error) {
      failed(messageOf(error));
    }
  }

  /** Whether a button of a card was one of these; does what it says. */
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
      if (spec === undefined) throw new Error(`There is no agent "${agentId}" any more.`);
      await setLevel(this.options, spec, "sandbox");
    } catch (error) {
      this.options.say(messageOf(error));
      return;
    }
    const text = "A session that runs goes on without it until the agent is restarted. The page Guard takes it back.";
    const title = `${agentName} runs in a sandbox from its next start on`;
    tab.notice({
      id: cardId,
      severity: "success",
      title,
      text,
      actions: [{ ...whatIsIt, label: "Open the page Guard" }],
    });
  }
}

function offered(agentName: string): Omit<Parameters<ChatTab["notice"]>[0], "id"> {
  return {
    severity: "info",
    title: `${agentName} could run in a sandbox`,
    text:
      "Its programs would reach this folder, the system's programs, its own sessions and sign-in, and the hosts that you allow; the rest of " +
      "your home folder would not be there. You would be asked less often. Nothing changes unless you say so, and you are asked this once.",
    actions: [useSandbox, notNow, whatIsIt],
  };
}
