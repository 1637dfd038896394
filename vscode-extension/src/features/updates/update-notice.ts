import * as l10n from "@vscode/l10n";
import { textOf } from "@symposium-dev/core";
import { isNewer, type Outdated, outdatedLine } from "../agents/installations.js";

export interface NewerVersions {
  readonly outdated: readonly Outdated[];
  readonly command?: string;
}

interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

interface UpdateNoticeOptions {
  readonly isOn: () => boolean;
  readonly memory: Memory;
  readonly now: () => number;
  readonly newer: () => Promise<NewerVersions>;
  /** Shows a notification without blocking. Returns the clicked button, or undefined. */
  readonly notify: (text: string, ...buttons: string[]) => PromiseLike<string | undefined>;
  readonly update: (outdated: readonly Outdated[]) => Promise<void>;
  readonly turnOff: () => Promise<void>;
}

const weekMs = 7 * 24 * 60 * 60_000;
const updateButton = l10n.t("Update…");
const offButton = l10n.t("Don't Look");

/**
 * Weekly check for newer versions. Runs when the user opens the view, which fetches the registry's list anyway. Installs nothing, and
 * reports the same versions only once.
 */
export class UpdateNotice {
  static readonly key = "symposium.updateNotice";
  #isLooking = false;

  constructor(private readonly options: UpdateNoticeOptions) {}

  async look(): Promise<void> {
    const { isOn, memory, now, newer } = this.options;
    const { lookedAt, told } = remembered(memory.get(UpdateNotice.key));
    const age = now() - lookedAt;
    if (this.#isLooking || !isOn() || (age >= 0 && age < weekMs)) return;
    this.#isLooking = true;
    try {
      const found = await newer();
      const lines = [...found.outdated.map(outdatedLine), ...(found.command === undefined ? [] : [found.command])];
      const text = lines.join(", ");
      await memory.update(UpdateNotice.key, { lookedAt: now(), told: text });
      if (text !== "" && text !== told) await this.#notify(text, found.outdated);
    } finally {
      this.#isLooking = false;
    }
  }

  async #notify(text: string, outdated: readonly Outdated[]): Promise<void> {
    const { notify, update, turnOff } = this.options;
    const buttons = outdated.length === 0 ? [offButton] : [updateButton, offButton];
    const answer = await notify(l10n.t("Newer versions: {0}", text), ...buttons);
    if (answer === updateButton) await update(outdated);
    if (answer === offButton) await turnOff();
  }
}

function remembered(value: unknown): { readonly lookedAt: number; readonly told: string } {
  const { lookedAt, told }: Readonly<Record<string, unknown>> =
    typeof value === "object" && value !== null ? { ...value } : {};
  return { lookedAt: typeof lookedAt === "number" ? lookedAt : -Infinity, told: textOf(told) };
}

interface CommandVersions {
  /** Version of this extension, which contains the command with the same version. */
  readonly own: string;
  readonly listed?: string;
  readonly chosen?: { readonly path: string; readonly text: string };
}

export function commandLine({ own, listed, chosen }: CommandVersions): string | undefined {
  const newest = listed !== undefined && isNewer(listed, own) ? listed : own;
  const running = chosen === undefined ? own : /\d+\.\d+\.\d+\S*/.exec(chosen.text)?.[0];
  if (running === undefined || !isNewer(newest, running)) return undefined;
  if (chosen === undefined) return l10n.t("Symposium {0} → {1}: update this extension", own, newest);
  return l10n.t("symposium-acp-agent {0} → {1}: update {2} where you got it from", running, newest, chosen.path);
}
