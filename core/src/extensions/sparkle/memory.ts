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
} from "./notebook-entries.js";
import {
  type MemoryEntry,
  parseWorkingMemory,
  withMemoryEntry,
  type WorkingMemory,
  workingMemoryFile,
} from "./working-memory.js";

/** Maximum bytes of a notes file. If the file is larger, its oldest entries move to the archive. */
const notebookLimit = 64 * 1024;

/** Maximum number of checkpoint files; older ones move to the archive. */
const checkpointLimit = 100;

interface Insight {
  readonly type: InsightType;
  readonly content: string;
  readonly context?: string;
  readonly tags?: readonly string[];
}

/** Result of saving an insight: the file it was added to, and the number of older insights moved to the archive. */
interface SavedInsight {
  readonly file: string;
  readonly isKnown: boolean;
  readonly moved: number;
}

export interface SavedCheckpoint {
  readonly file: string;
  /** Reason why the working memory wasn't changed, if so. The checkpoint contains the new memory in any case. */
  readonly problem: string | undefined;
  /** Number of old checkpoints moved to the archive. */
  readonly moved: number;
  /** Git ignore rule to suggest, if `.sparkle-space` was just created and isn't ignored. */
  readonly missingIgnoreLine: string | undefined;
}

/** Memory of one session. Files are written only if a tool requires that. */
export class SparkleMemory {
  readonly #space: MemoryFolder;
  /** The workspace's name in notes: its path without a trailing separator. */
  readonly #workspace: string;
  /** The profile as this session last read it. Used to avoid overwriting changes that the session hasn't seen. */
  #seenProfile = "";

  constructor(
    private readonly services: SparkleServices,
    private readonly cwd: string,
  ) {
    this.#workspace = cwd.replace(/(?<=[^/\\:])[/\\]+$/, "");
    this.#space = services.workspace(cwd);
  }

  /** Reads all memories for the start of a session. An unreadable file is reported to `onFault` and treated as empty. */
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

  /**
   * Returns the complete profile including comments, or an empty text if there is none. After that, the session may replace the profile.
   */
  async profile(): Promise<string> {
    this.#seenProfile = (await this.services.home.read(profileFile)) ?? "";
    return this.#seenProfile;
  }

  /**
   * Replaces the profile and archives the old one. If the profile differs from the one last read, rejects with the current text and
   * records that text as read.
   */
  async updateProfile(content: string, signal: AbortSignal): Promise<string> {
    const { home } = this.services;
    await home.change(async (files) => {
      const old = (await files.read(profileFile)) ?? "";
      if (old !== this.#seenProfile && old.trim() !== "") {
        this.#seenProfile = old;
        throw memoryFault(
          `The profile has changed since this session read it; nothing was written. It now says:\n\n${old.trim()}\n\n`,
          "Merge what is still true in both, and call update_collaborator_profile again.",
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

  /** Returns insights of a type for display, newest first. For workspace insights, returns only those of this workspace. */
  async notes(type: InsightType): Promise<string[]> {
    const text = (await this.services.home.read(notebooks[type].file)) ?? "";
    return toListItems(text, type === "WorkspaceInsight" ? this.#workspace : undefined);
  }

  /** Adds an insight to the notes file for its type, unless the file already contains the insight. */
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

  /** Writes a checkpoint and adds an entry to the working memory. */
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

  /** Returns the names of the workspace's checkpoints, newest first. */
  async checkpoints(): Promise<string[]> {
    return checkpointNames(await this.#space.list(checkpointFolder));
  }

  /** Returns the text of the named checkpoint, or of the newest checkpoint if no name is given. */
  async readCheckpoint(name?: string): Promise<string> {
    const names = await this.checkpoints();
    const wanted = name ?? names[0];
    if (wanted === undefined) throw memoryFault("This workspace has no checkpoints.", "session_checkpoint saves one.");
    const text = names.includes(wanted) ? await this.#space.read(`${checkpointFolder}/${wanted}`) : undefined;
    if (text !== undefined) return text;
    throw memoryFault(`There is no checkpoint "${wanted}".`, "list_checkpoints shows their names.");
  }

  /** Adds `.sparkle-space/` to the workspace's `.gitignore` and returns a description of the change. */
  async ignoreSparkleSpace(): Promise<string> {
    const files = await this.services.ignoreFiles(this.cwd);
    if (files === undefined) return "The workspace is not in a git work tree: there is nothing to ignore.";
    if (isSparkleSpaceIgnored(files)) return "Git already ignores .sparkle-space: nothing was changed.";
    return `Added "${ignoreLine}" to ${await this.services.addIgnoreLine(this.cwd, ignoreLine)}.`;
  }

  /** Returns the profile for the memory context. Doesn't mark the profile as read, since the context may contain only a part. */
  async #profileToShow(): Promise<string> {
    const text = withoutComments((await this.services.home.read(profileFile)) ?? "");
    return text.replace(/^# Collaborator profile\s*/, "");
  }

  async #missingIgnoreLine(): Promise<string | undefined> {
    const files = await this.services.ignoreFiles(this.cwd).catch(() => undefined);
    return files === undefined || isSparkleSpaceIgnored(files) ? undefined : ignoreLine;
  }

  /** Adds an entry to the working memory. Returns the reason if that fails. */
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

  /**
   * Appends entries to a file's archive. Called before the entries are removed from the file, so that a crash duplicates entries instead of
   * losing them.
   */
  async #archive(files: WritableFolder, file: string, entries: string): Promise<void> {
    const name = `archive/${file.replace(/\.md$/, "")}-${this.services.now().getUTCFullYear()}.md`;
    await files.write(name, withEntry(await files.read(name), "# Older entries\n", entries));
  }
}
