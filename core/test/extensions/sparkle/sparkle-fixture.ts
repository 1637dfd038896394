import type {
  IgnoreFile,
  MemoryFolder,
  SparkleServices,
  WritableFolder,
} from "../../../src/extensions/sparkle/services.js";

/** A folder of notes in memory, where changes wait for each other. */
class NotesInMemory implements MemoryFolder {
  readonly files = new Map<string, string>();
  /** Error that `read` rejects with, if set. */
  fault: Error | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #exists = false;

  constructor(
    readonly path: string,
    files: Readonly<Record<string, string>> = {},
  ) {
    for (const [name, text] of Object.entries(files)) this.files.set(name, text);
  }

  read(name: string): Promise<string | undefined> {
    return this.fault ? Promise.reject(this.fault) : Promise.resolve(this.files.get(name));
  }

  list(folder: string): Promise<string[]> {
    const inside = [...this.files.keys()].filter((name) => name.startsWith(`${folder}/`));
    return Promise.resolve(inside.map((name) => name.slice(folder.length + 1)).sort());
  }

  change<T>(edit: (files: WritableFolder) => Promise<T>): Promise<T> {
    const files: WritableFolder = {
      isNew: !this.#exists,
      read: (name) => this.read(name),
      list: (folder) => this.list(folder),
      write: (name, text) => Promise.resolve(void this.files.set(name, text)),
      remove: (name) => Promise.resolve(void this.files.delete(name)),
    };
    this.#exists = true;
    const changed = this.#last.then(() => edit(files));
    this.#last = changed.catch(() => undefined);
    return changed;
  }
}

/** Sparkle's services in memory. The clock goes on by a second whenever it is asked. */
export class SparkleInMemory implements SparkleServices {
  readonly home: NotesInMemory;
  readonly space: NotesInMemory;
  ignore: readonly IgnoreFile[] | undefined;
  readonly ignoredLines: string[] = [];
  #time = Date.UTC(2026, 0, 2, 3, 4, 5);

  constructor(home: Readonly<Record<string, string>> = {}, space: Readonly<Record<string, string>> = {}) {
    this.home = new NotesInMemory("~/.sparkle", home);
    this.space = new NotesInMemory("/w/.sparkle-space", space);
  }

  now(): Date {
    const now = new Date(this.#time);
    this.#time += 1000;
    return now;
  }
  workspace(): MemoryFolder {
    return this.space;
  }
  ignoreFiles(): Promise<readonly IgnoreFile[] | undefined> {
    return Promise.resolve(this.ignore);
  }
  addIgnoreLine(cwd: string, line: string): Promise<string> {
    this.ignoredLines.push(line);
    return Promise.resolve(`${cwd}/.gitignore`);
  }
}

/** Some memory of a user and a workspace. */
export const remembered = {
  home: {
    "collaborator-profile.md": "# Collaborator profile\n\n<!-- Edit it. -->\n\nPrefers small commits.\n",
    "pattern-anchors.md": "# Pattern anchors\n\n## 2026-01-01T00:00:00Z\n\nShow me the failing test first.\n",
  },
  space: {
    "working-memory.jsonc": '{ "entries": [{ "saved": "2026-01-01T00:00:00Z", "focus": "the parser" }] }',
  },
} as const;
