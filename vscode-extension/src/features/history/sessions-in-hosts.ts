import * as l10n from "@vscode/l10n";
import * as z from "zod/mini";
import { newTabState, newTranscript } from "../../../protocol/index.js";
import type { HostedSession } from "../../acp/hosted-sessions.js";
import type { SubcommandRunner } from "../agents/subcommand-runner.js";
import type { StoredTab } from "../chat/chat-tabs.js";
import { TabTranscript } from "../chat/tab-transcript.js";
import type { PastConversation } from "./history-search.js";

const text = z.string();
const session = z.object({ sessionId: text, cwd: text, title: text, agent: text, state: text, updated: z.number() });
const statusSchema = z.object({ sessions: z.optional(z.array(session)) });

/**
 * Asks the host on a machine for its sessions; none if Symposium is missing there. `cwd` is the folder whose dev container may be meant.
 * Rejects if the machine can't be reached.
 */
export async function sessionsOn(
  on: string,
  commandLine: Pick<SubcommandRunner, "json">,
  cwd: string,
): Promise<readonly HostedSession[]> {
  const { sessions = [] } = await commandLine.json(["host", "status", "--on", on, "--json"], statusSchema, { cwd });
  return sessions.map((one) => ({ ...one, on }));
}

/** Sessions of this machine's host, and of hosts on other machines. */
export class LiveSessions {
  readonly #all: ReadonlyMap<string, HostedSession>;
  readonly #unlisted: Map<string, HostedSession>;

  constructor(sessions: readonly HostedSession[]) {
    this.#all = new Map(sessions.map((one) => [keyOf(one.sessionId, one.on), one]));
    this.#unlisted = new Map(this.#all);
  }

  /** Returns a listed conversation's session. `on` is its machine; undefined for this one. */
  of(sessionId: string | undefined, on?: string): Pick<PastConversation, "live"> {
    const key = keyOf(sessionId, on);
    const live = this.#all.get(key);
    this.#unlisted.delete(key);
    return live ? { live } : {};
  }

  /** Returns conversations for the sessions that no call of `of` has asked for. Leaves out sessions without a prompt. */
  others(): readonly PastConversation[] {
    const begun = [...this.#unlisted.values()].filter(({ title, state }) => title !== "" || state !== "idle");
    return begun.map((live) => ({
      title: live.title || l10n.t("No title"),
      agentName: live.on ?? live.agent,
      updatedAt: live.updated,
      prompts: 0,
      ...(live.on === undefined && { folder: live.cwd }),
      stored: [],
      live,
    }));
  }
}

function keyOf(sessionId = "", on = ""): string {
  return `${on}\n${sessionId}`;
}

/** Returns an empty tab that attaches to a host's session. The host then sends the conversation. */
export function tabInHost(
  { sessionId, cwd, title, on }: HostedSession,
  tabId: string,
  agent: { readonly id: string; readonly name: string },
): StoredTab {
  const state = { ...newTabState(agent), phase: "ready" as const, ...(title !== "" && { title }) };
  const place = on === undefined ? { folder: cwd, isHosted: true } : { machine: { on, folder: cwd } };
  const record = { tabId, createdAt: Date.now(), sessionId, ...place };
  return { record, transcript: new TabTranscript(newTranscript(state)), runsInHost: true };
}
