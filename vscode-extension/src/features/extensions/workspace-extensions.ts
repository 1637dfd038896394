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
  /** Undefined where the extensions are those of the user's own settings. */
  workspaceList(): WorkspaceList | undefined;
  /** Keeps what the user answered. */
  readonly answers: Pick<TrustFile, "answerAbout" | "keepAnswer">;
  /** Undefined where the user chose nothing. */
  confirm(question: string, detail: string): Promise<boolean | undefined>;
  /** Says what is left out; true where the user wants to be asked again. */
  reportLeftOut(text: string): Promise<boolean>;
  failed(message: string): void;
}

/**
 * The extensions that a workspace's settings put into the chain. Each is asked about once, and again when its content is
 * another: whoever wrote the workspace must not choose what runs with the user's rights and answers for them.
 */
export class WorkspaceExtensions {
  /** By file and content. What is not here takes no part. */
  readonly #known = new Map<string, boolean>();
  #asking: Promise<void> | undefined;

  constructor(private readonly options: WorkspaceExtensionsOptions) {}

  /** The settings without the extensions that the user has not allowed. */
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

  /** Asks about what the user has not judged yet. Never rejects: what is not allowed is left out, which the user is told. */
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
    const text = `Left out of the chain: ${names}, which ${list.file} names and you have not allowed. To allow it, choose "Ask Again", or add it to your own settings.`;
    if (!(await this.options.reportLeftOut(text))) return;
    for (const extension of leftOut) await this.#confirm(list, extension);
  }

  async #confirm(list: WorkspaceList, extension: ChainExtension): Promise<boolean> {
    const answer = await this.options.confirm(
      `Let this workspace add the extension ${shownName(extension)} to your agents?`,
      `${list.file} asks for it. What runs is:\n\n${contentOf(extension)}\n\nAn extension runs with your rights, reads every message and may answer an agent's questions for you. You are asked again only when this changes.`,
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

/** Nobody is asked about what takes no part, is built in, as it comes, or takes part in the user's own list, too. */
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

/** The whole of it: options of a built-in extension may name programs, too. */
function contentOf({ id, spec, entry: { distribution, options } }: ChainExtension): string {
  const byName = `the extension ${visibleJson(id)}, ${isBuiltIn(id) ? "which is built in" : "as it is installed, registered or on PATH"}`;
  const what = whatRuns(spec) ?? (distribution === undefined ? byName : visibleJson(distribution));
  return options === undefined ? what : `${what}\n\nwith the options ${visibleJson(options)}`;
}
