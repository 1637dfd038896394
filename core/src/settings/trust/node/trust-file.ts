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

/** Private file `trust.json` in the folder of config.jsonc, shared by all processes of the user. */
export class TrustFile implements TrustStore {
  readonly path: string;

  constructor(folder: string = configFolder()) {
    this.path = join(folder, "trust.json");
  }

  async realPath(folder: string): Promise<string | undefined> {
    return realPlace(folder);
  }

  /** Returns whether the folder is trusted; false if the file is unreadable. */
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

  /** Returns whether questions are refused; false if the file is unreadable, so that the user is asked. */
  async isRefused(folder: string): Promise<boolean> {
    return isRefused(await this.read().catch(() => nothingTrusted), folder);
  }

  async refuse(folder: string): Promise<void> {
    await this.#change((record) => withRefused(record, folder));
  }

  /** Returns the user's answer about a project's configuration; undefined if never asked. */
  async answerAboutProject(project: Pick<ProjectAnswer, "repository" | "folder">): Promise<ProjectAnswer | undefined> {
    return projectAnswer(await this.read().catch(() => nothingTrusted), project);
  }

  async keepProjectAnswer(answer: ProjectAnswer): Promise<void> {
    await this.#change((record) => withProjectAnswer(record, answer));
  }

  async forgetProject(project: Pick<ProjectAnswer, "repository" | "folder">): Promise<void> {
    await this.#change((record) => withoutProject(record, project));
  }

  /** Returns whether the user allowed a component that `file` names; undefined if never asked about this content. */
  async answerAbout(file: string, component: string): Promise<boolean | undefined> {
    return componentAnswer(await this.read().catch(() => nothingTrusted), file, component);
  }

  async keepAnswer(file: string, component: string, isAllowed: boolean): Promise<void> {
    await this.#change((record) => withAnswer(record, { file, component, isAllowed }));
  }

  async refuseAnswers(file: string): Promise<void> {
    await this.#change((record) => withRefusals(record, file));
  }

  /** Reads the file. Rejects with `trust-not-read` if the file is invalid, so that no write replaces it and loses answers. */
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
    const hint = "Fix the file, or delete it and trust your folders again.";
    return new SymposiumError("trust-not-read", `Can't read ${this.path}: ${reason}.`, hint);
  }
}
