import { TurnNotice } from "../../base/acp/turn-notice.js";
import type { Logger } from "../../base/logger.js";
import { messageOf } from "../../base/symposium-error.js";
import type { RunningProtection, OutdatedLevel } from "./running-protection.js";

/**
 * Reports once, at the end of a turn, that guard.jsonc now sets a different level than the one the agent was started with. The new level
 * applies when the agent starts the next time.
 */
export function levelNotice(levels: Pick<RunningProtection, "outdated">, logger: Logger): TurnNotice {
  const told = new Set<string>();
  let due: readonly string[] = [];
  const look = async (): Promise<void> => {
    try {
      due = (await levels.outdated()).map(textOf);
      // If a change was reverted and is made again, report it again.
      for (const text of told) if (!due.includes(text)) told.delete(text);
    } catch (error) {
      logger.debug("couldn't find out whether the protection levels of agents have changed", {
        reason: messageOf(error),
      });
    }
  };
  return new TurnNotice({
    notice: "level",
    tellers: [],
    begins: () => void look(),
    textFor: () => {
      const news = due.filter((text) => !told.has(text));
      for (const text of news) told.add(text);
      return news.length === 0 ? undefined : news.join(" ");
    },
  });
}

function textOf({ name, started, now }: OutdatedLevel): string {
  const says =
    now === undefined
      ? "guard.jsonc can't be read, so the agent won't start again until the file is fixed"
      : `guard.jsonc now says \`${now}\`, which applies from the agent's next start: restart the agent or the editor`;
  return `${name} is still running with protection level \`${started}\`; ${says}. This is shown once.`;
}
