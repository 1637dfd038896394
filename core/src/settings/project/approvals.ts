import { askUser, type Asker } from "../trust/question.js";
import type { ProjectAnswer } from "../trust/trust-record.js";
import { type ApprovedContent, describeChange } from "./approved-content.js";

/** Identifies a configuration of a project; see `ProjectAnswer`. */
type ProjectId = Pick<ProjectAnswer, "repository" | "folder">;

interface ApprovalStore {
  answerAboutProject(project: ProjectId): Promise<ProjectAnswer | undefined>;
  keepProjectAnswer(answer: ProjectAnswer): Promise<void>;
}

export interface AskedContent {
  readonly project: ProjectId;
  /** Absolute paths of the files. */
  readonly files: readonly string[];
  readonly content: ApprovedContent;
  readonly digest: string;
}

/** State of a content's approval. Content that differs from the approved content is `unasked`. */
export type ApprovalState = "approved" | "unasked" | "refused" | "never";

const options = {
  "project-allow": { name: "Allow this content", kind: "allow_always" },
  "project-once": { name: "Allow until Symposium exits", kind: "allow_once" },
  "project-no": { name: "Not now", kind: "reject_once" },
  "project-never": { name: "Never in this project", kind: "reject_always" },
} as const;

/** Tracks the approved content of projects' files. Changed content needs another approval, and the question lists the changes. */
export class Approvals {
  /** Answers by project and digest that apply until this process exits. */
  readonly #once = new Map<string, "approved" | "refused">();

  constructor(private readonly store: ApprovalStore) {}

  async stateOf({ project, digest }: Pick<AskedContent, "project" | "digest">): Promise<ApprovalState> {
    const kept = await this.store.answerAboutProject(project);
    if (kept && kept.digest === undefined) return "never";
    if (kept?.digest === digest) return "approved";
    return this.#once.get(keyOf(project, digest)) ?? "unasked";
  }

  /** Returns the question for the user: all entries, or the changes since the last approval. */
  async question({
    project,
    content,
    files,
  }: AskedContent): Promise<{ readonly title: string; readonly text: string }> {
    const kept = await this.store.answerAboutProject(project);
    return {
      title: kept?.entries
        ? "Allow the changes to this project's configuration?"
        : "Allow this project's configuration?",
      text: questionText(files, kept?.entries, content),
    };
  }

  /** Asks the user. Rejects only if the answer can't be saved. */
  async ask(asked: AskedContent, asker: Asker): Promise<ApprovalState> {
    const { project, digest } = asked;
    const chosen = await askUser(asker, {
      ...(await this.question(asked)),
      options,
      whenNotAllowed:
        "These entries are skipped. To allow them later, run `symposium-acp-agent trust` in the project folder.",
    });
    switch (chosen) {
      case "project-allow":
        await this.allow(asked);
        return "approved";
      case "project-once":
        this.#once.set(keyOf(project, digest), "approved");
        return "approved";
      case "project-never":
        await this.store.keepProjectAnswer({ ...project });
        return "never";
      case "project-no":
        this.#once.set(keyOf(project, digest), "refused");
        return "refused";
      case undefined:
        return "unasked";
    }
  }

  /** Saves the user's approval of exactly this content. */
  async allow({ project, content, digest }: AskedContent): Promise<void> {
    await this.store.keepProjectAnswer({ ...project, digest, entries: content });
  }

  /** Returns the changes since the last approval, or all entries if there is none. */
  async changes({ project, content }: AskedContent): Promise<readonly string[]> {
    const kept = await this.store.answerAboutProject(project);
    return describeChange(kept?.entries, content);
  }
}

function questionText(files: readonly string[], before: ApprovedContent | undefined, content: ApprovedContent): string {
  return [
    `${files.join(" and ")} of this project ${files.length === 1 ? "asks" : "ask"} for this:`,
    ...describeChange(before, content),
    "Servers, proxies and agents run with your permissions. Files that a program loads but that aren't listed here can change " +
      "without asking you. Your answer applies from your next session in this project.",
  ].join("\n\n");
}

function keyOf({ repository, folder }: ProjectId, digest: string): string {
  return JSON.stringify([repository, folder, digest]);
}
