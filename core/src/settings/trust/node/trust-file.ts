import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { realPlace } from "../../../base/node/folders.js";
import { messageOf, SymposiumError } from "../../../base/symposium-error.js";
import type { TrustStore } from "../folder-trust.js";
import {
  componentAnswer,
  formatTrust,
  isRefused,
  nothingTrusted,
  parseTrust,
  projectAnswer,
  type ProjectAnswer,
  trustingFolder,
  type TrustRecord,
  withAnswer,
  withoutProject,
  withoutTrusted,
  withProjectAnswer,
  withRefusals,
  withRefused,
  withTrusted,
} from "../trust-record.js";
import { systemCode } from "../../../base/node/atomic-write.js";
import { configFolder } from "../../../base/node/own-program.js";
import { changePrivateFile } from "../../../base/node/json-file.js";

/** `trust.json` beside config.jsonc, which all processes of a user share; nobody else may read it. */
export class TrustFile implements TrustStore {
  readonly path: string;

  constructor(folder: string = configFolder()) {
    this.path = join(folder, "trust.json");
  }

  async realPath(folder: string): Promise<string | undefined> {
    return realPlace(folder);
  }

  /** A file that cannot be read trusts nothing. */
  async has(folder: string): Promise<boolean> {
    const record = await this.read().catch(() => nothingTrusted);
    return trustingFolder(record, folder) !== undefined;
  }

  async add(folder: string): Promise<void> {
    await this.#change((record) => withTrusted(record, folder));
  }

  async remove(folder: string): Promise<void> {
    await this.#change((record) => withoutTrusted(record, folder));
  }

  /** A file that cannot be read refuses nothing: the user is asked. */
  async isRefused(folder: string): Promise<boolean> {
    return isRefused(await this.read().catch(() => nothingTrusted), folder);
  }

  async refuse(folder: string): Promise<void> {
    await this.#change((record) => withRefused(record, folder));
  }

  /** What the user answered about a project's configuration; undefined where they have not been asked. */
  async answerAboutProject(project: Pick<ProjectAnswer, "repository" | "folder">): Promise<ProjectAnswer | undefined> {
    return projectAnswer(await this.read().catch(() => nothingTrusted), project);
  }

  /** Keeps an answer about a project's configuration. */
  async keepProjectAnswer(answer: ProjectAnswer): Promise<void> {
    await this.#change((record) => withProjectAnswer(record, answer));
  }

  async forgetProject(project: Pick<ProjectAnswer, "repository" | "folder">): Promise<void> {
    await this.#change((record) => withoutProject(record, project));
  }

  /** Whether the user allowed a component that `file` names; undefined where this very content was not asked about. */
  async answerAbout(file: string, component: string): Promise<boolean | undefined> {
    return componentAnswer(await this.read().catch(() => nothingTrusted), file, component);
  }

  /** Keeps the user's answer about a component that `file` names. */
  async keepAnswer(file: string, component: string, isAllowed: boolean): Promise<void> {
    await this.#change((record) => withAnswer(record, { file, component, isAllowed }));
  }

  /** Turns every answer about what `file` names into a refusal. */
  async refuseAnswers(file: string): Promise<void> {
    await this.#change((record) => withRefusals(record, file));
  }

  /** Rejects with `trust-not-read` where there is a file that is not understood: it is not to be replaced by an emptier one. */
  async read(): Promise<TrustRecord> {
    let text: string;
    try {
      text = await readFile(this.path, "utf8");
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return nothingTrusted;
      throw this.#unreadable(messageOf(error));
    }
    const record = parseTrust(text);
    if ("kind" in record) throw this.#unreadable(record.message);
    return record;
  }

  async #change(edit: (record: TrustRecord) => TrustRecord): Promise<void> {
    await changePrivateFile(this.path, "trust-not-kept", async () => {
      const before = await this.read();
      const after = edit(before);
      return after === before ? undefined : formatTrust(after);
    });
  }

  #unreadable(reason: string): SymposiumError {
    const hint = "Mend the file, or delete it and trust your folders again.";
    return new SymposiumError("trust-not-read", `${this.path} cannot be read: ${reason}.`, hint);
  }
}
