import * as l10n from "@vscode/l10n";
import { messageOf, visibleJson, whatRuns } from "@symposium-dev/core";
import type { TrustFile } from "@symposium-dev/core/node";
import {
  builtInExtensions,
  type ChainExtension,
  extensionsSetting,
  type WorkspaceList,
} from "../settings/extensions-setting.js";
import type { Settings } from "../settings/settings-table.js";

interface WorkspaceExtensionsOptions {
  settings(): Settings;
  /** Returns the workspace's extension list; undefined if the user's own settings define the extensions. */
  workspaceList(): WorkspaceList | undefined;
  readonly answers: Pick<TrustFile, "answerAbout" | "keepAnswer">;
  /** Asks the user a question. Returns undefined if the user dismissed it. */
  confirm(question: string, detail: string): Promise<boolean | undefined>;
  /** Lists the extensions that were left out; returns true if the user wants to be asked again. */
  reportLeftOut(text: string): Promise<boolean>;
  failed(message: string): void;
}

/**
 * Extensions that workspace settings add to the chain. Asks the user about each extension and again after a change, because the workspace's
 * author must not choose programs that run with the user's rights.
 */
export class WorkspaceExtensions {
  /** Answers by file and content. Extensions without an entry are left out. */
  readonly #known = new Map<string, boolean>();
  #asking: Promise<void> | undefined;

  constructor(private readonly options: WorkspaceExtensionsOptions) {}

  inChain(): Settings {
    const settings = this.options.settings();
    const list = this.options.workspaceList();
    if (!list) return settings;
    const isUsers = usersOwn(list);
    const extensions = settings.extensions.filter(
      (extension) => isUsers(extension) || this.#known.get(keyOf(list, extension)) === true,
    );
    return { ...settings, extensions };
  }

  /** Asks about extensions without an answer. Never rejects: extensions that aren't allowed are left out with a notice. */
  ask(): Promise<void> {
    this.#asking ??= this.#askAll().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #askAll(): Promise<void> {
    const list = this.options.workspaceList();
    if (!list) return;
    const leftOut: ChainExtension[] = [];
    const isUsers = usersOwn(list);
    for (const extension of this.options.settings().extensions) {
      if (isUsers(extension) || this.#known.has(keyOf(list, extension))) continue;
      const kept = await this.options.answers.answerAbout(list.file, extension.spec);
      if (kept !== undefined) this.#known.set(keyOf(list, extension), kept);
      if (!(kept ?? (await this.#confirm(list, extension)))) leftOut.push(extension);
    }
    if (leftOut.length > 0) void this.#report(list, leftOut);
  }

  async #report(list: WorkspaceList, leftOut: readonly ChainExtension[]): Promise<void> {
    const names = leftOut.map(shownName).join(", ");
    const text = l10n.t(
      'Not used: {0}. {1} lists this, but you haven\'t allowed it. To allow it, choose "Ask Again" or add it to your own settings.',
      names,
      list.file,
    );
    if (!(await this.options.reportLeftOut(text))) return;
    for (const extension of leftOut) await this.#confirm(list, extension);
  }

  async #confirm(list: WorkspaceList, extension: ChainExtension): Promise<boolean> {
    const answer = await this.options.confirm(
      l10n.t("Let this workspace add the extension {0} to your agents?", shownName(extension)),
      l10n.t(
        "{0} asks for it. This will run:\n\n{1}\n\nAn extension runs with your permissions, reads every message and can answer an agent's questions for you. You are asked again only if this changes.",
        list.file,
        contentOf(extension),
      ),
    );
    this.#known.set(keyOf(list, extension), answer === true);
    if (answer !== undefined) {
      await this.options.answers
        .keepAnswer(list.file, extension.spec, answer)
        .catch((thrown: unknown) => this.options.failed(messageOf(thrown)));
    }
    return answer === true;
  }
}

/** Matches extensions that need no question: disabled, built in without options, or enabled in the user's own list. */
function usersOwn({ own }: WorkspaceList): (extension: ChainExtension) => boolean {
  const users = own === undefined ? [] : extensionsSetting.read(own, () => undefined);
  return ({ isEnabled, spec }) =>
    !isEnabled || isBuiltIn(spec) || users.some((one) => one.isEnabled && one.spec === spec);
}

function keyOf({ file }: WorkspaceList, { spec }: ChainExtension): string {
  return JSON.stringify([file, spec]);
}

function isBuiltIn(spec: string): boolean {
  return builtInExtensions.some(({ id }) => id === spec);
}

function shownName({ name }: ChainExtension): string {
  return visibleJson(name.length > 100 ? `${name.slice(0, 99)}…` : name);
}

/** Shows the full content, since even options of a built-in extension can name programs. */
function contentOf({ id, spec, entry: { distribution, options } }: ChainExtension): string {
  const byName = isBuiltIn(id)
    ? l10n.t("the built-in extension {0}", visibleJson(id))
    : l10n.t("the extension {0}, installed, registered or on PATH", visibleJson(id));
  const what = whatRuns(spec) ?? (distribution === undefined ? byName : visibleJson(distribution));
  return options === undefined ? what : l10n.t("{0}\n\nwith the options {1}", what, visibleJson(options));
}
