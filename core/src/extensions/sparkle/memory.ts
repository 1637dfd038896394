import { checkpointFolder, checkpointNames, checkpointText, newCheckpointName } from "./checkpoint.js";
import { ignoreLine, isSparkleSpaceIgnored } from "./ignore-rules.js";
import { messageOf } from "../../base/symposium-error.js";
import { memoryFault, type MemoryFolder, type SparkleServices, type WritableFolder } from "./services.js";
import { emptySnapshot, type MemorySnapshot } from "./memory-context.js";
import {
  boundNotebook,
  entryBody,
  type InsightType,
  notebooks,
  parseNotebook,
  profileFile,
  profileTemplate,
  timestamp,
  toEntry,
  toListItems,
  withEntry,
  withoutComments,
} from "./notebook.js";
import {
  type MemoryEntry,
  parseWorkingMemory,
  withMemoryEntry,
  type WorkingMemory,
  workingMemoryFile,
} from "./working-memory.js";

/** The most bytes a file of notes may have before its oldest entries move to the archive. */
const notebookLimit = 64 * 1024;

/** How many checkpoints stay files of their own. */
const checkpointLimit = 100;

interface Insight {
  readonly type: InsightType;
  readonly content: string;
  readonly context?: string;
  readonly tags?: readonly string[];
}

/** What became of an insight: the file that holds it, and how many older ones moved to the archive for it. */
interface SavedInsight {
  readonly file: string;
  readonly isKnown: boolean;
  readonly moved: number;
}

/** What became of a checkpoint. */
export interface SavedCheckpoint {
  readonly file: string;
  /** Why the working memory was left as it was; the checkpoint holds the new one. */
  readonly problem: string | undefined;
  /** How many of the oldest checkpoints moved to the archive. */
  readonly moved: number;
  /** A line that git's ignore rules lack, when `.sparkle-space` has just been made. */
  readonly missingIgnoreLine: string | undefined;
}

/** What one session remembers and keeps. Nothing is written before a session asks for it. */
export class SparkleMemory {
  readonly #space: MemoryFolder;
  /** The workspace's name in notes: its path, without a separator at the end. */
  readonly #workspace: string;
  /** The profile as this session saw it last: what changed since then is not overwritten unseen. */
  #seenProfile = "";

  constructor(
    private readonly services: SparkleServices,
    private readonly cwd: string,
  ) {
    this.#workspace = cwd.replace(/(?<=[^/\\:])[/\\]+$/, "");
    this.#space = services.workspace(cwd);
  }

  /** Everything for the beginning of a session. A file that cannot be read counts as empty, and `onFault` hears why. */
  async snapshot(onFault: (fault: unknown) => void): Promise<MemorySnapshot> {
    const or = <T>(attempt: Promise<T>, fallback: T): Promise<T> =>
      attempt.catch((fault: unknown) => {
        onFault(fault);
        return fallback;
      });
    const [profile, anchors, evolution, insights, workingMemory, checkpoints] = await Promise.all([
      or(this.#profileToShow(), ""),
      or(this.notes("PatternAnchor"), []),
      or(this.notes("CollaborationEvolution"), []),
      or(this.notes("WorkspaceInsight"), []),
      or(this.workingMemory(), emptySnapshot.workingMemory),
      or(this.checkpoints(), []),
    ]);
    return { profile, anchors, evolution, insights, workingMemory, checkpoints };
  }

  /** The whole profile, comments included, or an empty text; from now on this session may replace it. */
  async profile(): Promise<string> {
    this.#seenProfile = (await this.services.home.read(profileFile)) ?? "";
    return this.#seenProfile;
  }

  /**
   * Replaces the profile; the one before goes to the archive. Rejects with the text that stands there when it is
   * not what this session saw last, which counts as seen from then on.
   */
  async updateProfile(content: string, signal: AbortSignal): Promise<string> {
    const { home } = this.services;
    await home.change(async (files) => {
      const old = (await files.read(profileFile)) ?? "";
      if (old !== this.#seenProfile && old.trim() !== "") {
        this.#seenProfile = old;
        throw memoryFault(
          `The profile has changed since this session read it; nothing was written. It now says:\n\n${old.trim()}\n\n`,
          "Put together what holds of both, and call update_collaborator_profile again.",
        );
      }
      if (old.trim() !== "")
        await this.#archive(files, profileFile, toEntry({ savedAt: this.services.now(), content: old }));
      const text = `${content.trim().startsWith("# ") ? "" : profileTemplate}${content.trim()}\n`;
      await files.write(profileFile, text);
      this.#seenProfile = text;
    }, signal);
    return `${home.path}/${profileFile}`;
  }

  /** Items for people, the newest first; insights of workspaces are those of this one. */
  async notes(type: InsightType): Promise<string[]> {
    const text = (await this.services.home.read(notebooks[type].file)) ?? "";
    return toListItems(text, type === "WorkspaceInsight" ? this.#workspace : undefined);
  }

  /** Adds an insight to its notebook, once. */
  async saveInsight(insight: Insight, signal: AbortSignal): Promise<SavedInsight> {
    const { home } = this.services;
    const { file, template } = notebooks[insight.type];
    const entry = toEntry({
      ...insight,
      savedAt: this.services.now(),
      ...(insight.type === "WorkspaceInsight" && { workspace: this.#workspace }),
    });
    const path = `${home.path}/${file}`;
    return home.change(async (files) => {
      const text = await files.read(file);
      const isKnown = parseNotebook(text ?? "").entries.some((other) => entryBody(other) === entryBody(entry));
      if (isKnown) return { file: path, isKnown, moved: 0 };
      const bounded = boundNotebook(withEntry(text, template, entry), notebookLimit);
      if (bounded.moved.length > 0) await this.#archive(files, file, bounded.moved.join(""));
      await files.write(file, bounded.text);
      return { file: path, isKnown, moved: bounded.moved.length };
    }, signal);
  }

  /** Writes a checkpoint, and adds to the working memory. */
  async checkpoint(memory: MemoryEntry, content: string, signal: AbortSignal): Promise<SavedCheckpoint> {
    const savedAt = this.services.now();
    const { saved: _, ...members } = memory;
    const { name, problem, isNew, moved } = await this.#space.change(async (files) => {
      const taken = await files.list(checkpointFolder);
      const unique = newCheckpointName(savedAt, taken);
      await files.write(`${checkpointFolder}/${unique}`, checkpointText(savedAt, content, memory));
      const reason = await this.#remember(files, { saved: timestamp(savedAt), ...members });
      const oldest = checkpointNames([...taken, unique]).slice(checkpointLimit);
      await this.#archiveCheckpoints(files, oldest);
      return { name: unique, problem: reason, isNew: files.isNew, moved: oldest.length };
    }, signal);
    const file = `${this.#space.path}/${checkpointFolder}/${name}`;
    return { file, problem, moved, missingIgnoreLine: isNew ? await this.#missingIgnoreLine() : undefined };
  }

  async workingMemory(): Promise<WorkingMemory> {
    const text = await this.#space.read(workingMemoryFile);
    if (text === undefined) return emptySnapshot.workingMemory;
    const memory = parseWorkingMemory(text);
    if (memory) return memory;
    const file = `${this.#space.path}/${workingMemoryFile}`;
    throw memoryFault(
      `${file} is not an object with a list "entries", in JSON with comments.`,
      "Ask the user to correct it.",
    );
  }

  /** Names, the newest first. */
  async checkpoints(): Promise<string[]> {
    return checkpointNames(await this.#space.list(checkpointFolder));
  }

  /** The text of a checkpoint, of the newest one when no name is given. */
  async readCheckpoint(name?: string): Promise<string> {
    const names = await this.checkpoints();
    const wanted = name ?? names[0];
    if (wanted === undefined) throw memoryFault("This workspace has no checkpoints.", "session_checkpoint saves one.");
    const text = names.includes(wanted) ? await this.#space.read(`${checkpointFolder}/${wanted}`) : undefined;
    if (text !== undefined) return text;
    throw memoryFault(`There is no checkpoint "${wanted}".`, "list_checkpoints shows their names.");
  }

  /** Adds `.sparkle-space/` to the workspace's `.gitignore`; says what was done. */
  async ignoreSparkleSpace(): Promise<string> {
    const files = await this.services.ignoreFiles(this.cwd);
    if (files === undefined) return "The workspace is not in a git work tree: there is nothing to ignore.";
    if (isSparkleSpaceIgnored(files)) return "Git already ignores .sparkle-space: nothing was changed.";
    return `Added "${ignoreLine}" to ${await this.services.addIgnoreLine(this.cwd, ignoreLine)}.`;
  }

  /** What of the profile enters a context, which may cut it: reading it so does not count as having seen it. */
  async #profileToShow(): Promise<string> {
    const text = withoutComments((await this.services.home.read(profileFile)) ?? "");
    return text.replace(/^# Collaborator profile\s*/, "");
  }

  async #missingIgnoreLine(): Promise<string | undefined> {
    const files = await this.services.ignoreFiles(this.cwd).catch(() => undefined);
    return files === undefined || isSparkleSpaceIgnored(files) ? undefined : ignoreLine;
  }

  /** Adds to the working memory; the reason when that cannot be done. */
  async #remember(files: WritableFolder, entry: MemoryEntry): Promise<string | undefined> {
    let changed;
    try {
      changed = withMemoryEntry(await files.read(workingMemoryFile), entry, notebookLimit);
    } catch (fault) {
      return messageOf(fault);
    }
    if (changed.moved !== undefined) {
      const content = `\`\`\`jsonc\n${changed.moved}\n\`\`\``;
      await this.#archive(files, "working-memory.md", toEntry({ savedAt: this.services.now(), content }));
    }
    await files.write(workingMemoryFile, changed.text);
    return undefined;
  }

  async #archiveCheckpoints(files: WritableFolder, names: readonly string[]): Promise<void> {
    for (const name of names.toReversed()) {
      const file = `${checkpointFolder}/${name}`;
      const content = (await files.read(file)) ?? "";
      await this.#archive(files, "checkpoints.md", toEntry({ savedAt: this.services.now(), content }));
      await files.remove(file);
    }
  }

  /** Adds entries to the archive of a file. It is written first: a crash in between leaves entries twice, and never loses one. */
  async #archive(files: WritableFolder, file: string, entries: string): Promise<void> {
    const name = `archive/${file.replace(/\.md$/, "")}-${this.services.now().getUTCFullYear()}.md`;
    await files.write(name, withEntry(await files.read(name), "# Older entries\n", entries));
  }
}
